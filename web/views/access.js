// Keys and tokens: access to this player and its catalog.

import { h } from "../core/dom.js";
import { get, post, remove } from "../core/http.js";
import { day, days } from "../core/format.js";
import { player } from "../core/player.js";
import { isCatalogPage } from "../core/server.js";
import { isDeviceLogin } from "../core/token.js";
import { credentials, note, revokeButton, rotateButton } from "../parts/credentials.js";
import { ask } from "../parts/dialog.js";
import { icon } from "../parts/icons.js";
import { showSecret } from "../parts/secret.js";

/**
 * @typedef {import("../core/types.js").Token} Token
 * @typedef {import("../core/types.js").Key} Key
 */

/** @type {[string, string][]} */
const lifetimes = [["", "never"], ["86400", "after a day"], ["2592000", "after 30 days"], ["31536000", "after a year"]];

const claimDelay = 1500; // an app fetches its token shortly after the approval

/** @param {import("../parts/screen.js").Visit} visit */
export async function access({ signal }) {
  const kinds = [!isCatalogPage && credentials(tokens(), signal), credentials(keys(), signal)].filter((kind) => !!kind);
  const reload = () => kinds.forEach((kind) => void kind.reload());
  player.addEventListener("pairing", () => {
    setTimeout(() => { if (!signal.aborted) reload(); }, claimDelay);
  }, { signal });
  player.addEventListener("connection", () => { if (player.connection === "online") reload(); }, { signal });
  addEventListener("focus", reload, { signal });
  reload();
  const title = h("div", null, h("p", { class: "crumb" }, h("a", { href: "#/settings" }, "Settings")),
    h("h1", null, isCatalogPage ? "Keys" : "Keys and tokens"));
  return h("div", { class: "view settings" },
    h("header", { class: "view-head" }, title), ...kinds.map(({ panel }) => panel), !isCatalogPage && pairingPanel());
}

function pairingPanel() {
  const text = "An app that requests access appears on every screen of this page with its name and a four-digit code. "
    + "Approve it if it shows the same code. In a terminal: ";
  return h("section", { class: "panel", "aria-label": "Pairing" }, h("header", { class: "panel-head" },
    h("span", { class: "panel-icon" }, icon("link")), h("div", null, h("h2", null, "Pairing"),
      h("p", { class: "by" }, text, h("code", null, "waxwing pair approve CODE"), "."))));
}

/**
 * @param {string} title @param {[string, string][]} choices of permissions @param {string} initial
 * @param {boolean} expiresIdle
 */
async function askForDetails(title, choices, initial, expiresIdle) {
  const answer = await ask(title, [
    { name: "name", label: "What is it for?", required: true, max: 64 },
    { name: "permissions", label: "It may", kind: "choice", choices, value: initial },
    { name: "lifetime", label: "It expires", kind: "choice", choices: possibleLifetimes(expiresIdle), value: "" },
  ], "Create");
  if (!answer) return null;
  return {
    name: String(answer.name), permissions: String(answer.permissions).split(" "),
    expires_in: answer.lifetime ? Number(answer.lifetime) : null,
  };
}

/**
 * What this tab may create: nothing expires later than its own token.
 * @param {boolean} expiresIdle whether it can expire by not being used, as a token can
 * @returns {[string, string][]}
 */
function possibleLifetimes(expiresIdle) {
  const ends = player.accessEnds;
  const idle = player.accessIdle;
  if (!ends && idle) {
    const longest = `after ${days(idle)}${expiresIdle ? " without use" : ""}`;
    const allowed = (/** @type {string} */ seconds) => seconds !== "" && (expiresIdle || Number(seconds) < idle);
    return [["", longest], ...lifetimes.filter(([seconds]) => allowed(seconds))];
  }
  if (!ends) return lifetimes;
  const left = (Date.parse(ends) - Date.now()) / 1000;
  return [["", `with the access of this tab, on ${day(ends)}`],
    ...lifetimes.filter(([seconds]) => seconds !== "" && Number(seconds) < left)];
}

/** @param {string} command that manages the same in a terminal */
function missingPermission(command) {
  if (isCatalogPage) {
    return h("span", null, "It does not have the permission “keys”. Use ", h("code", null, command), " in a terminal.");
  }
  return h("span", null, "Its token does not have the permission “keys”. Open this page with ",
    h("code", null, "waxwing open"), ", or use ", h("code", null, command), " in a terminal.");
}

