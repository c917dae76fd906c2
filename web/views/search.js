// What is found, as one types.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { player } from "../core/player.js";
import { albumCard, artistCard, playlistCard, shelf } from "../parts/cards.js";
import { songTiles } from "../parts/song-tiles.js";
import { empty } from "../parts/states.js";

/** @param {import("../app.js").Visit} visit */
export async function search({ query, signal }) {
  const words = (query.get("q") ?? "").trim();
  if (!words) {
    return h("div", { class: "view" }, h("h1", { class: "quiet" }, "Search"), empty({ icon: "search", title: "Find your music", text: "Type a few letters of a song, an artist, an album or a playlist. Small mistakes are forgiven." }));
  }
  const found = /** @type {import("../core/types.js").Found} */ (await get(`/api/search?limit=12&q=${encodeURIComponent(words)}`, signal));
  const heading = h("h1", { class: "quiet" }, "Results for “", words, "”");
  if (found.songs.length + found.artists.length + found.albums.length + found.playlists.length === 0) {
    return h("div", { class: "view" }, heading, empty({ icon: "search", title: `Nothing matches “${words}”`, text: "Try fewer letters, or another spelling." }));
  }
  /** @type {[string[], HTMLElement][]} */
  const kinds = [];
  if (found.songs.length > 0) kinds.push([found.songs.map(({ title }) => title), h("section", null, h("h2", null, "Songs"), songTiles(found.songs, "Songs", (index) => { const song = found.songs[index]; if (song) void player.track(song.id); }, signal))]);
  if (found.artists.length > 0) kinds.push([found.artists.map(({ name }) => name), shelf("Artists", found.artists.map(artistCard))]);
  if (found.albums.length > 0) kinds.push([found.albums.map(({ title }) => title), shelf("Albums", found.albums.map(albumCard))]);
  if (found.playlists.length > 0) kinds.push([found.playlists.map(({ name }) => name), shelf("Playlists", found.playlists.map(playlistCard))]);
  const best = new Map(kinds.map(([names, section]) => [section, Math.max(...names.map((name) => likeness(name, words)))]));
  const sections = [...best.keys()].sort((a, b) => (best.get(b) ?? 0) - (best.get(a) ?? 0));
  return h("div", { class: "view search" }, heading, ...sections);
}

/** How well a name answers what was typed: it is that, begins with it, has it in its midst, or was found for another reason. @param {string} name @param {string} words */
function likeness(name, words) {
  const [plain, wanted] = [folded(name), folded(words)];
  if (plain === wanted) return 3;
  if (plain.startsWith(wanted)) return 2;
  return plain.includes(` ${wanted}`) ? 1 : 0;
}

/** @param {string} text without case and accents */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
