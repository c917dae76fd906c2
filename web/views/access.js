// Keys and tokens: who may use this player and its catalog.

import { h } from "../core/dom.js";
import { get, post, remove } from "../core/http.js";
import { day } from "../core/format.js";
import { player } from "../core/player.js";
import { credentials, note, revokeButton, rotateButton } from "../parts/credentials.js";
import { ask } from "../parts/dialog.js";
import { icon } from "../parts/icons.js";
import { showSecret } from "../parts/secret.js";

/**
 * @typedef {import("../core/types.js").Token} Token
 * @typedef {import("../core/types.js").Key} Key
 */

const lifetimes = /** @type {[string, string][]} */ ([["", "never"], ["86400", "after a day"], ["2592000", "after 30 days"], ["31536000", "after a year"]]);

/** @param {import("../app.js").Visit} visit */
export async function access({ signal }) {
  const kinds = [credentials(tokens(), signal), credentials(keys(), signal)];
  const show = () => kinds.forEach((kind) => void kind.show());
  // An app fetches its token a moment after it was approved.
  player.addEventListener("pairing", () => { setTimeout(() => { if (!signal.aborted) show(); }, 1500); }, { signal });
  player.addEventListener("connection", () => { if (player.connection === "live") show(); }, { signal });
  addEventListener("focus", show, { signal });
  show();
  return h("div", { class: "view settings" },
    h("header", { class: "view-head" }, h("div", null, h("p", { class: "crumb" }, h("a", { href: "#/settings" }, "Settings")), h("h1", null, "Keys and tokens"))),
    ...kinds.map(({ panel }) => panel),
    h("section", { class: "panel", "aria-label": "Pairing" }, h("header", { class: "panel-head" }, h("span", { class: "panel-icon" }, icon("link")), h("div", null, h("h2", null, "Pairing"),
      h("p", { class: "by" }, "An app that asks to be paired appears on every screen of this page with its name and four digits. Approve it if it shows the same digits. In a terminal: ", h("code", null, "waxwing pair approve CODE"), ".")))));
}

/** @param {string} title @param {[string, string][]} choices @param {string} first */
async function asked(title, choices, first) {
  const answer = await ask(title, [
    { name: "name", label: "What is it for?", required: true, max: 64 },
    { name: "may", label: "It may", kind: "choice", choices, value: first },
    { name: "life", label: "It ends", kind: "choice", choices: lifetimes, value: "" },
  ], "Create");
  return answer && { name: String(answer.name), permissions: String(answer.may).split(" "), expires_in: answer.life ? Number(answer.life) : null };
}

/** @returns {import("../parts/credentials.js").Kind<Token>} */
function tokens() {
  return {
    title: "Tokens", icon: "speaker", list: "Tokens", badge: "this tab",
    text: "Each app and device that follows or steers this player has one of its own. Revoke it, and it is out within a second.",
    load: async (signal) => (await get("/tokens", signal)).tokens,
    may: { read: "sees", write: "steers", keys: "gives access" },
    facts: ({ origin }) => (origin ? [`pages of ${origin}`] : []),
    empty: { title: "No tokens", text: "Nobody has access to this player." },
    refused: () => note("lock", "This tab may not manage access", h("span", null, "Its token was made without the permission for it. Open this page with ", h("code", null, "waxwing open"), ", or use ", h("code", null, "waxwing token"), " in a terminal.")),
    create: {
      label: "New token",
      run: async (again) => {
        const wanted = await asked("New token", [["read", "see what plays"], ["read write", "see and steer"], ["write", "steer only"], ["read write keys", "see, steer and give others access"]], "read");
        if (!wanted) return;
        const { secret } = await post("/tokens", wanted);
        await again();
        await showSecret(`Token for “${wanted.name}”`, secret, "It goes into the header ", h("code", null, "Authorization: Bearer …"), " of each request to this address.");
      },
    },
    actions: (token, again) => [revokeButton(token.name, warning(token), async () => {
      await post("/tokens/revoke", { id: token.id });
      if (!token.current) await again();
    })],
  };
}

/** @param {Token} token */
function warning(token) {
  if (token.current) return "This very tab loses its access. You come back with waxwing open.";
  return token.name === "owner" ? "The commands in the terminal use this one; they get a new one when the player starts again." : `${token.name} loses its access at once.`;
}

/** @returns {import("../parts/credentials.js").Kind<Key>} */
function keys() {
  return {
    title: "Catalog keys", icon: "key", list: "Catalog keys", badge: "this player",
    text: "Programs that read the music catalog itself, and other players, have a key. Apps that use this player need none.",
    load: async (signal) => (await get("/api/keys", signal)).keys,
    may: { read: "reads", write: "playlists and plays", keys: "makes keys" },
    facts: ({ rotated_at: at }) => (at ? [`renewed ${day(at)}`] : []),
    empty: { title: "No keys yet", text: "Make one for a program that reads the catalog." },
    refused: () => player.canManage
      ? note("lock", "This player’s key may not manage keys", h("span", null, "The catalog gave it no such permission. Use ", h("code", null, "waxwing key"), " where the catalog runs, or give the player a key made with ", h("code", null, "--permission keys"), "."))
      : note("lock", "This tab may not manage keys", h("span", null, "Its token was made without the permission for it. Open this page with ", h("code", null, "waxwing open"), ", or use ", h("code", null, "waxwing key"), " in a terminal.")),
    create: {
      label: "New key",
      run: async (again) => {
        const wanted = await asked("New catalog key", [["read", "read the catalog"], ["read write", "read, edit playlists, report plays"], ["read write keys", "all that, and manage keys"]], "read");
        if (!wanted) return;
        const { secret } = await post("/api/keys", wanted);
        await again();
        await showKey(wanted.name, secret);
      },
    },
    actions: (key, again) => [
      !key.current && rotateButton(key.name, async () => {
        const { secret } = await post(`/api/keys/${encodeURIComponent(key.id)}/rotate`);
        await again();
        await showKey(key.name, secret);
      }),
      !key.current && revokeButton(key.name, `${key.name} loses its access to the catalog at once.`, async () => {
        await remove(`/api/keys/${encodeURIComponent(key.id)}`);
        await again();
      }),
    ],
  };
}

/** @param {string} name @param {string} secret */
function showKey(name, secret) {
  return showSecret(`Key for “${name}”`, secret, "It goes into the header ", h("code", null, "x-api-key"), " of each request to the catalog, never into an address.");
}
