// Dialogs that create a playlist and that add songs to one.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { get, post, remove } from "../core/http.js";
import { library } from "../core/library.js";
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

const maxIds = 1000; // that one request may have

/**
 * Adds songs to a playlist. If it has some of them already, the person chooses.
 * @param {{id: string, name: string}} playlist @param {string[]} songs
 */
export async function addSongs({ id, name }, songs) {
  const path = `/api/playlists/${encodeURIComponent(id)}/songs`;
  try {
    const listed = new Set(await library.songIds({ playlist_id: id }));
    const added = await withoutDuplicates(name, songs, songs.filter((song) => !listed.has(song)));
    if (added.length === 0) return;
    const before = listed.size;
    for (let i = 0; i < added.length; i += maxIds) await post(path, { song_ids: added.slice(i, i + maxIds) });
    catalog.changed();
    const text = added.length === 1 ? `Added to “${name}”.` : `${plural(added.length, "song")} added to “${name}”.`;
    showNotice(text, before + added.length > maxIds ? undefined : {
      label: "Undo", run: () => void removeLast(path, added),
    });
  } catch (error) {
    showError(error);
  }
}

/**
 * Undoes an addition at the end of a playlist.
 * @param {string} path @param {string[]} songs
 */
async function removeLast(path, songs) {
  try {
    const { total } = await get(`${path}?limit=1`);
    for (let i = 1; i <= songs.length; i++) {
      const song = songs[songs.length - i] ?? "";
      await remove(`${path}/${total - i}?song_id=${encodeURIComponent(song)}`);
    }
    catalog.changed();
  } catch (error) {
    showError(error);
  }
}

/**
 * @param {string} name of the playlist @param {string[]} songs @param {string[]} fresh those that
 *   it does not have
 * @returns {Promise<string[]>} what to add
 */
async function withoutDuplicates(name, songs, fresh) {
  const known = songs.length - fresh.length;
  if (known === 0) return songs;
  const text = songs.length === 1 ? `This song is already in “${name}”.`
    : `${known} of ${plural(songs.length, "song")} are already in “${name}”.`;
  /** @type {string[]} */
  let chosen = [];
  await showDialog("Already in the playlist", (close) => {
    const choose = (/** @type {string[]} */ these) => () => { chosen = these; close(); };
    return [h("p", null, text), h("footer", null, button("Cancel", close),
      button(songs.length === 1 ? "Add again" : "Add all", choose(songs)),
      fresh.length > 0 && button(`Add ${plural(fresh.length, "new song")}`, choose(fresh), { kind: "primary" }))];
  });
  return chosen;
}

/** Lets the person choose one of their playlists and adds songs to it. @param {string[]} songs */
export async function addToPlaylist(songs) {
  /** @type {Playlist[]} */
  let own = [];
  try {
    const { playlists } = await get(`/api/users/me/playlists?limit=200&with=rules`);
    own = playlists.filter((/** @type {Playlist} */ { rules }) => !rules); // a smart one chooses its own songs
  } catch (error) {
    showError(error);
    return;
  }
  const add = (/** @type {Playlist} */ playlist) => addSongs(playlist, songs);
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
