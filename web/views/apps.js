// Connect an app: the address for apps that speak the Subsonic API, and a key for each of them.

import { fill, h } from "../core/dom.js";
import { get, post, remove } from "../core/http.js";
import { player } from "../core/player.js";
import { showLogin } from "../parts/app-login.js";
import { credentials, note, revokeButton, rotateButton } from "../parts/credentials.js";
import { ask } from "../parts/dialog.js";
import { icon } from "../parts/icons.js";
import { keysForbidden } from "./access.js";

/**
 * @typedef {import("../core/types.js").Key} Key
 * @typedef {import("../core/types.js").AppAddress} AppAddress
 */

/** @param {import("../parts/screen.js").Visit} visit */
export async function apps({ signal }) {
  const place = h("div", { class: "app-address" });
  const { panel, reload } = credentials(appKeys((address) => showAddress(place, address)), signal);
  player.addEventListener("connection", () => { if (player.connection === "online") void reload(); }, { signal });
  addEventListener("focus", () => void reload(), { signal });
  void reload();
  return h("div", { class: "view settings" },
    h("header", { class: "view-head" }, h("div", null,
      h("p", { class: "crumb" }, h("a", { href: "#/settings" }, "Settings")), h("h1", null, "Connect an app"))),
    h("section", { class: "panel", "aria-label": "Address" }, h("header", { class: "panel-head" },
      h("span", { class: "panel-icon" }, icon("link")), h("div", null, h("h2", null, "Address"),
        h("p", { class: "by" },
          "Apps for Subsonic or OpenSubsonic play your music on phones, in cars and on other computers."))), place),
    panel);
}

/** @param {HTMLElement} place @param {AppAddress} address */
function showAddress(place, address) {
  const label = "Address for apps";
  if (address.url) fill(place, h("code", { class: "secret", tabindex: 0, "aria-label": label }, address.url));
  else fill(place, note("offline", "Other devices do not reach the catalog yet", address.advice ?? ""));
}

/**
 * @param {(address: AppAddress) => void} show
 * @returns {import("../parts/credentials.js").Kind<Key>}
 */
function appKeys(show) {
  /** @type {AppAddress} */
  let address = { url: null, advice: null };
  /** @type {[string, string][]} */
  const choices = [["read write", "play, like, rate, edit playlists, report plays"], ["read", "play only"]];
  return {
    title: "Apps", icon: "phone", list: "Apps", badge: "this player",
    text: "Each app has a password of its own, so that you can revoke one without the others.",
    load: async (signal) => {
      const found = await get("/api/keys", signal);
      address = found.apps;
      show(address);
      return found.keys.filter((/** @type {Key} */ key) => key.app);
    },
    permissionNames: { read: "play", write: "likes, playlists, plays" },
    facts: ({ owner }) => [`user name ${owner.username}`],
    empty: { title: "No apps yet", text: "Connect the first one: you get an address, a user name and a password." },
    forbidden: keysForbidden,
    create: {
      label: "Connect an app",
      run: async (reload) => {
        const answer = await ask("Connect an app", [
          { name: "name", label: "Name of the app", required: true, max: 64, hint: "Such as: Symfonium on my phone" },
          { name: "permissions", label: "It may", kind: "choice", choices, value: "read write" },
        ], "Create the login");
        if (!answer) return;
        const permissions = String(answer.permissions).split(" ");
        const created = await post("/api/keys", { name: answer.name, permissions, app: true });
        await reload();
        await showLogin(created, address);
      },
    },
    actions: (key, reload) => [
      rotateButton(key.name, async () => {
        const created = await post(`/api/keys/${encodeURIComponent(key.id)}/rotate`);
        await reload();
        await showLogin(created, address);
      }),
      revokeButton(key.name, `${key.name} loses its access at once. What it plays stops.`, async () => {
        await remove(`/api/keys/${encodeURIComponent(key.id)}`);
        await reload();
      }),
    ],
  };
}
