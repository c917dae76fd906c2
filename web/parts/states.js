// What a screen shows when there is nothing to show: yet, at all, or because something failed.

import { h } from "../core/dom.js";
import { Unreachable, ResponseError } from "../core/http.js";
import { button } from "./controls.js";
import { icon } from "./icons.js";

/**
 * @param {{icon: import("./icons.js").IconName, title: string, text?: string, action?: HTMLElement | null}} content
 */
export function empty({ icon: name, title, text, action }) {
  return h("div", { class: "empty" }, icon(name), h("h2", null, title), text && h("p", null, text), action);
}

/** Whether the player is there and its catalog is not, which passes. @param {unknown} error */
export function isCatalogUnavailable(error) {
  return error instanceof ResponseError && error.status === 503;
}

/** @param {unknown} error @param {() => void} again */
export function failed(error, again) {
  const title = error instanceof Unreachable ? "The player is away" : isCatalogUnavailable(error) ? "The catalog is away" : "That did not work";
  const reason = error instanceof Error ? error.message : "Something unexpected happened.";
  const text = isCatalogUnavailable(error) ? `${reason} Trying again every few seconds…` : reason;
  return failure({ icon: title.endsWith("away") ? "away" : "help", title, text, action: button("Try again", again, { kind: "primary" }) });
}

/** For an address that leads notFound, or notFound any more. @param {string} title @param {string} label @param {string} to where one could go instead */
export function notFound(title, label, to) {
  return failure({ icon: "search", title, action: h("a", { class: "button primary", href: to }, label) });
}

/** @param {Parameters<typeof empty>[0]} content */
function failure(content) {
  const it = empty(content);
  it.classList.add("failure");
  return it;
}

/** Grey shapes where songs will be. @param {"rows" | "cards" | "hero"} kind */
export function loading(kind) {
  const shape = (/** @type {string} */ name) => h("div", { class: `ghost ${name}` });
  const parts = { rows: Array.from({ length: 8 }, () => shape("row")), cards: Array.from({ length: 12 }, () => shape("card")), hero: [shape("hero"), ...Array.from({ length: 6 }, () => shape("row"))] }[kind];
  return h("div", { class: `loading ${kind}`, role: "status", "aria-label": "Loading" }, ...parts);
}
