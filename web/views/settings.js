// Who may use this player, how this device behaves, and what else there is.

import { h, fill } from "../core/dom.js";
import { get, post, server } from "../core/http.js";
import { ago, day } from "../core/format.js";
import { complain, tell } from "../core/notices.js";
import { mediaKeys } from "../core/media-session.js";
import { player } from "../core/player.js";
import { forget } from "../core/token.js";
import { button } from "../parts/controls.js";
import { ask, confirm, showDialog } from "../parts/dialog.js";
import { showHelp } from "../parts/help.js";

/** @typedef {import("../core/types.js").Token} Token */

/** @param {import("../app.js").Visit} visit */
export async function settings({ signal }) {
  const tokens = h("div", { class: "tokens" });
  const show = async () => {
    try {
      fill(tokens, tokenTable((await get("/tokens", signal)).tokens, show));
    } catch (error) {
      if (!signal.aborted) fill(tokens, h("p", { class: "by" }, error instanceof Error ? error.message : "The tokens cannot be shown."));
    }
  };
  if (player.canWrite) await show();
  else fill(tokens, h("p", { class: "by" }, "This tab holds a read-only token, which cannot see other tokens."));
  player.addEventListener("pairing", () => { if (player.canWrite) void show(); }, { signal });
  const keys = h("input", { type: "checkbox", id: "media-keys", role: "switch", checked: mediaKeys.wanted });
  keys.addEventListener("change", () => { mediaKeys.wanted = keys.checked; });
  return h("div", { class: "view settings" }, h("h1", null, "Settings"),
    section("Access", "Every app and device that reads or steers this player has a token of its own. Revoke one, and it is out within a second.",
      tokens, player.canWrite && h("div", { class: "actions" }, button("New token", () => void create(show), { kind: "primary", icon: "key" }))),
    section("Pairing", "When an app asks to be paired, its name and a four-digit code appear here on every screen. Approve it only if the app shows the same code. In a terminal: waxwing pair approve CODE."),
    section("This device", "",
      h("label", { class: "switch-row", for: "media-keys" }, h("span", null, "Media keys and lock screen", h("small", null, "Lets this device's media keys steer the player. The browser plays silence meanwhile.")), keys),
      h("div", { class: "actions" }, button("Keyboard", () => void showHelp(), { icon: "help" }), button("Forget the token of this tab", () => { forget(); location.reload(); }, { icon: "lock" }))),
    section("More", "",
      h("ul", { class: "more-links" },
        h("li", null, h("a", { href: "/overlay/new" }, "Overlay for streaming software"), h("small", null, "A now-playing card for OBS and others")),
        h("li", null, h("a", { href: "/docs" }, "API documentation"), h("small", null, "Everything this page does, for programs"))),
      h("p", { class: "by" }, `Waxwing ${server.version}`)));
}

/** @param {string} title @param {string} text @param {...(Node | false | null)} content */
function section(title, text, ...content) {
  return h("section", { class: "panel" }, h("h2", null, title), text && h("p", { class: "by" }, text), ...content);
}

/** @param {Token[]} tokens @param {() => Promise<void>} show */
function tokenTable(tokens, show) {
  return h("ul", { class: "token-list", "aria-label": "Tokens" }, ...tokens.map((token) => {
    const what = token.permissions.length === 2 ? "reads and steers" : token.permissions[0] === "read" ? "reads" : "steers";
    const facts = [what, token.origin, `used ${ago(token.last_used_at)}`, token.expires_at ? `until ${day(token.expires_at)}` : ""].filter(Boolean).join(" · ");
    return h("li", null, h("div", { class: "names" }, h("span", { class: "title" }, token.name, token.current && h("span", { class: "badge" }, "this tab")), h("span", { class: "by" }, facts)),
      button("Revoke", () => void revoke(token, show), { "aria-label": `Revoke ${token.name}` }));
  }));
}

/** @param {Token} token @param {() => Promise<void>} show */
async function revoke(token, show) {
  const text = token.current ? "This very tab loses its access. You come back with waxwing open." : token.name === "owner" ? "The commands in the terminal use this one; they get a new one when the player starts again." : `${token.name} loses its access at once.`;
  if (!(await confirm(`Revoke “${token.name}”?`, text, "Revoke"))) return;
  try {
    await post("/tokens/revoke", { id: token.id });
    tell(`“${token.name}” is revoked.`);
    if (!token.current) await show();
  } catch (error) {
    complain(error);
  }
}

const lifetimes = /** @type {[string, string][]} */ ([["", "does not expire"], ["86400", "a day"], ["2592000", "30 days"], ["31536000", "a year"]]);

/** @param {() => Promise<void>} show */
async function create(show) {
  const answer = await ask("New token", [
    { name: "name", label: "What is it for?", required: true, max: 64 },
    { name: "may", label: "It may", kind: "choice", choices: [["read", "see what plays"], ["read write", "see and control"], ["write", "control only"]], value: "read" },
    { name: "life", label: "It lives for", kind: "choice", choices: lifetimes, value: "" },
  ], "Create");
  if (!answer) return;
  try {
    const { secret } = await post("/tokens", { name: answer.name, permissions: String(answer.may).split(" "), expires_in: answer.life ? Number(answer.life) : null });
    await show();
    await showSecret(String(answer.name), secret);
  } catch (error) {
    complain(error);
  }
}

/** @param {string} name @param {string} secret */
function showSecret(name, secret) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      tell("Copied.");
    } catch {
      complain("The browser does not allow copying; select the token and copy it by hand.");
    }
  };
  return showDialog(`Token for “${name}”`, (close) => [
    h("p", null, "Keep it now. It is shown this once."),
    h("code", { class: "secret", tabindex: 0 }, secret),
    h("footer", null, button("Copy", () => void copy(), { icon: "link" }), button("Done", close, { kind: "primary" })),
  ]);
}
