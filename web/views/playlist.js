// The screen of a playlist. Its owner can edit name, description, order and songs.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { get, patch, remove } from "../core/http.js";
import { long, plural } from "../core/format.js";
import { library } from "../core/library.js";
import { showError, showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { button } from "../parts/controls.js";
import { ask, confirm } from "../parts/dialog.js";
import { bindPages } from "../parts/paged-list.js";
import { makeReorderable, moveRowByKey } from "../parts/reorder.js";
import { followPlayer, songRows } from "../parts/song-rows.js";
import { empty } from "../parts/states.js";
import { actions, hero, songPages } from "./collections.js";

/**
 * @typedef {import("../core/types.js").Playlist} Playlist
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {import("../core/pages.js").Pages<Song>} SongPages
 */

/** @param {import("../parts/screen.js").Visit} visit */
export async function playlist({ path, signal }) {
  const url = `/api/playlists/${encodeURIComponent(path[1] ?? "")}`;
  const [reply, pages, me] = await Promise.all([get(url, signal), songPages(url), library.me().catch(() => null)]);
  const shown = /** @type {Playlist} */ (reply.playlist);
  const isOwn = shown.owner.id === me && player.canWrite;
  const head = hero({
    image: shown.cover_url, kind: shown.public ? "Public playlist" : "Private playlist", title: shown.name,
    text: shown.description, actions: playlistActions(url, shown, pages, isOwn),
    facts: [[shown.owner.name, plural(shown.song_count, "song"), shown.song_count ? long(shown.duration) : ""]
      .filter(Boolean).join(" · ")],
  });
  return h("div", { class: "view" }, head, pages.total ? songList(url, shown, pages, isOwn) : noSongs());
}

/** @param {string} url @param {Playlist} shown @param {SongPages} pages @param {boolean} isOwn */
function songList(url, shown, pages, isOwn) {
  const editor = isOwn ? songEditor(url, pages) : null;
  const list = songRows({
    songs: pages, label: shown.name, numbered: "index", movable: isOwn,
    play: (index) => void player.start({ playlist_id: shown.id }, playableBefore(pages, index)),
    menu: (index, song) => {
      if (!editor) return [];
      const run = () => void editor.remove(index, song);
      return [{ label: "Remove from this playlist", icon: "trash", danger: true, run }];
    },
    onKey: (event, index) => {
      const song = pages.at(index);
      if (!editor || !song) return false;
      const moveTo = (/** @type {number} */ to) => { void editor.move(index, to, song); list.focusItem(to); };
      if (moveRowByKey(event, index, pages.total, moveTo)) return true;
      if (event.key === "Delete") void editor.remove(index, song);
      return event.key === "Delete";
    },
  });
  bindPages(pages, list);
  followPlayer(list);
  if (editor) {
    makeReorderable(list, {
      count: () => pages.total,
      move: (from, to) => { const song = pages.at(from); if (song) void editor.move(from, to, song); },
    });
  }
  return list;
}

/** @param {string} url @param {Playlist} shown @param {SongPages} pages @param {boolean} isOwn */
function playlistActions(url, shown, pages, isOwn) {
  const edit = button("Edit", () => void editDetails(url, shown), { icon: "edit", edits: true });
  const erase = () => void deletePlaylist(url, shown);
  if (shown.song_count === 0) {
    return isOwn ? [edit, button("Delete", erase, { kind: "danger", icon: "trash" })] : [];
  }
  const more = /** @type {import("../parts/menu.js").Entry[]} */ (
    isOwn ? [null, { label: "Delete playlist", icon: "trash", danger: true, run: erase }] : []);
  const usual = actions({ playlist_id: shown.id }, playableBefore(pages, pages.known), shown.name, more);
  return usual.toSpliced(2, 0, ...(isOwn ? [edit] : []));
}

function noSongs() {
  return empty({
    icon: "playlists", title: "This playlist is empty",
    text: "Open the menu of any song and choose “Add to playlist”.",
    action: button("Browse songs", () => go("#/songs"), { kind: "primary" }),
  });
}

/**
 * How many songs before an index can be queued: those whose files are missing cannot.
 * @param {SongPages} pages @param {number} index
 */
function playableBefore(pages, index) {
  let missing = 0;
  for (let i = 0; i < index; i++) if (pages.at(i)?.available === false) missing++;
  return index - missing;
}

/** @param {string} url @param {SongPages} pages */
function songEditor(url, pages) {
  const send = async (/** @type {() => Promise<unknown>} */ request) => {
    let failed = false;
    try {
      await request();
    } catch (error) {
      failed = true;
      showError(error);
    }
    await pages.update({ force: failed }); // a move that was refused is shown here already
    catalog.changed();
  };
  return {
    /** @param {number} from @param {number} to @param {Song} song */
    move(from, to, song) {
      pages.move(from, to);
      showNotice(`“${song.title}” is now number ${to + 1}.`);
      return send(() => patch(`${url}/songs/${from}`, { song_id: song.id, to }));
    },
    /** @param {number} index @param {Song} song */
    remove: (index, song) => send(() => remove(`${url}/songs/${index}?song_id=${encodeURIComponent(song.id)}`)),
  };
}

/** @param {string} url @param {Playlist} shown */
async function editDetails(url, shown) {
  const answer = await ask("Edit playlist", [
    { name: "name", label: "Name", value: shown.name, required: true },
    { name: "description", label: "Description", kind: "area", value: shown.description ?? "", max: 2000 },
    {
      name: "public", label: "Public", kind: "check", value: shown.public,
      hint: "Other users of this catalog can see it.",
    },
  ], "Save");
  if (!answer) return;
  try {
    await patch(url, answer);
    catalog.changed();
  } catch (error) {
    showError(error);
  }
}

/** @param {string} url @param {Playlist} shown */
async function deletePlaylist(url, shown) {
  const text = `“${shown.name}” cannot be restored. The songs stay in the library.`;
  if (!(await confirm("Delete playlist?", text, "Delete"))) return;
  const release = catalog.hold(); // an update of this screen would find nothing
  try {
    await remove(url);
    addEventListener("hashchange", release, { once: true });
    go("#/playlists");
    catalog.changed();
    showNotice(`“${shown.name}” is deleted.`);
  } catch (error) {
    release();
    showError(error);
  }
}
