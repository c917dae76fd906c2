// The dialog with a QR code that signs in a phone.

import { h, fill, setText } from "../core/dom.js";
import { get, post } from "../core/http.js";
import { button } from "./controls.js";
import { showDialog } from "./dialog.js";
import { qrCode } from "./qr-code.js";

/**
 * @typedef {{link: string, address: string, request: string, expires_at: string,
 *   qr: string[]}} Invitation
 */

/** @returns {Promise<void>} when the dialog is closed */
export function showPhone() {
  const content = h("div", { class: "phone" }, h("p", { class: "by" }, "Creating a code…"));
  void invite(content);
  return showDialog("Use your phone", (close) => [content, h("footer", null, button("Done", close))]);
}

/** Shows a code until a phone has used it. @param {HTMLElement} content */
async function invite(content) {
  try {
    const invitation = /** @type {Invitation} */ (await post("/pair/phone"));
    const state = h("p", { class: "by", role: "status" }, "Waiting for the phone…");
    fill(content,
      h("p", null, "Scan this code with the camera of the phone. It must be in the same network."),
      qrCode(invitation.qr, "QR code with the link for the phone"),
      h("p", { class: "by" }, "The code works once and signs in the phone at ", h("code", null, invitation.address),
        ". Do not show it to others."), state);
    while (content.isConnected && Date.now() < Date.parse(invitation.expires_at)) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { claimed } = await get(`/pair/invite/${invitation.request}`).catch(() => ({ claimed: false }));
      if (claimed) return setText(state, "The phone is signed in.");
    }
    if (content.isConnected) fill(content, h("p", null, "No phone has used the code."), again(content));
  } catch (error) {
    const text = error instanceof Error ? error.message : "An unexpected error occurred.";
    fill(content, h("p", null, text), again(content));
  }
}

/** @param {HTMLElement} content */
function again(content) {
  return button("Try again", () => void invite(content), { kind: "primary" });
}
