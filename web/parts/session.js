// The access of this page: the login of this device or the token from the address, and the page for
// a visitor without a valid one.

import { fill } from "../core/dom.js";
import { player } from "../core/player.js";
import { claim } from "../core/login.js";
import { registerWorker } from "../core/offline.js";
import { isCatalogPage } from "../core/server.js";
import { deviceToken, isDeviceLogin, readTokenFromAddress, removeToken, token } from "../core/token.js";
import { welcome } from "../views/welcome.js";
import { startCatalogSession } from "./catalog-session.js";

/** @returns {Promise<boolean>} whether the tab has a token */
export async function startSession() {
  // Opening a link with a token in the same tab changes only the fragment.
  addEventListener("hashchange", () => { if (/^#(token|claim)=/.test(location.hash)) location.reload(); });
  registerWorker(isCatalogPage ? "?catalog" : "");
  for (const name of ["permissions", "output"]) player.addEventListener(name, showPermissions);
  if (isCatalogPage) return startCatalogSession();
  const { claim: id, tabOnly } = readTokenFromAddress();
  const claimed = id && await claim(id, { tabOnly }).catch(() => false);
  if (!token() || (id && !claimed && !isDeviceLogin())) {
    showWelcome(id ? "This link has been used already, or has expired." : undefined);
    return false;
  }
  const used = token();
  addEventListener("storage", () => { if (token() !== used) location.reload(); }); // another tab logged in or out
  player.addEventListener("connection", () => {
    if (player.connection !== "denied") return;
    if (isDeviceLogin()) {
      // It stays stored: another player may use this address for a while.
      showWelcome("This device is not signed in any more. Sign in again:");
      return;
    }
    removeToken();
    if (deviceToken()) location.reload();
    else showWelcome(player.denial?.status === 403
      ? "This token has no permission to read. Open the page with another one."
      : "The token of this tab is not valid. Get a new one:");
  });
  return true;
}

function showPermissions() {
  document.documentElement.classList.toggle("read-only", !player.canControl);
  document.documentElement.classList.toggle("no-edits", !player.canWrite);
}

/** Replaces the whole page. @param {string} [reason] why the token of this tab is not accepted */
function showWelcome(reason) {
  document.documentElement.classList.remove("read-only", "no-edits");
  document.body.className = "no-access";
  document.title = "Waxwing";
  fill(document.body, welcome(reason));
}
