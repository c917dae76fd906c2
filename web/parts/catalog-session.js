// The access of a page that a catalog sent: the key that the person enters.

import { fill } from "../core/dom.js";
import { player } from "../core/player.js";
import { removeToken, token } from "../core/token.js";
import { keyForm } from "../views/key-form.js";

/** @returns {boolean} whether the page has a key */
export function startCatalogSession() {
  if (!token()) {
    showForm();
    return false;
  }
  player.addEventListener("connection", () => {
    if (player.connection !== "denied") return;
    removeToken();
    showForm(player.denial?.status === 403
      ? "This key has no permission to read. Enter another one."
      : "This key is not valid. Enter another one.");
  });
  return true;
}

/** Replaces the whole page. @param {string} [reason] why the key is not accepted */
function showForm(reason) {
  document.documentElement.classList.remove("read-only", "no-edits");
  document.body.className = "no-access";
  document.title = "Waxwing";
  fill(document.body, keyForm(reason));
}
