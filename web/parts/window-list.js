// A list or grid of any length in a scrolling page: only the visible items are in the document.

import { setStyles } from "../core/dom.js";
import { LiveElement } from "./live-element.js";
import { ScrollMap } from "./scroll-map.js";

const coveredTop = 48; // px at the top of the scroller that initials may cover
const overscan = 6; // rows beyond the edge, so that scrolling shows no gap
const searchRadius = 1000; // how far an item is looked for after a change

/**
 * @typedef {{element: HTMLElement, show: (index: number) => void}} Cell an element that can display
 *   any item
 * @typedef {{count: number, make: () => Cell, want?: (first: number, last: number) => void,
 *   label: string, columns?: (width: number) => number, height: (cellWidth: number) => number,
 *   gap?: number, onKey?: (event: KeyboardEvent, index: number) => boolean | void}} Source
 * @typedef {{id: string, index: number, distance: number, scrollTop: number}} Anchor distance: from
 *   its top to the top of the visible part
 */

export class WindowList extends LiveElement {
  /** @type {Source} */
  #source = {
    count: 0, make: () => ({ element: document.createElement("div"), show() {} }), label: "", height: () => 56,
  };
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
  /** @type {Anchor | null} */
  #anchor = null;
  /** @type {HTMLElement | null} */
  #scroller = null;
  #resize = new ResizeObserver(() => this.#measure());

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#scroller = /** @type {HTMLElement} */ (this.closest(".scroller"));
    this.#scroller.addEventListener("scroll", this.#onScroll, { passive: true });
    this.#resize.observe(this);
    this.#resize.observe(this.#scroller);
    this.addEventListener("keydown", this.#onKey);
    this.addEventListener("focusin", this.#onFocus);
    this.#measure();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
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

  /** Draws again after items or their number have changed. @param {number} [count] */
  refresh(count = this.#source.count) {
    this.#source.count = count;
    this.#focused = Math.max(0, Math.min(this.#focused, count - 1));
    this.#measure(true);
  }

  /**
   * Carries out a change of the items without moving the first visible one: if others have been
   * added or removed above it, the list is scrolled by as much.
   * @param {() => void} change @param {(index: number) => string | undefined} idAt
   */
  keepPosition(change, idAt) {
    const scroller = this.#scroller;
    const anchor = scroller && this.isConnected ? this.#findAnchor(scroller, idAt) : null;
    change();
    if (!scroller || !anchor) return;
    const index = findNear(anchor.index, anchor.id, idAt);
    const row = Math.floor(index / this.#columns);
    const to = this.#map.to(row * this.#rowHeight + anchor.distance) + this.#offset;
    if (Math.abs(to - scroller.scrollTop) >= 1) scroller.scrollTop = to;
    this.#anchor = { ...anchor, index, scrollTop: scroller.scrollTop };
    this.#draw();
  }

  /**
   * The item that must not move. It stays the same until the person scrolls, so that in a grid
   * several small changes add up to whole rows.
   * @param {HTMLElement} scroller @param {(index: number) => string | undefined} idAt
   * @returns {Anchor | null}
   */
  #findAnchor(scroller, idAt) {
    const last = this.#anchor;
    if (last && Math.abs(last.scrollTop - scroller.scrollTop) < 1 && idAt(last.index) === last.id) return last;
    const { top } = this.#map.at(scroller.scrollTop - this.#offset);
    const row = Math.max(0, Math.floor(top / this.#rowHeight));
    const index = row * this.#columns;
    const id = top > 0 ? idAt(index) : undefined; // a list at its top stays there
    if (id === undefined) return null;
    return { id, index, distance: top - row * this.#rowHeight, scrollTop: scroller.scrollTop };
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

  /** Where the list begins in the scroller. */
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
      const isVisible = index >= first && index < last;
      if (isVisible || index < count && cell.element.contains(document.activeElement)) continue;
      this.#cells.delete(index);
      this.#spare.push(cell);
      cell.element.hidden = true;
    }
    for (let index = first; index < last; index++) {
      const existing = this.#cells.get(index);
      const cell = existing ?? this.#addCell(index);
      if (!existing || rebind) cell.show(index);
    }
    for (const [index, { element }] of this.#cells) {
      const [row, column] = [Math.floor(index / this.#columns), index % this.#columns];
      const x = column * (this.#cellWidth + gap);
      // A focused row far below would make the scroller taller than the list.
      const y = Math.min(row * this.#rowHeight - shift, this.#map.physical - this.#rowHeight);
      setStyles(element, {
        transform: `translate(${x}px, ${y}px)`,
        width: `${this.#cellWidth}px`, height: `${this.#rowHeight - gap}px`,
      });
      element.tabIndex = index === this.#focused ? 0 : -1;
    }
    if (!this.#cells.has(this.#focused) && first < last) {
      const reachable = this.#cells.get(first + Math.min(overscan, last - first - 1));
      if (reachable) reachable.element.tabIndex = 0;
    }
    if (last > first) this.#source.want?.(first, last);
  }

  /** @param {number} index */
  #addCell(index) {
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

  /**
   * @param {EventTarget | null} target of an event
   * @returns {number} the index of the item that contains it, or -1
   */
  indexOf(target) {
    const row = /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest("[data-index]") : null);
    return row && this.contains(row) ? Number(row.dataset.index) : -1;
  }

  /** @param {number} index @returns {HTMLElement | undefined} */
  elementAt(index) {
    return this.#cells.get(index)?.element;
  }

  /**
   * The index of the item at a vertical position, in a list of one column.
   * @param {number} clientY
   */
  indexAt(clientY) {
    const scroller = /** @type {HTMLElement} */ (this.#scroller);
    const { top } = this.#map.at(scroller.scrollTop - this.#offset);
    const y = top + clientY - scroller.getBoundingClientRect().top;
    return Math.max(0, Math.min(this.#source.count - 1, Math.floor(y / this.#rowHeight)));
  }

  /**
   * The gap between two items that is nearest to a vertical position, in a list of one column.
   * @param {number} clientY
   * @returns {{index: number, y: number}} the index of the item below it, and where it is
   */
  gapAt(clientY) {
    const scroller = /** @type {HTMLElement} */ (this.#scroller);
    const first = scroller.getBoundingClientRect().top - this.#map.at(scroller.scrollTop - this.#offset).top;
    const index = Math.max(0, Math.min(this.#source.count, Math.round((clientY - first) / this.#rowHeight)));
    return { index, y: first + index * this.#rowHeight };
  }

  /** @param {number} index */
  focusItem(index) {
    this.#focused = index;
    this.reveal(index);
    this.elementAt(index)?.focus({ preventScroll: true });
  }

  /** Scrolls until an item is the first that is seen. @param {number} index */
  showAtTop(index) {
    const scroller = this.#scroller;
    if (!scroller) return;
    const row = Math.floor(index / this.#columns);
    scroller.scrollTop = this.#map.to(row * this.#rowHeight - coveredTop) + this.#offset;
    this.#draw();
  }

  /** Scrolls as little as needed to show an item. @param {number} index */
  reveal(index) {
    const scroller = this.#scroller;
    if (!scroller || index < 0) return;
    const y = Math.floor(index / this.#columns) * this.#rowHeight;
    const { top } = this.#map.at(scroller.scrollTop - this.#offset);
    const room = scroller.clientHeight - this.#rowHeight * 1.5;
    const margin = Math.max(this.#rowHeight / 2, coveredTop);
    if (y < top + coveredTop) scroller.scrollTop = this.#map.to(y - margin) + this.#offset;
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
    /** @type {Record<string, number>} */
    const steps = {
      ArrowDown: this.#columns, ArrowUp: -this.#columns, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    if (this.#columns > 1) Object.assign(steps, { ArrowRight: 1, ArrowLeft: -1 });
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.focusItem(Math.max(0, Math.min(this.#source.count - 1, index + step)));
  };
}

/**
 * The new index of an item; the old one if the item is gone.
 * @param {number} index the old one @param {string} id
 * @param {(index: number) => string | undefined} idAt
 */
function findNear(index, id, idAt) {
  for (let by = 0; by < searchRadius; by++) {
    if (idAt(index + by) === id) return index + by;
    if (idAt(index - by) === id) return index - by;
  }
  return index;
}

customElements.define("wax-list", WindowList);
