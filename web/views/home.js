// The start page: songs that are played a lot, and links into the library.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { player } from "../core/player.js";
import { albumCard, artistCard, playlistCard, shelf } from "../parts/cards.js";
import { button } from "../parts/controls.js";
import { empty } from "../parts/states.js";
import { songTiles } from "../parts/song-tiles.js";
import "../parts/scan-progress.js";

/** @param {import("../parts/screen.js").Visit} visit */
export async function home({ signal }) {
  const [trending, albums, playlists, artists, profile] = await Promise.all([
    get("/api/songs/trending?limit=12", signal), get("/api/albums?limit=14", signal),
    get("/api/playlists?limit=14", signal), get("/api/artists?limit=14", signal),
    get("/api/me", signal).catch(() => null),
  ]);
  const progress = document.createElement("wax-scan-progress");
  const title = h("h1", null, greeting(profile?.user.name));
  if (trending.songs.length === 0) return h("div", { class: "view home" }, title, progress, noMusic());
  const ids = trending.songs.map((/** @type {{id: string}} */ { id }) => id);
  const play = (/** @type {number} */ index) => void player.start({ track_ids: ids }, index);
  return h("div", { class: "view home" },
    h("header", { class: "view-head", "data-content": ids.join(" ") }, title,
      button("Play all", () => play(0), { kind: "primary", icon: "play", writes: true })),
    progress,
    h("section", null, h("h2", null, "Trending"), songTiles(trending.songs, "Trending", play)),
    albums.albums.length > 0 && shelf("Albums", albums.albums.map(albumCard), "#/albums"),
    playlists.playlists.length > 0 && shelf("Playlists", playlists.playlists.map(playlistCard), "#/playlists"),
    artists.artists.length > 0 && shelf("Artists", artists.artists.map(artistCard), "#/artists"));
}

/** @param {string | undefined} name */
function greeting(name) {
  const hour = new Date().getHours();
  const time = hour < 5 ? "Good night" : hour < 12 ? "Good morning" : hour < 18 ? "Good afternoon" : "Good evening";
  return name ? `${time}, ${name}` : time;
}

function noMusic() {
  return empty({
    icon: "note", title: "No music yet",
    text: "Start Waxwing with your music folder: waxwing up --music ~/Music. Songs appear here as they are found.",
  });
}
