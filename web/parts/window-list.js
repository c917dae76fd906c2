// A list or grid of any length in a scrolling page: only what is seen is in the document.

import { setStyles } from "../core/dom.js";
import { ScrollMap } from "./scroll-map.js";

const overscan = 6; // rows beyond the edge, so that a turn of the wheel shows no gap

/**
 * @typedef {{element: HTMLElement, show: (index: number) => void}} Cell an element that can show any item
 * @typedef {{count: number, make: () => Cell, want?: (first: number, last: number) => void, label: string,
 *   columns?: (width: number) => number, height: (cellWidth: number) => number, gap?: number,
 *   onKey?: (event: KeyboardEvent, index: number) => boolean | void}} Source
 */

export class WindowList extends HTMLElement {
  /** @type {Source} */
  #source = { count: 0, make: () => ({ element: document.createElement("div"), show() {} }), label: "", height: () => 56 };
  /** @type {Map<number, Cell>} */
  #cells = new Map();
  /** @type {Cell[]} */
  #spare = [];
  #map = new ScrollMap();
  #columns = 1;
  #rowHeight = 56;
  #cellWidth = 0;
  #focused = 0;
  #frame = 0;
  /** @type {HTMLElement | null} */
  #scroller = null;
  #resize = new ResizeObserver(() => this.#measure());

