// Other ways into the library: genres and years, what the user likes, and what was played.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { ago, plural } from "../core/format.js";
import { post, remove } from "../core/http.js";
import { library } from "../core/library.js";
import { showError, showNotice } from "../core/notices.js";
import { playSongs, shuffleSongs } from "../core/play-all.js";
import { player } from "../core/player.js";
import { albumCard, artistCard, playlistCard, shelf } from "../parts/cards.js";
import { button } from "../parts/controls.js";
import { confirm } from "../parts/dialog.js";
import { bindPages } from "../parts/paged-list.js";
import { followPlayer, songRows } from "../parts/song-rows.js";
import { empty } from "../parts/states.js";

/**
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {import("../core/types.js").Play} Play
 * @typedef {import("../core/types.js").Year} Year
 */

export async function genres() {
  const [genres, years] = await Promise.all([library.all("/api/genres", "genres"), library.all("/api/years", "years")]);
  const list = (/** @type {string} */ title, /** @type {HTMLElement[]} */ tiles) => tiles.length > 0
    && h("section", null, h("h2", null, title), h("ul", { class: "name-tiles", "aria-label": title }, ...tiles));
  const content = [
    list("Genres", genres.map((genre) => nameTile(genre.name, new URLSearchParams({ genre: genre.name }), genre))),
    ...byDecade(years).map(([decade, inIt]) => list(decade, inIt.map((each) =>
      nameTile(String(each.year), new URLSearchParams({ year: String(each.year) }), each)))),
  ];
  const text = "They appear here if the tags of your music files have them.";
  return h("div", { class: "view" }, h("h1", null, "Genres and years"),
    ...content, content.every((each) => !each) && empty({ icon: "genres", title: "No genres or years yet", text }));
}

/**
 * @param {string} name @param {URLSearchParams} query that selects what it has
 * @param {{song_count: number, album_count: number}} counts
 */
function nameTile(name, query, { song_count: songs, album_count: albums }) {
  const found = [plural(songs, "song"), albums ? plural(albums, "album") : ""].filter(Boolean).join(" · ");
  return h("li", null, h("a", { href: `#/${albums ? "albums" : "songs"}?${query}` },
    h("span", { class: "title", dir: "auto" }, name), h("span", { class: "by" }, found)));
}

/** @param {Year[]} years @returns {[string, Year[]][]} newest first */
function byDecade(years) {
  /** @type {Map<string, Year[]>} */
  const decades = new Map();
  for (const year of years.toSorted((a, b) => b.year - a.year)) {
    const name = `${Math.floor(year.year / 10) * 10}s`;
    decades.set(name, [...(decades.get(name) ?? []), year]);
  }
  return [...decades];
}

export async function liked() {
  const likes = (/** @type {string} */ type) => library.all(`/api/me/likes?type=${type}&with=me`, "likes");
  const pages = /** @type {import("../core/pages.js").Pages<Song>} */ (
    library.list("/api/songs?with=me&liked=true&sort=added", "songs"));
  const [albums, artists, playlists] = await Promise.all([
    likes("album"), likes("artist"), likes("playlist"), pages.openNewest(),
  ]);
  const query = "liked=true&sort=added";
  const list = songRows({
    songs: pages, pages, label: "Liked songs", numbered: "index", play: (index) => void playSongs(query, index),
  });
  bindPages(pages, list);
  followPlayer(list);
  const shelves = [
    albums.length > 0 && shelf("Albums", albums.map(({ album }) => albumCard(album))),
    artists.length > 0 && shelf("Artists", artists.map(({ artist }) => artistCard(artist))),
    playlists.length > 0 && shelf("Playlists", playlists.map(({ playlist }) => playlistCard(playlist))),
  ];
  const actions = h("div", { class: "actions" },
    button("Play", () => void playSongs(query), { kind: "primary", icon: "play", writes: true }),
    button("Shuffle", () => void shuffleSongs(query, pages.total), { icon: "shuffle", writes: true }));
  const text = "Press the heart of a song, an album or an artist, and it appears here.";
  return h("div", { class: "view" },
    h("header", { class: "view-head" }, h("h1", null, "Liked"), pages.total > 0 && actions), ...shelves,
    pages.total > 0 && h("h2", { class: "list-title" }, "Songs"), pages.total > 0 && list,
    pages.total === 0 && shelves.every((each) => !each)
      && empty({ icon: "heart", title: "Nothing is liked yet", text }));
}

export async function history() {
  const pages = /** @type {import("../core/pages.js").Pages<any>} */ (
    library.list("/api/me/history?with=me", "history"));
  await pages.openNewest();
  const play = (/** @type {number} */ index) => /** @type {Play | undefined} */ (pages.at(index));
  const songs = {
    at: (/** @type {number} */ index) => play(index)?.song,
    get total() { return pages.total; },
    want: pages.want.bind(pages),
  };
  const forget = async (/** @type {number} */ index) => {
    const entry = play(index);
    if (!entry) return;
    try {
      await remove(`/api/me/history/${encodeURIComponent(entry.play_id)}`);
      await changed();
      showNotice("Removed from the history.", { label: "Undo", run: () => void restore(entry, changed) });
    } catch (error) {
      showError(error);
    }
  };
  const changed = async () => {
    await pages.update({ force: true });
    catalog.changed();
  };
  const list = songRows({
    songs, label: "History", note: (index) => note(play(index)),
    play: (_, song) => void player.track(song.id),
    menu: (index) => (player.canWrite
      ? [{ label: "Remove from the history", icon: "trash", danger: true, run: () => void forget(index) }] : []),
    onKey: (event, index) => {
      if (event.key === "Delete" && player.canWrite) void forget(index);
      return event.key === "Delete";
    },
  });
  bindPages(pages, list);
  followPlayer(list);
  const clear = button("Clear", () => void clearAll(changed), { icon: "trash", edits: true });
  const text = "Songs that you have listened to for a while appear here.";
  return h("div", { class: "view" },
    h("header", { class: "view-head" }, h("h1", null, "History"), pages.total > 0 && clear),
    pages.total > 0 ? list : empty({ icon: "history", title: "Nothing was played yet", text }));
}

/** @param {Play | undefined} play */
function note(play) {
  return play ? [ago(play.played_at), play.source].filter(Boolean).join(" · ") : "";
}

/** @param {Play} play @param {() => Promise<void>} changed */
async function restore({ song, played_at }, changed) {
  try {
    await post("/api/plays", { song_id: song.id, played_at });
    await changed();
  } catch (error) {
    showError(error);
  }
}

/** @param {() => Promise<void>} changed */
async function clearAll(changed) {
  const text = "All plays and your play counts are deleted. This cannot be undone.";
  if (!(await confirm("Clear the history?", text, "Clear"))) return;
  try {
    await remove("/api/me/history?all=true");
    await changed();
    showNotice("The history is empty.");
  } catch (error) {
    showError(error);
  }
}
