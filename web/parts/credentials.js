// A panel that lists the tokens or the keys, creates new ones and revokes them.

import { h, fill } from "../core/dom.js";
import { ago, day } from "../core/format.js";
import { ResponseError } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { button } from "./controls.js";
import { confirm } from "./dialog.js";
import { icon } from "./icons.js";

/**
 * @typedef {{id: string, name: string, permissions: string[], expires_at: string | null,
 *   last_used_at: string | null, current: boolean}} Credential
 */

/**
 * @template {Credential} T
 * @typedef {{ title: string, text: string, icon: import("./icons.js").IconName, list: string,
 *   badge: string, load: (signal: AbortSignal) => Promise<T[]>, create: {label: string, run:
 *   (reload: () => Promise<void>) => Promise<void>}, permissionNames: Record<string, string>,
 *   facts: (item: T) => string[], actions: (item: T, reload: () => Promise<void>) => (HTMLElement |
 *   false)[], empty: {title: string, text: string}, forbidden: () => HTMLElement,
 * }} Kind badge: marks the credential in use; forbidden: shown if this tab may not list them
 */

/**
 * @template {Credential} T
 * @param {Kind<T>} kind @param {AbortSignal} signal
 * @returns {{panel: HTMLElement, reload: () => Promise<void>}}
 */
export function credentials(kind, signal) {
  const ghost = () => h("div", { class: "ghost row" });
  const content = h("div", { class: "credentials" },
    h("div", { class: "loading rows", role: "status", "aria-label": `Loading ${kind.list}` }, ghost(), ghost()));
  const create = button(kind.create.label, () => void reportErrors(() => kind.create.run(reload)),
    { kind: "primary", icon: "plus", hidden: true });
  const reload = async () => {
    try {
      const items = await kind.load(signal);
      create.hidden = false;
      fill(content, items.length > 0 ? rows(kind, items, reload) : note("key", kind.empty.title, kind.empty.text));
    } catch (error) {
      if (signal.aborted) return;
      create.hidden = true;
      if (error instanceof ResponseError && error.status === 403) fill(content, kind.forbidden());
      else fill(content, loadFailure(error, () => void reload()));
    }
  };
  const panel = h("section", { class: "panel", "aria-label": kind.title },
    h("header", { class: "panel-head" }, h("span", { class: "panel-icon" }, icon(kind.icon)),
      h("div", null, h("h2", null, kind.title), h("p", { class: "by" }, kind.text)), create), content);
  return { panel, reload };
}

/**
 * @template {Credential} T
 * @param {Kind<T>} kind @param {T[]} items @param {() => Promise<void>} reload
 */
function rows(kind, items, reload) {
  return h("ul", { class: "token-list", "aria-label": kind.list }, ...items.map((item) => {
    const used = item.last_used_at ? `used ${ago(item.last_used_at)}` : "never used";
    const facts = [...kind.facts(item), used, item.expires_at ? `until ${day(item.expires_at)}` : ""].filter(Boolean);
    const chip = (/** @type {string} */ name) =>
      h("li", { class: name === "keys" ? "chip strong" : "chip" }, kind.permissionNames[name] ?? name);
    return h("li", null,
      h("div", { class: "names" },
        h("span", { class: "title-line" }, h("span", { class: "title" }, item.name),
          item.current && h("span", { class: "badge" }, kind.badge)),
        h("span", { class: "by" }, facts.join(" · "))),
      h("ul", { class: "chips", "aria-label": "Permissions" }, ...item.permissions.map(chip)),
      h("div", { class: "row-actions" }, ...kind.actions(item, reload)));
  }));
}

/**
 * Text in place of a list.
 * @param {import("./icons.js").IconName} name @param {string} title @param {string | Node} text
 * @param {HTMLElement} [action]
 */
export function note(name, title, text, action) {
  const words = h("div", null, h("h3", null, title), h("p", { class: "by" }, text));
  return h("div", { class: "panel-note" }, icon(name), words, action);
}

/** @param {unknown} error @param {() => void} retry */
function loadFailure(error, retry) {
  const text = error instanceof Error ? error.message : "An unexpected error occurred.";
  return note("offline", "The list cannot be loaded", text, button("Try again", retry));
}

/** @param {() => Promise<void>} act */
async function reportErrors(act) {
  try {
    await act();
  } catch (error) {
    showError(error);
  }
}

/**
 * A button that revokes after a confirmation.
 * @param {string} name @param {string} warning @param {() => Promise<void>} revoke
 */
export function revokeButton(name, warning, revoke) {
  const run = async () => {
    if (!(await confirm(`Revoke “${name}”?`, warning, "Revoke"))) return;
    await revoke();
    showNotice(`“${name}” is revoked.`);
  };
  return button("Revoke", () => void reportErrors(run), { kind: "danger", "aria-label": `Revoke ${name}` });
}

/**
 * A button that creates a new secret after a confirmation.
 * @param {string} name @param {() => Promise<void>} rotate
 */
export function rotateButton(name, rotate) {
  const warning = "The current secret becomes invalid at once. Every program that uses it needs the new one.";
  const run = async () => {
    if (await confirm(`New secret for “${name}”?`, warning, "Create a new secret")) await rotate();
  };
  return button("New secret", () => void reportErrors(run), { "aria-label": `New secret for ${name}` });
}
