// The dialog that shows a new secret, once.

import { h } from "../core/dom.js";
import { showError } from "../core/notices.js";
import { button } from "./controls.js";
import { showDialog } from "./dialog.js";

/**
 * @param {string} title @param {string} secret @param {...(Node | string)} use how it is used
 * @returns {Promise<void>} when the dialog is closed
 */
export function showSecret(title, secret, ...use) {
  const shown = h("code", { class: "secret", tabindex: 0, "aria-label": "Secret" }, secret);
  const copy = button("Copy", () => void copySecret(), { kind: "primary", icon: "copy", autofocus: true });
  const copied = h("p", { class: "by", role: "status" });
  const copySecret = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      copied.textContent = "Copied. Paste it now; it cannot be shown again.";
    } catch {
      getSelection()?.selectAllChildren(shown);
      showError("The browser does not allow copying. The secret is selected: copy it with the keyboard.");
    }
  };
  return showDialog(title, (close) => [
    h("p", null, "Save it now. ", h("strong", null, "It is shown only once.")), shown,
    h("p", { class: "by" }, ...use), copied,
    h("footer", null, button("Done", close), copy),
  ]);
}