/** @returns {import("../parts/credentials.js").Kind<Token>} */
function tokens() {
  /** @type {[string, string][]} */
  const choices = [
    ["read", "see what is playing"], ["read write", "see and control playback"], ["write", "control playback only"],
    ["read write keys", "see, control and manage access"],
  ];
  return {
    title: "Devices and tokens", icon: "speaker", list: "Tokens", badge: isDeviceLogin() ? "this device" : "this tab",
    text: "Each app and device that uses this player has a token. A revoked token stops working within a second.",
    load: async (signal) => byUse((await get("/tokens", signal)).tokens),
    permissionNames: { read: "read", write: "control", keys: "manage access", streams: "play URLs" },
    facts: ({ origin, idle_expires_in: idle }) =>
      [origin ? `pages of ${origin}` : "", idle ? `ends after ${days(idle)} without use` : ""].filter(Boolean),
    empty: { title: "No tokens", text: "Nobody has access to this player." },
    forbidden: () => note("lock", `${here()} may not manage access`, missingPermission("waxwing token")),
    create: {
      label: "New token",
      run: async (reload) => {
        const details = await askForDetails("New token", choices, "read", true);
        if (!details) return;
        const { secret } = await post("/tokens", details);
        await reload();
        await showSecret(`Token for “${details.name}”`, secret,
          "Send it in the header ", h("code", null, "Authorization: Bearer …"), " of each request to this address.");
      },
    },
    actions: (token, reload) => [revokeButton(token.name, revokeWarning(token), async () => {
      await post("/tokens/revoke", { id: token.id });
      if (!token.current) await reload();
    })],
  };
}

/** The token in use first, then the last used. @param {Token[]} tokens */
function byUse(tokens) {
  const rank = (/** @type {Token} */ { current, last_used_at: used }) => (current ? "~" : used ?? "");
  return tokens.toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1));
}

function here() {
  return isDeviceLogin() ? "This device" : "This tab";
}

/** @param {Token} token */
function revokeWarning(token) {
  if (token.current) return `${here()} loses its access. To return, run waxwing open.`;
  if (token.name === "owner") {
    return "The commands in the terminal use this token. The player creates a new one when it starts.";
  }
  return `${token.name} loses its access at once.`;
}

/** @returns {import("../parts/credentials.js").Kind<Key>} */
function keys() {
  /** @type {[string, string][]} */
  const choices = [
    ["read", "read the catalog"], ["read write", "read, edit playlists, report plays"],
    ["read write keys", "all that, and manage keys"],
  ];
  return {
    title: "Catalog keys", icon: "key", list: "Catalog keys", badge: isCatalogPage ? "this page" : "this player",
    text: "Programs that read the catalog directly, and other players, have a key. Apps of this player need none.",
    load: async (signal) => (await get("/api/keys", signal)).keys.filter((/** @type {Key} */ key) => !key.app),
    permissionNames: { read: "read", write: "playlists and plays", keys: "manage keys" },
    facts: ({ rotated_at: at }) => (at ? [`new secret ${day(at)}`] : []),
    empty: { title: "No keys yet", text: "Create one for a program that reads the catalog." },
    forbidden: keysForbidden,
    create: {
      label: "New key",
      run: async (reload) => {
        const details = await askForDetails("New catalog key", choices, "read", false);
        if (!details) return;
        const { secret } = await post("/api/keys", details);
        await reload();
        await showKey(details.name, secret);
      },
    },
    actions: (key, reload) => [
      !key.current && rotateButton(key.name, async () => {
        const { secret } = await post(`/api/keys/${encodeURIComponent(key.id)}/rotate`);
        await reload();
        await showKey(key.name, secret);
      }),
      !key.current && revokeButton(key.name, `${key.name} loses its access to the catalog at once.`, async () => {
        await remove(`/api/keys/${encodeURIComponent(key.id)}`);
        await reload();
      }),
    ],
  };
}

/** What stands in place of a list of keys that this tab may not see. */
export function keysForbidden() {
  if (isCatalogPage) return note("lock", "Your key may not manage keys", missingPermission("waxwing key"));
  if (!player.canManageAccess) return note("lock", `${here()} may not manage keys`, missingPermission("waxwing key"));
  return note("lock", "This player’s key may not manage keys", h("span", null,
    "The catalog did not give it this permission. Use ", h("code", null, "waxwing key"),
    " where the catalog runs, or give the player a key that was created with ",
    h("code", null, "--permission keys"), "."));
}

/** @param {string} name @param {string} secret */
function showKey(name, secret) {
  return showSecret(`Key for “${name}”`, secret,
    "Send it in the header ", h("code", null, "x-api-key"), " of each request to the catalog, never in an address.");
}
