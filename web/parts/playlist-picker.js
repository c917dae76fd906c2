// Playlists: make one, choose one.

import { h } from "../core/dom.js";
import { get, post } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { plural } from "../core/format.js";
import { library } from "../core/library.js";
import { button, picture } from "./controls.js";
import { ask, showDialog } from "./dialog.js";

/** @typedef {import("../core/types.js").Playlist} Playlist */

/** Asks for a name and makes a playlist. @param {string[]} [songs] @returns {Promise<Playlist | null>} */
export async function createPlaylist(songs = []) {
  const answer = await ask("New playlist", [
    { name: "name", label: "Name", required: true },
    { name: "description", label: "Description", kind: "area", max: 2000 },
    { name: "public", label: "Public", kind: "check", hint: "Others who use this catalog can see it." },
  ], "Create");
  if (!answer) return null;
  try {
    const { playlist } = await post("/api/playlists", { ...answer, song_ids: songs });
    library.playlistsChanged();
    return playlist;
  } catch (error) {
    showError(error);
    return null;
  }
}

/** Lets the person choose a playlist of their own and adds songs to it. @param {string[]} songs */
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
      library.playlistsChanged();
      showNotice(`Added to “${playlist.name}”.`);
    } catch (error) {
      showError(error);
    }
  };
  await showDialog("Add to playlist", (close) => [
    h("div", { class: "picker" },
      h("button", { type: "button", class: "picker-row", onclick: async () => { close(); const made = await createPlaylist(songs); if (made) showNotice(`“${made.name}” is made.`); } },
        h("span", { class: "picker-plus" }, "+"), h("span", null, "New playlist")),
      ...own.map((playlist) => h("button", { type: "button", class: "picker-row", onclick: () => { close(); void add(playlist); } },
        picture(playlist.thumbnail_url, 96), h("span", null, playlist.name, h("small", null, plural(playlist.song_count, "song")))))),
    h("footer", null, button("Cancel", close)),
  ]);
}