  connectedCallback() {
    this.#scroller = /** @type {HTMLElement} */ (this.closest(".scroller"));
    this.#scroller.addEventListener("scroll", this.#onScroll, { passive: true });
    this.#resize.observe(this);
    this.#resize.observe(this.#scroller);
    this.addEventListener("keydown", this.#onKey);
    this.addEventListener("focusin", this.#onFocus);
    this.#measure();
  }

  disconnectedCallback() {
    this.#scroller?.removeEventListener("scroll", this.#onScroll);
    this.#resize.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  /** @param {Source} source */
  set source(source) {
    this.#source = source;
    this.setAttribute("role", "grid");
    this.setAttribute("aria-label", source.label);
    this.#cells.clear();
    this.#spare = [];
    this.replaceChildren();
    if (this.isConnected) this.#measure();
  }

  /** Says that items changed, or how many there are. @param {number} [count] */
  refresh(count = this.#source.count) {
    this.#source.count = count;
    this.#focused = Math.max(0, Math.min(this.#focused, count - 1));
    this.#measure(true);
  }

  /**
   * Carries out a change of the items without moving the one that is seen first: where others have come or gone above it, the
   * list is scrolled by as much. The items are told apart by their ids.
   * @param {() => void} change @param {(index: number) => string | undefined} id
   */
  inPlace(change, id) {
    const scroller = this.#scroller;
    if (!scroller || !this.isConnected) return change();
    const { top } = this.#map.at(scroller.scrollTop - this.#offset);
    const first = Math.max(0, Math.floor(top / this.#rowHeight)) * this.#columns;
    const seen = top > 0 ? id(first) : undefined; // who is at the top stays there
    change();
    if (seen === undefined) return;
    const rows = Math.floor((near(first, seen, id) - first) / this.#columns);
    const to = this.#map.to(top + rows * this.#rowHeight) + this.#offset;
    if (Math.abs(to - scroller.scrollTop) >= 1) scroller.scrollTop = to;
    this.#draw();
  }

  get rowHeight() { return this.#rowHeight; }
  get scroller() { return this.#scroller; }

  #measure(rebind = false) {
    const width = this.clientWidth;
    if (!width || !this.#scroller) return;
    const { columns, height, gap = 0, count } = this.#source;
    this.#columns = columns ? Math.max(1, columns(width)) : 1;
    this.#cellWidth = (width - gap * (this.#columns - 1)) / this.#columns;
    this.#rowHeight = height(this.#cellWidth) + gap;
    const rows = Math.ceil(count / this.#columns);
    this.#map.resize(rows * this.#rowHeight, this.#scroller.clientHeight);
    setStyles(this, { height: `${this.#map.physical}px` });
    this.setAttribute("aria-rowcount", String(count));
    this.#draw(rebind);
  }

  #onScroll = () => {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  };

  /** Where the list begins in what scrolls. */
  get #offset() {
    const scroller = /** @type {HTMLElement} */ (this.#scroller);
    return this.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  }

  #draw(rebind = false) {
    const scroller = this.#scroller;
    if (!scroller || !this.isConnected) return;
    const offset = this.#offset;
    const { top, shift, anchor } = this.#map.at(scroller.scrollTop - offset);
    if (anchor !== null) scroller.scrollTop = anchor + offset;
    const { count, gap = 0 } = this.#source;
    const firstRow = Math.max(0, Math.floor(top / this.#rowHeight) - overscan);
    const lastRow = Math.ceil((top + scroller.clientHeight) / this.#rowHeight) + overscan;
    const first = Math.min(count, firstRow * this.#columns);
    const last = Math.min(count, lastRow * this.#columns);
    for (const [index, cell] of this.#cells) {
      const kept = index >= first && index < last || index < count && cell.element.contains(document.activeElement);
      if (kept) continue;
      this.#cells.delete(index);
      this.#spare.push(cell);
      cell.element.hidden = true;
    }
    for (let index = first; index < last; index++) {
      const known = this.#cells.get(index);
      const cell = known ?? this.#take(index);
      if (!known || rebind) cell.show(index);
    }
    for (const [index, { element }] of this.#cells) {
      const [row, column] = [Math.floor(index / this.#columns), index % this.#columns];
      const x = column * (this.#cellWidth + gap);
      setStyles(element, { transform: `translate(${x}px, ${row * this.#rowHeight - shift}px)`, width: `${this.#cellWidth}px`, height: `${this.#rowHeight - gap}px` });
      element.tabIndex = index === this.#focused ? 0 : -1;
    }
    if (!this.#cells.has(this.#focused) && first < last) {
      const reachable = this.#cells.get(first + Math.min(overscan, last - first - 1));
      if (reachable) reachable.element.tabIndex = 0;
    }
    if (last > first) this.#source.want?.(first, last);
  }

  /** @param {number} index */
  #take(index) {
    let cell = this.#spare.pop();
    if (!cell) {
      cell = this.#source.make();
      cell.element.setAttribute("role", "row");
      cell.element.classList.add("cell");
      this.append(cell.element);
    }
    cell.element.hidden = false;
    cell.element.dataset.index = String(index);
    cell.element.setAttribute("aria-rowindex", String(index + 1));
    this.#cells.set(index, cell);
    return cell;
  }

  /** @param {EventTarget | null} target @returns {number} the index of the item that an event happened in, or -1 */
  indexOf(target) {
    const row = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest("[data-index]")) : null;
    return row && this.contains(row) ? Number(row.dataset.index) : -1;
  }

  /** @param {number} index @returns {HTMLElement | undefined} */
  elementAt(index) {
    return this.#cells.get(index)?.element;
  }

  /** Which item a pointer is over, in a list of one column. @param {number} clientY */
  indexAt(clientY) {
    const scroller = /** @type {HTMLElement} */ (this.#scroller);
    const { top } = this.#map.at(scroller.scrollTop - this.#offset);
    const y = top + clientY - scroller.getBoundingClientRect().top;
    return Math.max(0, Math.min(this.#source.count - 1, Math.floor(y / this.#rowHeight)));
  }

  /** @param {number} index */
  focusItem(index) {
    this.#focused = index;
    this.reveal(index);
    this.elementAt(index)?.focus({ preventScroll: true });
  }

  /** Scrolls as little as needed to show an item. @param {number} index */
  reveal(index) {
    const scroller = this.#scroller;
    if (!scroller || index < 0) return;
    const y = Math.floor(index / this.#columns) * this.#rowHeight;
    const { top } = this.#map.at(scroller.scrollTop - this.#offset);
    const room = scroller.clientHeight - this.#rowHeight * 1.5;
    if (y < top) scroller.scrollTop = this.#map.to(y - this.#rowHeight / 2) + this.#offset;
    else if (y > top + room) scroller.scrollTop = this.#map.to(y - room) + this.#offset;
    this.#draw();
  }

  #onFocus = (/** @type {FocusEvent} */ event) => {
    const index = this.indexOf(event.target);
    if (index < 0) return;
    this.#focused = index;
    for (const [at, { element }] of this.#cells) element.tabIndex = at === index ? 0 : -1;
  };

  #onKey = (/** @type {KeyboardEvent} */ event) => {
    const index = this.indexOf(event.target);
    if (index < 0) return;
    if (this.#source.onKey?.(event, index)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor((this.#scroller?.clientHeight ?? 0) / this.#rowHeight) - 1) * this.#columns;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: this.#columns, ArrowUp: -this.#columns, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity });
    if (this.#columns > 1) Object.assign(steps, { ArrowRight: 1, ArrowLeft: -1 });
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.focusItem(Math.max(0, Math.min(this.#source.count - 1, index + step)));
  };
}

/** Where an item is now that was at index; there if it is gone. @param {number} index @param {string} item @param {(index: number) => string | undefined} id */
function near(index, item, id) {
  for (let by = 0; by < 1000; by++) {
    if (id(index + by) === item) return index + by;
    if (id(index - by) === item) return index - by;
  }
  return index;
}

customElements.define("wax-list", WindowList);
