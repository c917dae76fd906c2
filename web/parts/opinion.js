// The heart and the stars of a song, an album, an artist or a playlist.

import { fill, h } from "../core/dom.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { iconButton, showIcon } from "./controls.js";
import { icon } from "./icons.js";
import { LiveElement } from "./live-element.js";

/** @typedef {import("../core/personal.js").Rated} Rated */

/**
 * Shows on a button whether something is liked.
 * @param {HTMLElement} button @param {Rated | null | undefined} thing @param {string} name
 */
export function showHeart(button, thing, name) {
  const liked = thing ? personal.of(thing).liked : false;
  showIcon(button, liked ? "liked" : "heart", `${liked ? "Unlike" : "Like"} ${name}`.trim());
  button.setAttribute("aria-pressed", String(liked));
}

/**
 * A heart that shows what is passed to its show function.
 * @param {Record<string, any>} [props]
 */
export function heartButton(props = {}) {
  /** @type {Rated | null} */
  let shown = null;
  const element = iconButton("heart", "Like", () => { if (shown) void personal.like(shown); },
    { ...props, class: `heart edits ${props.class ?? ""}`.trim(), "aria-pressed": "false" });
  return {
    element,
    /** @param {Rated | null | undefined} thing @param {string} name */
    show(thing, name) {
      shown = thing ?? null;
      element.hidden = !thing;
      showHeart(element, thing, name);
    },
  };
}

/** Stars as text, for rows. @param {number} rating */
export function starText(rating) {
  return rating > 0 ? "★".repeat(rating) : "";
}

/**
 * Five stars to press. The one that is set already removes the rating.
 * @param {Rated} thing @param {string} name
 */
function stars(thing, name) {
  const { rating } = personal.of(thing);
  return h("div", { class: "stars edits", role: "group", "aria-label": `Rating of ${name}` },
    ...[1, 2, 3, 4, 5].map((n) => {
      const label = n === rating ? `Remove the rating of ${n}` : `Rate ${n} of 5`;
      return h("button", {
        type: "button", class: n <= rating ? "star on" : "star", "aria-label": label, title: label,
        "aria-pressed": String(n === rating),
        onclick: () => void personal.rate(thing, n === rating ? 0 : n),
      }, icon(n <= rating ? "starred" : "star"));
    }));
}

class OpinionElement extends LiveElement {
  /** @type {Rated | null} */
  #thing = null;
  #name = "";
  #heart = heartButton();
  #shown = "";

  constructor() {
    super();
    this.whileConnected((signal) => {
      personal.addEventListener("change", () => this.#show(), { signal });
      player.addEventListener("permissions", () => this.#show(), { signal });
      this.#show();
    });
  }

  /** @param {Rated | null} thing @param {string} name */
  set(thing, name) {
    this.#thing = thing;
    this.#name = name;
    this.#shown = "";
    this.#show();
  }

  #show() {
    const thing = this.#thing;
    if (!thing) return fill(this);
    const now = JSON.stringify(personal.of(thing));
    if (now === this.#shown) return;
    this.#shown = now;
    const focused = [...this.querySelectorAll("button")].indexOf(/** @type {any} */ (document.activeElement));
    this.#heart.show(thing, this.#name);
    fill(this, this.#heart.element, stars(thing, this.#name));
    if (focused > 0) this.querySelectorAll("button")[focused]?.focus();
  }
}
customElements.define("wax-opinion", OpinionElement);

/**
 * Heart and stars that follow every change.
 * @param {Rated | null} thing @param {string} name
 */
export function opinion(thing, name) {
  const element = /** @type {OpinionElement} */ (document.createElement("wax-opinion"));
  element.set(thing, name);
  return element;
}
