// The screen of a playlist. Its owner can edit name, description, order and songs.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { get, patch, post, remove } from "../core/http.js";
import { long, plural } from "../core/format.js";
import { library } from "../core/library.js";
import { showError, showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { button } from "../parts/controls.js";
import { ask } from "../parts/dialog.js";
import { bindPages } from "../parts/paged-list.js";
import { makeReorderable, moveRowByKey } from "../parts/reorder.js";
import { editSmartPlaylist } from "../parts/smart-playlist.js";
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
  const [reply, pages, me] = await Promise.all([
    get(`${url}?with=me,rules`, signal), songPages(url), library.me().catch(() => null),
  ]);
  const shown = /** @type {Playlist} */ (reply.playlist);
  const isOwn = shown.owner.id === me && player.canWrite;
  const head = hero({
    image: shown.cover_url, kind: `${shown.public ? "Public" : "Private"} ${shown.rules ? "smart " : ""}playlist`,
    title: shown.name,
    text: shown.description, actions: playlistActions(url, shown, pages, isOwn),
    facts: [[shown.owner.name, plural(shown.song_count, "song"), shown.song_count ? long(shown.duration) : ""]
      .filter(Boolean).join(" · ")],
  });
  return h("div", { class: "view" }, head, pages.total ? songList(url, shown, pages, isOwn && !shown.rules)
    : noSongs(shown.rules !== undefined));
}

/** @param {string} url @param {Playlist} shown @param {SongPages} pages @param {boolean} isOwn */
function songList(url, shown, pages, isOwn) {
  const editor = isOwn ? songEditor(url, pages) : null;
  const list = songRows({
    songs: pages, pages, label: shown.name, numbered: "index", movable: isOwn, actions: editor ? [{
      label: "Remove", icon: "trash", run: (rows) => void editor.removeAll(rows),
    }] : [],
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
  const change = () => void (shown.rules ? editSmartPlaylist(shown.id) : editDetails(url, shown));
  const edit = button("Edit", change, { icon: "edit", edits: true });
  const erase = () => void deletePlaylist(url, shown);
  if (shown.song_count === 0) {
    return isOwn ? [edit, button("Delete", erase, { kind: "danger", icon: "trash" })] : [];
  }
  const more = /** @type {import("../parts/menu.js").Entry[]} */ (
    isOwn ? [null, { label: "Delete playlist", icon: "trash", danger: true, run: erase }] : []);
  const count = playableBefore(pages, pages.known);
  const usual = actions({ playlist_id: shown.id }, count, shown.name, { more, thing: shown });
  return usual.toSpliced(2, 0, ...(isOwn ? [edit] : []));
}

/** @param {boolean} smart */
function noSongs(smart) {
  if (smart) return empty({ icon: "smart", title: "No song matches the rules", text: "Edit them to choose others." });
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
    return !failed;
  };
  const removeAll = async (/** @type {[number, Song][]} */ rows) => {
    const removed = await send(async () => {
      for (const [index, song] of rows.toReversed()) {
        await remove(`${url}/songs/${index}?song_id=${encodeURIComponent(song.id)}`);
      }
    });
    const restore = () => void send(async () => {
      for (const [position, song] of rows) await post(`${url}/songs`, { song_ids: [song.id], position });
    });
    const [only] = rows;
    const what = rows.length === 1 && only ? `“${only[1].title}” is` : `${plural(rows.length, "song")} are`;
    if (removed) showNotice(`${what} removed from the playlist.`, { label: "Undo", run: restore });
  };
  return {
    /** @param {number} from @param {number} to @param {Song} song */
    move(from, to, song) {
      pages.move(from, to);
      showNotice(`“${song.title}” is now number ${to + 1}.`);
      return send(() => patch(`${url}/songs/${from}`, { song_id: song.id, to }));
    },
    /** @param {number} index @param {Song} song */
    remove: (index, song) => removeAll([[index, song]]),
    removeAll,
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
  const release = catalog.hold(); // an update of this screen would find nothing
  try {
    const songs = shown.rules ? [] : await library.songIds({ playlist_id: shown.id });
    await remove(url);
    addEventListener("hashchange", release, { once: true });
    go("#/playlists");
    catalog.changed();
    showNotice(`“${shown.name}” is deleted.`, { label: "Undo", run: () => void restorePlaylist(shown, songs) });
  } catch (error) {
    release();
    showError(error);
  }
}

const maxIds = 1000; // that one request may have

/** @param {Playlist} deleted @param {string[]} songs */
async function restorePlaylist({ name, description, public: isPublic, rules }, songs) {
  try {
    const what = rules ? { rules } : { song_ids: songs.slice(0, maxIds) };
    const details = { name, description: description ?? "", public: isPublic };
    const { playlist } = await post("/api/playlists", { ...details, ...what });
    for (let i = maxIds; i < songs.length; i += maxIds) {
      await post(`/api/playlists/${playlist.id}/songs`, { song_ids: songs.slice(i, i + maxIds) });
    }
    catalog.changed();
    go(`#/playlists/${playlist.id}`);
  } catch (error) {
    showError(error);
  }
}
