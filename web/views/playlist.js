// A playlist, which its owner can edit: name, description, order, songs.

import { h } from "../core/dom.js";
import { get, patch, remove } from "../core/http.js";
import { long, plural } from "../core/format.js";
import { library } from "../core/library.js";
import { showError, showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { button } from "../parts/controls.js";
import { ask, confirm } from "../parts/dialog.js";
import { keepFresh } from "../parts/keep-fresh.js";
import { moveRowByKey, makeReorderable } from "../parts/reorder.js";
import { followPlayer, songRows } from "../parts/song-rows.js";
import { empty } from "../parts/states.js";
import { actions, hero } from "./collections.js";

/**
 * @typedef {import("../core/types.js").Playlist} Playlist
 * @typedef {import("../core/types.js").Song} Song
 */

/** @param {import("../app.js").Visit} visit */
export async function playlist({ path, signal }) {
  const at = `/api/playlists/${encodeURIComponent(path[1] ?? "")}`;
  const [reply, pages, me] = await Promise.all([
    get(at, signal), /** @type {Promise<import("../core/pages.js").Pages<Song>>} */ (library.list(`${at}/songs`, "songs").open()), library.me().catch(() => null),
  ]);
  const it = /** @type {Playlist} */ (reply.playlist);
  const mine = it.owner.id === me && player.canWrite;
  const selection = { playlist_id: it.id };
  const show = () => dispatchEvent(new Event("hashchange"));
  const editor = mine ? editing(at, pages, show) : null;
  const list = songRows({
    songs: pages, label: it.name, numbered: "index", movable: mine,
    play: (index) => void player.start(selection, playable(pages, index)),
    menu: (index, song) => (editor ? [{ label: "Remove from this playlist", icon: "trash", danger: true, run: () => void editor.drop(index, song) }] : []),
    onKey: (event, index) => {
      const song = pages.at(index);
      if (!editor || !song) return false;
      if (moveRowByKey(event, index, pages.total, (to) => { void editor.move(index, to, song); list.focusItem(to); })) return true;
      if (event.key === "Delete") void editor.drop(index, song);
      return event.key === "Delete";
    },
  });
  keepFresh(pages, list, signal);
  if (editor) makeReorderable(list, { count: () => pages.total, move: (from, to) => { const song = pages.at(from); if (song) void editor.move(from, to, song); } });
  followPlayer(list, signal);
  const edit = button("Edit", () => void change(at, it, show), { icon: "edit", writes: true });
  const more = /** @type {import("../parts/menu.js").Entry[]} */ (mine ? [null, { label: "Delete playlist", icon: "trash", danger: true, run: () => void erase(at, it) }] : []);
  return h("div", { class: "view" }, hero({
    image: it.cover_url, kind: it.public ? "Public playlist" : "Private playlist", title: it.name, text: it.description,
    facts: [[it.owner.name, plural(it.song_count, "song"), it.song_count ? long(it.duration) : ""].filter(Boolean).join(" · ")],
    actions: [...(it.song_count ? actions(selection, playable(pages, pages.known), it.name, more).toSpliced(2, 0, ...(mine ? [edit] : [])) : [mine && edit]), mine && !it.song_count && button("Delete", () => void erase(at, it), { kind: "danger", icon: "trash" })],
  }), pages.total ? list : empty({ icon: "playlists", title: "Nothing here yet", text: "Open the menu of any song and choose “Add to playlist”.", action: button("Browse songs", () => go("#/songs"), { kind: "primary" }) }));
}

/** Songs whose files are gone are not queued, so those after them move up. @param {import("../core/pages.js").Pages<Song>} pages @param {number} index */
function playable(pages, index) {
  let gone = 0;
  for (let i = 0; i < index; i++) if (pages.at(i)?.available === false) gone++;
  return index - gone;
}

/** @param {string} at @param {import("../core/pages.js").Pages<Song>} pages @param {() => void} show */
function editing(at, pages, show) {
  const attempt = async (/** @type {() => Promise<unknown>} */ act) => {
    try {
      await act();
    } catch (error) {
      showError(error);
    }
    await pages.refresh();
  };
  return {
    /** @param {number} from @param {number} to @param {Song} song */
    move(from, to, song) {
      pages.move(from, to);
      showNotice(`“${song.title}” is now number ${to + 1}.`);
      return attempt(() => patch(`${at}/songs/${from}`, { song_id: song.id, to }));
    },
    /** @param {number} index @param {Song} song */
    async drop(index, song) {
      await attempt(() => remove(`${at}/songs/${index}?song_id=${encodeURIComponent(song.id)}`));
      library.playlistsChanged();
      show();
    },
  };
}

/** @param {string} at @param {Playlist} it @param {() => void} show */
async function change(at, it, show) {
  const answer = await ask("Edit playlist", [
    { name: "name", label: "Name", value: it.name, required: true },
    { name: "description", label: "Description", kind: "area", value: it.description ?? "", max: 2000 },
    { name: "public", label: "Public", kind: "check", value: it.public, hint: "Others who use this catalog can see it." },
  ], "Save");
  if (!answer) return;
  try {
    await patch(at, answer);
    library.playlistsChanged();
    show();
  } catch (error) {
    showError(error);
  }
}

/** @param {string} at @param {Playlist} it */
async function erase(at, it) {
  if (!(await confirm("Delete playlist?", `“${it.name}” goes for good. The songs stay in the library.`, "Delete"))) return;
  try {
    await remove(at);
    library.playlistsChanged();
    showNotice(`“${it.name}” is deleted.`);
    go("#/playlists");
  } catch (error) {
    showError(error);
  }
}
