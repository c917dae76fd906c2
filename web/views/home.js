// The start page: what was played lately, what is new, what is played a lot, and something else.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { playSongs, shuffleSongs } from "../core/play-all.js";
import { player } from "../core/player.js";
import { replace } from "../core/router.js";
import { albumCard, playlistCard, shelf } from "../parts/cards.js";
import { button, iconButton } from "../parts/controls.js";
import { empty } from "../parts/states.js";
import { songTiles } from "../parts/song-tiles.js";
import "../parts/scan-progress.js";

/** @typedef {import("../core/types.js").Album} Album */

const perShelf = 14;
let seed = Math.floor(Math.random() * 1e6); // of the random albums, which stay until others are wanted

/** @param {import("../parts/screen.js").Visit} visit */
export async function home({ signal }) {
  const albums = async (/** @type {string} */ query) => {
    const reply = await get(`/api/albums?with=me&limit=${perShelf}&${query}`, signal);
    return /** @type {Album[]} */ (reply.albums);
  };
  const [trending, recent, newest, frequent, random, playlists, profile] = await Promise.all([
    get("/api/songs/trending?limit=12&with=me", signal), albums("sort=recent"), albums("sort=newest"),
    albums("sort=frequent"), albums(`sort=random&seed=${seed}`),
    get(`/api/playlists?with=me&limit=${perShelf}`, signal), get("/api/me", signal).catch(() => null),
  ]);
  const progress = document.createElement("wax-scan-progress");
  const title = h("h1", null, greeting(profile?.user.name));
  if (trending.songs.length === 0) return h("div", { class: "view home" }, title, progress, noMusic());
  const ids = trending.songs.map((/** @type {{id: string}} */ { id }) => id);
  const play = (/** @type {number} */ index) => void player.start({ track_ids: ids }, index);
  const albumShelf = (/** @type {string} */ name, /** @type {Album[]} */ list, /** @type {string} */ sort) =>
    list.length > 0 && shelf(name, list.map(albumCard), `#/albums?sort=${sort}`);
  return h("div", { class: "view home" },
    h("header", { class: "view-head" }, title, playAllButtons()), progress,
    albumShelf("Jump back in", recent, "recent"),
    albumShelf("Recently added", newest, "newest"),
    h("section", { "data-content": ids.join(" ") }, h("h2", null, "Trending"),
      songTiles(trending.songs, "Trending", play)),
    albumShelf("Most played", frequent, "frequent"),
    random.length > 0
      && shelf("Random albums", random.map(albumCard), `#/albums?sort=random&seed=${seed}`, otherAlbums()),
    playlists.playlists.length > 0 && shelf("Playlists", playlists.playlists.map(playlistCard), "#/playlists"));
}

/** Buttons that play the whole library. */
function playAllButtons() {
  const shuffleAll = async () => {
    const { total } = await get("/api/songs?limit=1").catch(() => ({ total: 0 }));
    await shuffleSongs("", total);
  };
  return h("div", { class: "actions" },
    button("Shuffle library", () => void shuffleAll(), { kind: "primary", icon: "shuffle", writes: true }),
    button("Play all", () => void playSongs(""), { icon: "play", writes: true }));
}

function otherAlbums() {
  const choose = () => {
    seed = Math.floor(Math.random() * 1e6);
    replace(location.hash || "#/");
  };
  return iconButton("refresh", "Other random albums", choose);
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
