// The search field at the top. What is typed goes into the address, and the route of the address
// shows the results.

import { h } from "../core/dom.js";
import { go, here, replace } from "../core/router.js";
import { icon } from "./icons.js";

const typingPause = 90; // ms without a key before a search is sent

export class SearchBox {
  #field = h("input", {
    type: "search", placeholder: "Search songs, artists, albums", "aria-label": "Search", autocomplete: "off",
    spellcheck: "false", enterkeyhint: "search",
  });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {string | null} the words that were searched for last */
  #words = null;

  /** @param {HTMLElement} main where the results are */
  constructor(main) {
    const cancel = (/** @type {Event} */ event) => event.preventDefault();
    this.element = h("form", { class: "search-field", role: "search", onsubmit: cancel },
      icon("search"), this.#field, h("kbd", { "aria-hidden": "true" }, "/"));
    this.#field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), typingPause);
    });
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#field.blur();
      if (event.key !== "ArrowDown" && event.key !== "Enter") return;
      event.preventDefault();
      if (this.#timer !== undefined) this.#search();
      if (matchMedia("(hover: none)").matches) return this.#field.blur(); // the on-screen keyboard covers the results
      const results = /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll("button, a, [tabindex='0']"));
      [...results].find((each) => each.checkVisibility())?.focus();
    });
  }

  focus() {
    this.#field.focus();
    this.#field.select();
  }

  /**
   * Shows the words that the address searches for; null where it does not search.
   * @param {string | null} words
   */
  show(words) {
    if (words === this.#words) return; // the field may be ahead of the address
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#words = words;
    this.#field.value = words ?? "";
  }

  #search() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#words = this.#field.value.trim();
    const hash = this.#words ? `#/search?q=${encodeURIComponent(this.#words)}` : "#/search";
    if (here().path[0] === "search") replace(hash);
    else go(hash);
  }
}
