// How this device behaves, and where everything else is.

import { h } from "../core/dom.js";
import { server } from "../core/http.js";
import { singleKeySetting } from "../core/keyboard.js";
import { mediaKeySetting } from "../core/media-session.js";
import { forget } from "../core/token.js";
import { button } from "../parts/controls.js";
import { showHelp } from "../parts/help.js";
import { icon } from "../parts/icons.js";

export async function settings() {
  return h("div", { class: "view settings" }, h("h1", null, "Settings"),
    h("ul", { class: "doors" },
      linkRow("#/settings/access", "key", "Keys and tokens", "Who may use this player and its catalog: see, give, revoke"),
      linkRow("/overlay/new", "note", "Overlay for streaming software", "A now-playing card for OBS and others"),
      linkRow("/docs", "link", "API documentation", "Everything this page does, for programs")),
    section("This device", "",
      switchRow("media-keys", "Media keys and lock screen", "Lets this device's media keys steer the player. The browser plays silence meanwhile.", mediaKeySetting),
      switchRow("single-keys", "Single-key shortcuts", "Keys like m, s and / act without Ctrl or Alt. Turn them off if they get in the way.", singleKeySetting),
      h("div", { class: "actions" }, button("Keyboard", () => void showHelp(), { icon: "help" }), button("Forget the token of this tab", () => { forget(); location.reload(); }, { icon: "lock" }))),
    h("p", { class: "by version" }, `Waxwing ${server.version}`));
}

/** A way to another screen. @param {string} href @param {import("../parts/icons.js").IconName} name @param {string} title @param {string} text */
function linkRow(href, name, title, text) {
  return h("li", null, h("a", { href }, h("span", { class: "panel-icon" }, icon(name)), h("span", { class: "door-text" }, title, h("small", null, text)), icon("right")));
}

/** A wish that this device remembers. @param {string} id @param {string} title @param {string} text @param {{wanted: boolean}} wish */
function switchRow(id, title, text, wish) {
  const input = h("input", { type: "checkbox", id, role: "switch", checked: wish.wanted });
  input.addEventListener("change", () => { wish.wanted = input.checked; });
  return h("label", { class: "switch-row", for: id }, h("span", null, title, h("small", null, text)), input);
}

/** @param {string} title @param {string} text @param {...(Node | false | null)} content */
function section(title, text, ...content) {
  return h("section", { class: "panel" }, h("h2", null, title), text && h("p", { class: "by" }, text), ...content);
}
