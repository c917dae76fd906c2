// Placeholders for a screen without content: still loading, empty, or failed.

import { h } from "../core/dom.js";
import { ResponseError, Unreachable } from "../core/http.js";
import { serverName } from "../core/server.js";
import { button } from "./controls.js";
import { icon } from "./icons.js";

/**
 * @param {{icon: import("./icons.js").IconName, title: string, text?: string,
 *   action?: HTMLElement | null}} content
 */
export function empty({ icon: name, title, text, action }) {
  return h("div", { class: "empty" }, icon(name), h("h2", null, title), text && h("p", null, text), action);
}

/** Whether the player replied and its catalog did not. @param {unknown} error */
export function isCatalogUnavailable(error) {
  return error instanceof ResponseError && error.status === 503;
}

/** @param {unknown} error @param {() => void} retry */
export function loadError(error, retry) {
  const action = button("Try again", retry, { kind: "primary" });
  const text = error instanceof Error ? error.message : "An unexpected error occurred.";
  if (error instanceof Unreachable) {
    return failure({ icon: "offline", title: `The ${serverName} is offline`, text, action });
  }
  if (isCatalogUnavailable(error)) {
    const retrying = `${text} Trying again every few seconds…`;
    return failure({ icon: "offline", title: "The catalog is unavailable", text: retrying, action });
  }
  return failure({ icon: "help", title: "This screen cannot be shown", text, action });
}

/**
 * For an address without a screen.
 * @param {string} title @param {string} label of a link @param {string} to where the link leads
 */
export function notFound(title, label, to) {
  return failure({ icon: "search", title, action: h("a", { class: "button primary", href: to }, label) });
}

/** @param {Parameters<typeof empty>[0]} content */
function failure(content) {
  const element = empty(content);
  element.classList.add("failure");
  return element;
}

/** Grey shapes where songs will be. @param {"rows" | "cards" | "hero"} kind */
export function loading(kind) {
  const shapes = (/** @type {string} */ name, /** @type {number} */ count) =>
    Array.from({ length: count }, () => h("div", { class: `ghost ${name}` }));
  const parts = {
    rows: () => shapes("row", 8), cards: () => shapes("card", 12),
    hero: () => [...shapes("hero", 1), ...shapes("row", 6)],
  }[kind]();
  return h("div", { class: `loading ${kind}`, role: "status", "aria-label": "Loading" }, ...parts);
}
