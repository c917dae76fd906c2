// Keeps a list on the screen true: pages that have come, and a catalog that has changed.

import { freshness } from "../core/freshness.js";

/**
 * @template {{id: string}} T
 * @param {import("../core/pages.js").Pages<T>} pages @param {import("./window-list.js").WindowList} list @param {AbortSignal} signal
 * @param {() => void} [also] what else shows the list, such as its count
 */
export function keepFresh(pages, list, signal, also) {
  pages.watchers++;
  signal.addEventListener("abort", () => { pages.watchers--; }, { once: true });
  pages.addEventListener("change", () => { also?.(); list.refresh(pages.total); }, { signal });
  freshness.addEventListener("change", () => void pages.renew((swap) => {
    if (!signal.aborted) list.inPlace(swap, (index) => pages.at(index)?.id);
  }), { signal });
}
