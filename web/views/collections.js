// An album, and an artist.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { long, plural } from "../core/format.js";
import { library } from "../core/library.js";
import { player } from "../core/player.js";
import { setTint } from "../core/tint.js";
import { albumCard, shelf } from "../parts/cards.js";
import { button, iconButton, picture } from "../parts/controls.js";
import { keepFresh } from "../parts/keep-fresh.js";
import { collectionMenu } from "../parts/song-menu.js";
import { followPlayer, songRows } from "../parts/song-rows.js";

/**
 * @typedef {import("../app.js").Visit} Visit
 * @typedef {import("../core/types.js").Song} Song
 */

/**
 * The head of a page about one thing: its picture in the light of its own colour, its name, and what can be done with it.
 * @param {{image: string, kind: string, title: string, facts: (Node | string)[], text?: string | null, round?: boolean, actions: (Node | null | false)[]}} about
 */
export function hero({ image, kind, title, facts, text, round = false, actions }) {
  void setTint(image);
  return h("header", { class: round ? "hero round" : "hero" },
    h("div", { class: "frame" }, picture(image, 600)),
    h("div", { class: "hero-text" }, h("p", { class: "kind" }, kind), h("h1", { class: title.length > 28 ? "long" : null }, title), text ? h("p", { class: "hero-bio" }, text) : null,
      h("p", { class: "by facts" }, ...facts), h("div", { class: "actions" }, ...actions)));
}

/** @param {Visit} visit */
export async function album({ path, signal }) {
  const id = path[1] ?? "";
  const [reply, pages] = await Promise.all([get(`/api/albums/${encodeURIComponent(id)}`, signal), /** @type {Promise<import("../core/pages.js").Pages<Song>>} */ (library.list(`/api/albums/${encodeURIComponent(id)}/songs`, "songs").open())]);
  const it = /** @type {import("../core/types.js").Album} */ (reply.album);
  const selection = { album_id: it.id };
  const list = songRows({ songs: pages, label: `Songs of ${it.title}`, numbered: "track", album: false, cover: false, play: (index) => void player.start(selection, index) });
  keepFresh(pages, list, signal);
  followPlayer(list, signal);
  const by = it.artists.length ? it.artists.flatMap(({ id: artist, name }, i) => [i ? ", " : "", h("a", { href: `#/artists/${artist}` }, name)]) : [it.artist ?? "Various artists"];
  return h("div", { class: "view" }, hero({
    image: it.cover_url, kind: it.compilation ? "Compilation" : "Album", title: it.title,
    facts: [...by, ` · ${[it.year, plural(it.song_count, "song"), long(it.duration)].filter(Boolean).join(" · ")}`],
    actions: actions(selection, it.song_count, it.title),
  }), list);
}

/** @param {Visit} visit */
export async function artist({ path, signal }) {
  const id = encodeURIComponent(path[1] ?? "");
  const [reply, pages] = await Promise.all([get(`/api/artists/${id}`, signal), /** @type {Promise<import("../core/pages.js").Pages<Song>>} */ (library.list(`/api/artists/${id}/songs`, "songs").open())]);
  const it = /** @type {import("../core/types.js").Artist} */ (reply.artist);
  const selection = { artist_id: it.id };
  const list = songRows({ songs: pages, label: `Songs of ${it.name}`, numbered: "index", play: (index) => void player.start(selection, index) });
  keepFresh(pages, list, signal);
  followPlayer(list, signal);
  const { own, others } = await albumsOf(it.id, pages);
  return h("div", { class: "view" }, hero({
    image: it.image_url, kind: "Artist", title: it.name, text: it.bio, round: true,
    facts: [[plural(it.song_count, "song"), it.album_count ? plural(it.album_count, "album") : "", it.play_count ? plural(it.play_count, "play") : ""].filter(Boolean).join(" · ")],
    actions: actions(selection, it.song_count, it.name),
  }), own.length > 0 && shelf("Albums", own.map(albumCard)), others.length > 0 && shelf("Appears on", others.map(albumCard)), h("h2", { class: "list-title" }, "Songs"), list);
}

const mostAlbums = 24; // each costs a short request, once

/**
 * The albums that the first songs of an artist are on: their own, and those of others. One that cannot be read is left out.
 * @param {string} id @param {import("../core/pages.js").Pages<Song>} pages
 */
async function albumsOf(id, pages) {
  const found = new Set();
  for (let i = 0; i < Math.min(100, pages.total) && found.size < mostAlbums; i++) {
    const album = pages.at(i)?.album_id;
    if (album) found.add(album);
  }
  const read = await Promise.all([...found].map((album) => library.album(album).catch(() => null)));
  const albums = read.filter((album) => album !== null);
  const isOwn = (/** @type {import("../core/types.js").Album} */ { artists }) => artists.some((artist) => artist.id === id);
  return { own: albums.filter(isOwn), others: albums.filter((album) => !isOwn(album)) };
}

/**
 * @param {import("../core/player.js").Selection} selection @param {number} count how many songs of it can be played
 * @param {string} name @param {import("../parts/menu.js").Entry[]} [more]
 */
export function actions(selection, count, name, more = []) {
  return [
    button("Play", () => void player.start(selection), { kind: "primary", icon: "play", writes: true }),
    button("Shuffle", () => void shuffled(selection, count), { icon: "shuffle", writes: true }),
    iconButton("more", `More about ${name}`, (event) => collectionMenu(/** @type {Element} */ (event.currentTarget), selection, name, more), { "aria-haspopup": "menu", class: "writes" }),
  ];
}

const longestQueue = 20_000;

/** Shuffling leaves the first song where it is, so that one is drawn here. @param {import("../core/player.js").Selection} selection @param {number} count */
async function shuffled(selection, count) {
  if (!player.state?.shuffle) await player.shuffle();
  await player.start(selection, Math.floor(Math.random() * Math.min(count, longestQueue)));
}
