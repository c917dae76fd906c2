// A panel that lists who has access of one kind, and lets it be given and taken.

import { h, fill } from "../core/dom.js";
import { ago, day } from "../core/format.js";
import { ResponseError } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { button } from "./controls.js";
import { confirm } from "./dialog.js";
import { icon } from "./icons.js";

/**
 * @typedef {{id: string, name: string, permissions: string[], expires_at: string | null, last_used_at: string | null,
 *   current: boolean}} Credential
 */

/**
 * @template {Credential} T
 * @typedef {{
 *   title: string, text: string, icon: import("./icons.js").IconName, list: string,
 *   load: (signal: AbortSignal) => Promise<T[]>, create: {label: string, run: (again: () => Promise<void>) => Promise<void>},
 *   may: Record<string, string>, badge: string, facts: (item: T) => string[],
 *   actions: (item: T, again: () => Promise<void>) => (HTMLElement | false)[],
 *   empty: {title: string, text: string}, refused: () => HTMLElement,
 * }} Kind may: what each permission is called
 */

/**
 * @template {Credential} T
 * @param {Kind<T>} kind @param {AbortSignal} signal
 * @returns {{panel: HTMLElement, show: () => Promise<void>}} show reads the list again
 */
export function credentials(kind, signal) {
  const place = h("div", { class: "credentials" }, h("div", { class: "loading rows", role: "status", "aria-label": `Loading ${kind.list}` }, h("div", { class: "ghost row" }), h("div", { class: "ghost row" })));
  const create = button(kind.create.label, () => void attempt(() => kind.create.run(show)), { kind: "primary", icon: "plus", hidden: true });
  const show = async () => {
    try {
      const items = await kind.load(signal);
      create.hidden = false;
      fill(place, items.length > 0 ? rows(kind, items, show) : note("key", kind.empty.title, kind.empty.text));
    } catch (error) {
      if (signal.aborted) return;
      create.hidden = true;
      if (error instanceof ResponseError && error.status === 403) fill(place, kind.refused());
      else fill(place, note("away", "That cannot be shown now", error instanceof Error ? error.message : "Something unexpected happened.", button("Try again", () => void show())));
    }
  };
  const panel = h("section", { class: "panel", "aria-label": kind.title },
    h("header", { class: "panel-head" }, h("span", { class: "panel-icon" }, icon(kind.icon)), h("div", null, h("h2", null, kind.title), h("p", { class: "by" }, kind.text)), create), place);
  return { panel, show };
}

/** @template {Credential} T @param {Kind<T>} kind @param {T[]} items @param {() => Promise<void>} show */
function rows(kind, items, show) {
  return h("ul", { class: "token-list", "aria-label": kind.list }, ...items.map((item) => {
    const facts = [...kind.facts(item), item.last_used_at ? `used ${ago(item.last_used_at)}` : "never used", item.expires_at ? `until ${day(item.expires_at)}` : ""].filter(Boolean);
    return h("li", null,
      h("div", { class: "names" },
        h("span", { class: "title-line" }, h("span", { class: "title" }, item.name), item.current && h("span", { class: "badge" }, kind.badge)),
        h("span", { class: "by" }, facts.join(" · "))),
      h("ul", { class: "chips", "aria-label": "May" }, ...item.permissions.map((word) => h("li", { class: word === "keys" ? "chip strong" : "chip" }, kind.may[word] ?? word))),
      h("div", { class: "row-actions" }, ...kind.actions(item, show)));
  }));
}

/** What stands where a list would be. @param {import("./icons.js").IconName} name @param {string} title @param {string | Node} text @param {HTMLElement} [action] */
export function note(name, title, text, action) {
  return h("div", { class: "panel-note" }, icon(name), h("div", null, h("h3", null, title), h("p", { class: "by" }, text)), action);
}

/** @param {() => Promise<void>} act */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    showError(error);
  }
}

/**
 * A button that ends something after a question.
 * @param {string} name @param {string} warning @param {() => Promise<void>} end
 */
export function revokeButton(name, warning, end) {
  const ask = async () => {
    if (!(await confirm(`Revoke “${name}”?`, warning, "Revoke"))) return;
    await end();
    showNotice(`“${name}” is revoked.`);
  };
  return button("Revoke", () => void attempt(ask), { kind: "danger", "aria-label": `Revoke ${name}` });
}

/** A button that gives something a new secret after a question. @param {string} name @param {() => Promise<void>} renew */
export function rotateButton(name, renew) {
  const ask = async () => {
    if (await confirm(`New secret for “${name}”?`, "The secret it has now ends at once. Whatever uses it needs the new one.", "Make a new secret")) await renew();
  };
  return button("New secret", () => void attempt(ask), { "aria-label": `New secret for ${name}` });
}
