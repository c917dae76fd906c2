// Browsers cannot make an element taller than some 17 million pixels, which 300,000 songs exceed. A
// list that is longer gets a shorter stand-in: near both ends and for every small step a pixel of
// scrolling is a pixel of the list; only a jump with the scroll bar in between is stretched.

const tallest = 8_000_000;
const ends = 400_000; // at both ends, where a pixel is always a pixel

export class ScrollMap {
  #list = 0;
  #view = 0;
  #physical = 0;
  /** @type {{scroll: number, top: number} | null} */
  #last = null;

  /** @param {number} list height of all rows @param {number} view height of what is seen */
  resize(list, view) {
    if (list === this.#list && view === this.#view) return;
    this.#list = list;
    this.#view = view;
    this.#physical = Math.min(list, tallest);
    this.#last = null;
  }

  /** The height that the element gets. */
  get physical() {
    return this.#physical;
  }

  get #stretch() {
    return (this.#list - this.#view - 2 * ends) / (this.#physical - this.#view - 2 * ends);
  }

  /** Where to scroll to in order to see the list from top on. @param {number} top */
  to(top) {
    const scroll = this.#list <= tallest ? top : this.#standIn(top);
    this.#last = { scroll, top };
    return scroll;
  }

  /** The place in the stand-in for a place in the list. @param {number} top */
  #standIn(top) {
    const fromEnd = this.#list - this.#view - top;
    if (top <= ends) return top;
    return fromEnd <= ends ? this.#physical - this.#view - fromEnd : ends + (top - ends) / this.#stretch;
  }

  /** The place in the list for a place in the stand-in. @param {number} scroll */
  #place(scroll) {
    const fromEnd = this.#physical - this.#view - scroll;
    if (scroll <= ends) return scroll;
    return fromEnd <= ends ? this.#list - this.#view - fromEnd : ends + (scroll - ends) * this.#stretch;
  }

  /**
   * What is seen when the list is scrolled that far.
   * @param {number} scroll
   * @returns {{top: number, shift: number, anchor: number | null}} the first pixel of the list that
   *   is seen, how far rows are shifted, and where to scroll to if the two have drifted too far
   *   apart
   */
  at(scroll) {
    if (this.#list <= tallest) return { top: scroll, shift: 0, anchor: null };
    const step = this.#last ? scroll - this.#last.scroll : Infinity;
    const small = Math.abs(step) < 3 * this.#view;
    const top = this.#last && small ? this.#last.top + step : this.#place(scroll);
    const nearEnd = top <= ends || this.#list - this.#view - top <= ends;
    const right = this.#standIn(top);
    const anchor = Math.abs(right - scroll) > (nearEnd ? 1 : ends / 4) ? right : null;
    this.#last = { scroll: anchor ?? scroll, top };
    return { top, shift: top - (anchor ?? scroll), anchor };
  }
}
