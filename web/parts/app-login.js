// The dialog that shows the login of an app, once.

import { h } from "../core/dom.js";
import { showError } from "../core/notices.js";
import { button } from "./controls.js";
import { showDialog } from "./dialog.js";
import { qrCode } from "./qr-code.js";

/**
 * @param {import("../core/types.js").KeyWithSecret} created
 * @param {import("../core/types.js").AppAddress} address
 * @returns {Promise<void>} when the dialog is closed
 */
export function showLogin({ key, secret, link }, address) {
  const status = h("p", { class: "by", role: "status" });
  const qr = !link ? "" : h("figure", { class: "qr" }, qrCode(link.qr, "QR code of the login"),
    h("figcaption", { class: "by" },
      "Scan it with the phone or tablet: a page opens there with the same fields, to copy into the app."));
  return showDialog(`Login of “${key.name}”`, (close) => [
    h("p", null, "Enter this in the app, as a server of the type Subsonic. ",
      h("strong", null, "The password is shown only once.")),
    h("dl", { class: "login" },
      address.url ? value("Address", address.url, status)
        : [h("dt", null, "Address"), h("dd", { class: "by" }, address.advice)],
      value("User name", key.owner.username, status), value("Password or API key", secret, status)),
    status, qr, h("footer", null, button("Done", close, { kind: "primary", autofocus: true })),
  ], { wide: Boolean(qr) });
}

/** @param {string} label @param {string} text @param {HTMLElement} status */
function value(label, text, status) {
  const shown = h("code", { class: "secret", tabindex: 0, "aria-label": label }, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = `${label}: copied.`;
    } catch {
      getSelection()?.selectAllChildren(shown);
      showError("The browser does not allow copying. The text is selected: copy it with the keyboard.");
    }
  };
  return [h("dt", null, label), h("dd", null, shown,
    button("Copy", () => void copy(), { icon: "copy", "aria-label": `Copy: ${label}` }))];
}
