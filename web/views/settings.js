// The settings of this device, and links to other pages.

import { h } from "../core/dom.js";
import { server } from "../core/http.js";
import { singleKeySetting } from "../core/keyboard.js";
import { mediaKeySetting } from "../core/media-session.js";
import { logOut, signInDevice } from "../core/login.js";
import { showError } from "../core/notices.js";
import { player } from "../core/player.js";
import { isCatalogPage } from "../core/server.js";
import { isDeviceLogin, removeToken } from "../core/token.js";
import { button } from "../parts/controls.js";
import { showHelp } from "../parts/help.js";
import { icon } from "../parts/icons.js";
import { appearancePanel } from "../parts/appearance-panel.js";
import { musicPanel } from "../parts/music-panel.js";
import { showPhone } from "../parts/phone.js";

export async function settings() {
  const device = isDeviceLogin();
  const signOut = async () => { await (isCatalogPage ? removeToken() : logOut()); location.reload(); };
  const stay = async () => { await signInDevice(); location.reload(); };
  return h("div", { class: "view settings" }, h("h1", null, "Settings"),
    h("ul", { class: "link-rows" },
      linkRow("#/settings/apps", "phone", "Connect an app", "Your music in apps for phone, car and computer"),
      linkRow("#/settings/access", "key", isCatalogPage ? "Keys" : "Keys and tokens",
        `Grant and revoke access to this ${isCatalogPage ? "catalog" : "player and its catalog"}`),
      !isCatalogPage
        && linkRow("/overlay/new", "note", "Overlay for streaming software", "A now-playing card for OBS and others"),
      linkRow("/docs", "link", "API documentation", "Everything this page does, for programs")),
    musicPanel(), appearancePanel(),
    h("section", { class: "panel" }, h("h2", null, "This device"),
      !isCatalogPage && switchRow("media-keys", "Media keys and lock screen",
        "Media keys of this device control the player. The browser plays silence meanwhile.", mediaKeySetting),
      switchRow("single-keys", "Single-key shortcuts",
        "Keys like m, s and / act without Ctrl or Alt. Turn them off if they get in the way.", singleKeySetting),
      h("div", { class: "actions" },
        !isCatalogPage && player.canManageAccess &&
          button("Use your phone", () => void showPhone(), { icon: "link" }),
        button("Keyboard", () => void showHelp(), { icon: "help" }),
        !device && !isCatalogPage && player.canManageAccess &&
          button("Stay signed in on this device", () => void stay().catch(showError), { icon: "key" }),
        button(signOutLabel(device), () => void signOut(), { icon: "lock" })),
      !isCatalogPage && h("p", { class: "by" }, device
        ? "This device is signed in, in every tab. The login ends when it is not used for 30 days."
        : "Only this tab has access.")),
    h("p", { class: "by version" }, `Waxwing ${server.version}`));
}

/** @param {boolean} device whether the login is that of the device */
function signOutLabel(device) {
  if (isCatalogPage) return "Forget the key";
  return device ? "Log out" : "Forget the token of this tab";
}

/**
 * @param {string} href @param {import("../parts/icons.js").IconName} name @param {string} title
 * @param {string} text
 */
function linkRow(href, name, title, text) {
  const label = h("span", { class: "link-text" }, title, h("small", null, text));
  return h("li", null, h("a", { href }, h("span", { class: "panel-icon" }, icon(name)), label, icon("right")));
}

/**
 * @param {string} id @param {string} title @param {string} text
 * @param {{enabled: boolean}} setting stored by this device
 */
function switchRow(id, title, text, setting) {
  const input = h("input", { type: "checkbox", id, role: "switch", checked: setting.enabled });
  input.addEventListener("change", () => { setting.enabled = input.checked; });
  return h("label", { class: "switch-row", for: id }, h("span", null, title, h("small", null, text)), input);
}
