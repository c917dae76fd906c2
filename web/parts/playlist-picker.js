// Dialogs that create a playlist and that add songs to one.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { get, post } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { plural } from "../core/format.js";
import { button, picture } from "./controls.js";
import { ask, showDialog } from "./dialog.js";

/** @typedef {import("../core/types.js").Playlist} Playlist */

/**
 * Asks for a name and creates a playlist.
 * @param {string[]} [songs]
 * @returns {Promise<Playlist | null>}
 */
export async function createPlaylist(songs = []) {
  const answer = await ask("New playlist", [
    { name: "name", label: "Name", required: true },
    { name: "description", label: "Description", kind: "area", max: 2000 },
    { name: "public", label: "Public", kind: "check", hint: "Other users of this catalog can see it." },
  ], "Create");
  if (!answer) return null;
  try {
    const { playlist } = await post("/api/playlists", { ...answer, song_ids: songs });
    catalog.changed();
    return playlist;
  } catch (error) {
    showError(error);
    return null;
  }
}

/** Lets the person choose one of their playlists and adds songs to it. @param {string[]} songs */
export async function addToPlaylist(songs) {
  /** @type {Playlist[]} */
  let own = [];
  try {
    const { playlists } = await get(`/api/users/me/playlists?limit=200`);
    own = playlists;
  } catch (error) {
    showError(error);
    return;
  }
  /** @param {Playlist} playlist */
  const add = async (playlist) => {
    try {
      await post(`/api/playlists/${playlist.id}/songs`, { song_ids: songs });
      catalog.changed();
      showNotice(`Added to “${playlist.name}”.`);
    } catch (error) {
      showError(error);
    }
  };
  const create = async () => {
    const created = await createPlaylist(songs);
    if (created) showNotice(`“${created.name}” is created.`);
  };
  await showDialog("Add to playlist", (close) => {
    const row = (/** @type {() => Promise<void>} */ run, /** @type {Node[]} */ ...content) =>
      h("button", { type: "button", class: "picker-row", onclick: () => { close(); void run(); } }, ...content);
    return [
      h("div", { class: "picker" },
        row(create, h("span", { class: "picker-plus" }, "+"), h("span", null, "New playlist")),
        ...own.map((playlist) => row(() => add(playlist), picture(playlist.thumbnail_url, 96),
          h("span", null, playlist.name, h("small", null, plural(playlist.song_count, "song")))))),
      h("footer", null, button("Cancel", close)),
    ];
  });
}
