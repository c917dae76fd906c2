// What a screen shows when there is nothing to show: yet, at all, or because something failed.

import { h } from "../core/dom.js";
import { Away } from "../core/http.js";
import { button } from "./controls.js";
import { icon } from "./icons.js";

/**
 * @param {{icon: import("./icons.js").IconName, title: string, text?: string, action?: HTMLElement | null}} content
 */
export function empty({ icon: name, title, text, action }) {
  return h("div", { class: "empty" }, icon(name), h("h2", null, title), text && h("p", null, text), action);
}

/** @param {unknown} error @param {() => void} again */
export function failed(error, again) {
  const away = error instanceof Away;
  return empty({
    icon: away ? "away" : "help", title: away ? "The player is away" : "That did not work",
    text: error instanceof Error ? error.message : "Something unexpected happened.", action: button("Try again", again, { kind: "primary" }),
  });
}

/** Grey shapes where songs will be. @param {"rows" | "cards" | "hero"} kind */
export function loading(kind) {
  const shape = (/** @type {string} */ name) => h("div", { class: `ghost ${name}` });
  const parts = { rows: Array.from({ length: 8 }, () => shape("row")), cards: Array.from({ length: 12 }, () => shape("card")), hero: [shape("hero"), ...Array.from({ length: 6 }, () => shape("row"))] }[kind];
  return h("div", { class: `loading ${kind}`, role: "status", "aria-label": "Loading" }, ...parts);
}
