// The person's own playlists in the navigation.

import { catalog } from "../core/catalog.js";
import { h, fill } from "../core/dom.js";
import { get } from "../core/http.js";
import { library } from "../core/library.js";
import { showError } from "../core/notices.js";
import { here } from "../core/router.js";
import { acceptDrop } from "./drag.js";
import { addSongs } from "./playlist-picker.js";

/** @typedef {import("../core/types.js").Playlist} Playlist */

export function ownPlaylists() {
  const list = h("ul", { class: "own-playlists", "aria-label": "Your playlists" });
  let shown = "";
  const update = async () => {
    const reply = await get("/api/users/me/playlists?limit=200&with=rules").catch(() => null);
    const playlists = /** @type {Playlist[] | undefined} */ (reply?.playlists);
    const names = JSON.stringify(playlists?.map(({ id, name }) => [id, name]));
    if (!playlists || names === shown) return;
    shown = names;
    fill(list, ...playlists.map(({ id, name, rules }) => {
      const current = here().path.join("/") === `playlists/${id}` ? "page" : null;
      const link = { href: `#/playlists/${id}`, "data-name": `playlists/${id}`, "aria-current": current };
      const item = h("li", null, h("a", { ...link, draggable: "false", dir: "auto" }, name));
      if (!rules) acceptDrop(item, { drop: (dragged) => void add({ id, name }, dragged) });
      return item;
    }));
  };
  catalog.onChange(update);
  void update();
  return list;
}

/** @param {{id: string, name: string}} playlist @param {import("./drag.js").Dragged} dragged */
async function add(playlist, { selection }) {
  try {
    await addSongs(playlist, await library.songIds(selection));
  } catch (error) {
    showError(error);
  }
}
