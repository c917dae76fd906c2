// The person's own playlists in the navigation.

import { catalog } from "../core/catalog.js";
import { h, fill } from "../core/dom.js";
import { get } from "../core/http.js";
import { here } from "../core/router.js";

/** @typedef {import("../core/types.js").Playlist} Playlist */

export function ownPlaylists() {
  const list = h("ul", { class: "own-playlists", "aria-label": "Your playlists" });
  let shown = "";
  const update = async () => {
    const reply = await get("/api/users/me/playlists?limit=200").catch(() => null);
    const playlists = /** @type {Playlist[] | undefined} */ (reply?.playlists);
    const names = JSON.stringify(playlists?.map(({ id, name }) => [id, name]));
    if (!playlists || names === shown) return;
    shown = names;
    fill(list, ...playlists.map(({ id, name }) => {
      const current = here().path.join("/") === `playlists/${id}` ? "page" : null;
      const link = { href: `#/playlists/${id}`, "data-name": `playlists/${id}`, "aria-current": current };
      return h("li", null, h("a", link, name));
    }));
  };
  catalog.onChange(update);
  void update();
  return list;
}
