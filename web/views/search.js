// The results of a search, while one types.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { player } from "../core/player.js";
import { albumCard, artistCard, playlistCard, shelf } from "../parts/cards.js";
import { songTiles } from "../parts/song-tiles.js";
import { empty } from "../parts/states.js";

/** @typedef {import("../core/types.js").Found} Found */

/** @param {import("../parts/screen.js").Visit} visit */
export async function search({ query, signal }) {
  const words = (query.get("q") ?? "").trim();
  if (!words) {
    const text = "Type a few letters of a song, an artist, an album or a playlist. Small mistakes are tolerated.";
    return h("div", { class: "view" }, h("h1", { class: "quiet" }, "Search"),
      empty({ icon: "search", title: "Find your music", text }));
  }
  const found = /** @type {Found} */ (await get(`/api/search?with=me&limit=12&q=${encodeURIComponent(words)}`, signal));
  const heading = h("h1", { class: "quiet" }, "Results for “", words, "”");
  const sections = resultSections(found);
  if (sections.length === 0) {
    const text = "Try fewer letters, or another spelling.";
    return h("div", { class: "view" }, heading, empty({ icon: "search", title: `Nothing matches “${words}”`, text }));
  }
  const best = (/** @type {string[]} */ names) => Math.max(...names.map((name) => similarity(name, words)));
  sections.sort((a, b) => best(b.names) - best(a.names));
  return h("div", { class: "view search" }, heading, ...sections.map(({ element }) => element));
}

/**
 * @param {Found} found
 * @returns {{names: string[], element: HTMLElement}[]} one of each kind that was found
 */
function resultSections({ songs, artists, albums, playlists }) {
  const play = (/** @type {number} */ index) => { const song = songs[index]; if (song) void player.track(song.id); };
  const sections = [
    songs.length > 0 && {
      names: songs.map(({ title }) => title),
      element: h("section", null, h("h2", null, "Songs"), songTiles(songs, "Songs", play)),
    },
    artists.length > 0 && {
      names: artists.map(({ name }) => name), element: shelf("Artists", artists.map(artistCard)),
    },
    albums.length > 0 && { names: albums.map(({ title }) => title), element: shelf("Albums", albums.map(albumCard)) },
    playlists.length > 0 && {
      names: playlists.map(({ name }) => name), element: shelf("Playlists", playlists.map(playlistCard)),
    },
  ];
  return sections.filter((section) => section !== false);
}

/**
 * How well a name matches: 3 if equal, 2 for its beginning, 1 for a word in it, else 0.
 * @param {string} name @param {string} words
 */
function similarity(name, words) {
  const [plain, wanted] = [fold(name), fold(words)];
  if (plain === wanted) return 3;
  if (plain.startsWith(wanted)) return 2;
  return plain.includes(` ${wanted}`) ? 1 : 0;
}

/** Removes case and accents. @param {string} text */
function fold(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
