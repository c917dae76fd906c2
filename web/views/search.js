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
  return h("div", { class: "view search" }, heading,
    found.songs.length > 0 && h("section", null, h("h2", null, "Songs"), songTiles(found.songs, "Songs", (index) => { const song = found.songs[index]; if (song) void player.track(song.id); }, signal)),
    found.artists.length > 0 && shelf("Artists", found.artists.map(artistCard)),
    found.albums.length > 0 && shelf("Albums", found.albums.map(albumCard)),
    found.playlists.length > 0 && shelf("Playlists", found.playlists.map(playlistCard)));
}
