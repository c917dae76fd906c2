// Reorders the rows of a window list: by dragging their handle, or with Alt and the arrow keys.

import { catalog } from "../core/catalog.js";
import { h, setStyles } from "../core/dom.js";

const scrollEdge = 56; // px from the edge of the list in which a drag scrolls it

/**
 * @param {import("./window-list.js").WindowList} list
 * @param {{count: () => number, move: (from: number, to: number) => void}} order
 */
export function makeReorderable(list, { count, move }) {
  list.addEventListener("pointerdown", (event) => {
    const handle = event.target instanceof Element ? event.target.closest(".handle") : null;
    const from = list.indexOf(handle);
    if (!handle || from < 0 || event.button !== 0) return;
    event.preventDefault();
    drag(list, event, from, count(), (to) => { if (to !== from) move(from, to); });
  });
}

/**
 * Handles the keys that move a row, for a list's onKey.
 * @param {KeyboardEvent} event @param {number} index @param {number} count
 * @param {(to: number) => void} move
 */
export function moveRowByKey(event, index, count, move) {
  if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return false;
  const to = index + (event.key === "ArrowUp" ? -1 : 1);
  if (to >= 0 && to < count) move(to);
  return true;
}

/**
 * @param {import("./window-list.js").WindowList} list @param {PointerEvent} start
 * @param {number} from
 * @param {number} count @param {(to: number) => void} drop
 */
function drag(list, start, from, count, drop) {
  const scroller = list.scroller;
  const row = list.elementAt(from);
  if (!scroller || !row) return;
  const box = row.getBoundingClientRect();
  const ghost = h("div", { class: "drag-ghost", "aria-hidden": "true" });
  ghost.append(row.cloneNode(true));
  const line = h("div", { class: "drop-line", "aria-hidden": "true" });
  setStyles(ghost, { width: `${box.width}px`, height: `${box.height}px`, left: `${box.left}px` });
  document.body.append(ghost, line);
  row.classList.add("dragged");

  const release = catalog.hold();
  const ending = new AbortController();
  const listen = { signal: ending.signal };
  const indexAt = (/** @type {number} */ y) => Math.max(0, Math.min(count - 1, list.indexAt(y)));
  let y = start.clientY;
  let to = from;
  let frame = 0;
  const follow = () => {
    const view = scroller.getBoundingClientRect();
    const [above, below] = [view.top + scrollEdge - y, y - view.bottom + scrollEdge];
    if (above > 0) scroller.scrollTop -= Math.min(16, above / 4);
    else if (below > 0) scroller.scrollTop += Math.min(16, below / 4);
    to = indexAt(y);
    const target = list.elementAt(to)?.getBoundingClientRect();
    setStyles(ghost, { transform: `translateY(${y - (start.clientY - box.top)}px)` });
    if (target) {
      const edge = (to > from ? target.bottom : target.top) - 1;
      setStyles(line, { left: `${box.left}px`, width: `${box.width}px`, transform: `translateY(${edge}px)` });
    }
    frame = requestAnimationFrame(follow);
  };
  const end = (/** @type {boolean} */ done) => {
    ending.abort();
    cancelAnimationFrame(frame);
    ghost.remove();
    line.remove();
    row.classList.remove("dragged");
    release();
    if (done) drop(to);
  };
  addEventListener("pointermove", (event) => { y = event.clientY; }, listen);
  addEventListener("pointerup", (event) => { to = indexAt(event.clientY); end(true); }, listen);
  addEventListener("pointercancel", () => end(false), listen);
  addEventListener("keydown", (event) => { if (event.key === "Escape") end(false); }, listen);
  follow();
}
