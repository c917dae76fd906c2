// Dialogs: the browser's own element, which keeps the focus inside and returns it.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { button, iconButton } from "./controls.js";

/**
 * Shows a dialog and resolves when it is closed.
 * @param {string} title @param {(close: () => void) => (Node | string)[]} content
 * @param {{wide?: boolean}} [options]
 * @returns {Promise<void>}
 */
export function showDialog(title, content, { wide = false } = {}) {
  return new Promise((resolve) => {
    // The content may be a secret, so it is removed with the click and not with the later close
    // event.
    const close = () => { dialog.close(); dialog.remove(); };
    const release = catalog.hold();
    const heading = h("h2", { id: "dialog-title" }, title);
    const dialog = h("dialog", { class: wide ? "dialog wide" : "dialog", "aria-labelledby": "dialog-title" },
      h("header", null, heading, iconButton("close", "Close", close)), content(close));
    dialog.addEventListener("close", () => { dialog.remove(); release(); resolve(); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {string} title @param {string} text @param {string} action @returns {Promise<boolean>} */
export async function confirm(title, text, action) {
  let sure = false;
  await showDialog(title, (close) => [
    h("p", null, text),
    h("footer", null, button("Cancel", close), button(action, () => { sure = true; close(); }, { kind: "danger" })),
  ]);
  return sure;
}

/**
 * @typedef {{name: string, label: string, kind?: "text" | "area" | "check" | "choice",
 *   value?: string | boolean, hint?: string, choices?: [string, string][], required?: boolean,
 *   max?: number}} Field
 */

/**
 * Asks for the values of a few fields; null when the person cancelled.
 * @param {string} title @param {Field[]} fields @param {string} action
 * @returns {Promise<Record<string, string | boolean> | null>}
 */
export async function ask(title, fields, action) {
  /** @type {Record<string, string | boolean> | null} */
  let answer = null;
  await showDialog(title, (close) => {
    const form = h("form", { method: "dialog" }, ...fields.map((each, i) => field(each, i === 0)),
      h("footer", null, button("Cancel", close), h("button", { type: "submit", class: "button primary" }, action)));
    form.addEventListener("submit", () => {
      answer = {};
      for (const { name, kind } of fields) {
        const input = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
        answer[name] = kind === "check" ? input.checked : input.value.trim();
      }
    });
    return [form];
  });
  return answer;
}

/** @param {Field} field @param {boolean} first whether it gets the focus */
function field({ name, label, kind = "text", value, hint, choices = [], required = false, max = 200 }, first) {
  const hintId = hint ? `hint-${name}` : null;
  const shared = { name, id: `field-${name}`, "aria-describedby": hintId, required, autofocus: first };
  const hints = hint && h("small", { id: /** @type {string} */ (hintId) }, hint);
  if (kind === "check") {
    const box = h("input", { ...shared, type: "checkbox", checked: value === true });
    return h("label", { class: "check" }, box, h("span", null, label, hints));
  }
  const input = kind === "area" ? h("textarea", { ...shared, rows: 3, maxlength: max })
    : kind === "choice" ? h("select", shared, ...choices.map(([key, text]) => h("option", { value: key }, text)))
    : h("input", { ...shared, type: "text", maxlength: max, autocomplete: "off" });
  if (typeof value === "string") input.value = value;
  return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label), input, hints);
}
