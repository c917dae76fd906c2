// The screens of one album and of one artist.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { long, plural } from "../core/format.js";
import { library } from "../core/library.js";
import { shuffle } from "../core/play-all.js";
import { player } from "../core/player.js";
import { setTint } from "../core/tint.js";
import { albumCard, shelf } from "../parts/cards.js";
import { button, iconButton, picture } from "../parts/controls.js";
import { opinion } from "../parts/opinion.js";
import { bindPages } from "../parts/paged-list.js";
import { collectionMenu } from "../parts/song-menu.js";
import { followPlayer, songRows } from "../parts/song-rows.js";

/**
 * @typedef {import("../parts/screen.js").Visit} Visit
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {import("../core/types.js").Album} Album
 * @typedef {import("../core/types.js").Artist} Artist
 * @typedef {import("../core/player.js").Selection} Selection
 */

/**
 * The head of a screen about one thing: its picture, which tints the screen, its name, and what can
 * be done with it.
 * @param {{image: string, kind: string, title: string, facts: (Node | string)[],
 *   text?: string | null, round?: boolean, actions: (Node | null | false)[]}} about
 */
export function hero({ image, kind, title, facts, text, round = false, actions }) {
  void setTint(image);
  return h("header", { class: round ? "hero round" : "hero" },
    h("div", { class: "frame" }, picture(image, 600)),
    h("div", { class: "hero-text" }, h("p", { class: "kind" }, kind),
      h("h1", { class: title.length > 28 ? "long" : null, dir: "auto" }, title),
      text ? h("p", { class: "hero-bio" }, text) : null,
      h("p", { class: "by facts" }, ...facts), h("div", { class: "actions" }, ...actions)));
}

/** The songs of an album, artist or playlist. @param {string} path */
export function songPages(path) {
  const pages = /** @type {import("../core/pages.js").Pages<Song>} */ (library.list(`${path}/songs?with=me`, "songs"));
  return pages.open();
}

/** @param {Visit} visit */
export async function album({ path, signal }) {
  const url = `/api/albums/${encodeURIComponent(path[1] ?? "")}`;
  const [reply, pages] = await Promise.all([get(`${url}?with=me`, signal), songPages(url)]);
  const shown = /** @type {Album} */ (reply.album);
  const selection = { album_id: shown.id };
  const list = songRows({
    songs: pages, pages, label: `Songs of ${shown.title}`, numbered: "track", album: false, cover: false,
    play: (index) => void player.start(selection, index),
  });
  bindPages(pages, list);
  followPlayer(list);
  const facts = [shown.year, plural(shown.song_count, "song"), long(shown.duration)].filter(Boolean).join(" · ");
  return h("div", { class: "view" }, hero({
    image: shown.cover_url, kind: shown.compilation ? "Compilation" : "Album", title: shown.title,
    facts: [...albumArtists(shown), ` · ${facts}`],
    actions: actions(selection, shown.song_count, shown.title, { thing: shown }),
  }), list);
}

/** @param {Album} album */
function albumArtists({ artist, artists }) {
  if (artists.length === 0) return [artist ?? "Various artists"];
  return artists.flatMap(({ id, name }, i) => [i ? ", " : "", h("a", { href: `#/artists/${id}` }, name)]);
}

/** @param {Visit} visit */
export async function artist({ path, signal }) {
  const url = `/api/artists/${encodeURIComponent(path[1] ?? "")}`;
  const [reply, pages] = await Promise.all([get(`${url}?with=me`, signal), songPages(url)]);
  const shown = /** @type {Artist} */ (reply.artist);
  const selection = { artist_id: shown.id };
  const list = songRows({
    songs: pages, pages, label: `Songs of ${shown.name}`, numbered: "index",
    play: (index) => void player.start(selection, index),
  });
  bindPages(pages, list);
  followPlayer(list);
  const { own, others } = await albumsOf(shown.id, pages);
  const facts = [
    plural(shown.song_count, "song"), shown.album_count ? plural(shown.album_count, "album") : "",
    shown.play_count ? plural(shown.play_count, "play") : "",
  ];
  const head = hero({
    image: shown.image_url, kind: "Artist", title: shown.name, text: shown.bio, round: true,
    facts: [facts.filter(Boolean).join(" · ")],
    actions: actions(selection, shown.song_count, shown.name, { thing: shown }),
  });
  return h("div", { class: "view" }, head, own.length > 0 && shelf("Albums", own.map(albumCard)),
    others.length > 0 && shelf("Appears on", others.map(albumCard)), h("h2", { class: "list-title" }, "Songs"), list);
}

const maxAlbums = 24; // each costs a short request, once

/**
 * The albums of the first songs of an artist: the artist's own, and those of others. One that
 * cannot be read is left out.
 * @param {string} id @param {import("../core/pages.js").Pages<Song>} pages
 */
async function albumsOf(id, pages) {
  const ids = new Set();
  for (let i = 0; i < Math.min(100, pages.total) && ids.size < maxAlbums; i++) {
    const album = pages.at(i)?.album_id;
    if (album) ids.add(album);
  }
  const replies = await Promise.all([...ids].map((album) => library.album(album).catch(() => null)));
  const albums = replies.filter((album) => album !== null);
  const isOwn = (/** @type {Album} */ { artists }) => artists.some((artist) => artist.id === id);
  return { own: albums.filter(isOwn), others: albums.filter((album) => !isOwn(album)) };
}

/**
 * @param {Selection} selection @param {number} count how many of its songs can be played
 * @param {string} name
 * @param {{more?: import("../parts/menu.js").Entry[],
 *   thing?: import("../core/personal.js").Rated}} [options] thing: what can be liked and rated
 */
export function actions(selection, count, name, { more = [], thing } = {}) {
  const openMenu = (/** @type {MouseEvent} */ event) =>
    collectionMenu(/** @type {Element} */ (event.currentTarget), selection, name, { more });
  return [
    button("Play", () => void player.start(selection), { kind: "primary", icon: "play", writes: true }),
    button("Shuffle", () => void shuffle(selection, count), { icon: "shuffle", writes: true }),
    thing ? opinion(thing, name) : null,
    iconButton("more", `More about ${name}`, openMenu, { "aria-haspopup": "menu", class: "writes" }),
  ];
}
