// The first screen: what is played these days, and ways into the library.

import { h, fill } from "../core/dom.js";
import { get } from "../core/http.js";
import { plural } from "../core/format.js";
import { library } from "../core/library.js";
import { player } from "../core/player.js";
import { albumCard, artistCard, playlistCard, shelf } from "../parts/cards.js";
import { button } from "../parts/controls.js";
import { empty } from "../parts/states.js";
import { songTiles } from "../parts/song-tiles.js";

/** @typedef {import("../core/types.js").Scan} Scan */

/** @param {import("../app.js").Visit} visit */
export async function home({ signal }) {
  const [trending, albums, playlists, artists, profile] = await Promise.all([
    get("/api/songs/trending?limit=12", signal), get("/api/albums?limit=14", signal), get("/api/playlists?limit=14", signal),
    get("/api/artists?limit=14", signal), get("/user/public", signal).catch(() => null),
  ]);
  const view = h("div", { class: "view home" });
  const progress = h("div", { class: "scan-progress", role: "status" });
  if (trending.songs.length === 0) fill(view, h("h1", null, greeting(profile?.user.name)), progress, noMusic());
  else {
    const ids = trending.songs.map((/** @type {{id: string}} */ { id }) => id);
    fill(view,
      h("header", { class: "view-head" }, h("h1", null, greeting(profile?.user.name)),
        button("Play all", () => void player.start({ track_ids: ids }), { kind: "primary", icon: "play", writes: true })),
      progress,
      h("section", null, h("h2", null, "Trending"), songTiles(trending.songs, "Trending", (index) => void player.start({ track_ids: ids }, index), signal)),
      albums.albums.length > 0 && shelf("Albums", albums.albums.map(albumCard), "#/albums"),
      playlists.playlists.length > 0 && shelf("Playlists", playlists.playlists.map(playlistCard), "#/playlists"),
      artists.artists.length > 0 && shelf("Artists", artists.artists.map(artistCard), "#/artists"));
  }
  void watchScan(progress, trending.songs.length === 0, signal);
  return view;
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
    text: "Start Waxwing with the folder that holds your music: waxwing up --music ~/Music. Songs appear here as they are found.",
  });
}

/** Shows how far the scan is, and what it found when it is over. @param {HTMLElement} place @param {boolean} isEmpty @param {AbortSignal} signal */
async function watchScan(place, isEmpty, signal) {
  for (let ran = false; !signal.aborted;) {
    const scan = /** @type {Scan | null} */ ((await get("/api/scan", signal).catch(() => null))?.scan ?? null);
    if (!scan || signal.aborted) return;
    if (!scan.running && scan.finished_at) {
      fill(place);
      if (ran || (isEmpty && scan.songs_added > 0)) {
        library.forget();
        dispatchEvent(new Event("hashchange")); // the same screen again, now with songs
      }
      return;
    }
    ran ||= scan.running;
    if (scan.running) {
      fill(place, h("p", null, scan.files_found ? `Reading your music: ${scan.files_done.toLocaleString()} of ${plural(scan.files_found, "file")}` : "Looking for music…"),
        h("progress", { max: scan.files_found || null, value: scan.files_found ? scan.files_done : null, "aria-label": "Scan" }));
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
