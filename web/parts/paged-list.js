// Shows the rows of a Pages object in a window list.

/**
 * @template {{id: string}} T
 * @param {import("../core/pages.js").Pages<T>} pages
 * @param {import("./window-list.js").WindowList} list
 * @param {() => void} [onChange] called when rows or their number have changed
 */
export function bindPages(pages, list, onChange) {
  list.whileConnected((signal) => {
    const idAt = (/** @type {number} */ index) => pages.at(index)?.id;
    const keepPosition = (/** @type {() => void} */ exchange) => list.keepPosition(exchange, idAt);
    pages.keepPosition = keepPosition;
    signal.addEventListener("abort", () => { if (pages.keepPosition === keepPosition) pages.keepPosition = null; });
    pages.addEventListener("change", () => { onChange?.(); list.refresh(pages.total); }, { signal });
  });
}
