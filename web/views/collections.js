// An album, and an artist.

import { h } from "../core/dom.js";
import { get } from "../core/http.js";
import { long, plural } from "../core/format.js";
import { library } from "../core/library.js";
import { player } from "../core/player.js";
import { light } from "../core/tint.js";
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
  void light(image);
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
    actions: actions(selection, it.title),
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
  const records = albumsOf(pages);
  return h("div", { class: "view" }, hero({
    image: it.image_url, kind: "Artist", title: it.name, text: it.bio, round: true,
    facts: [[plural(it.song_count, "song"), it.album_count ? plural(it.album_count, "album") : "", it.play_count ? plural(it.play_count, "play") : ""].filter(Boolean).join(" · ")],
    actions: actions(selection, it.name),
  }), records.length > 0 && shelf("Albums", records), h("h2", { class: "list-title" }, "Songs"), list);
}

/** The albums that the first songs of an artist are on. @param {import("../core/pages.js").Pages<Song>} pages */
function albumsOf(pages) {
  /** @type {Map<string, import("../parts/cards.js").Card>} */
  const found = new Map();
  for (let i = 0; i < Math.min(100, pages.total); i++) {
    const song = pages.at(i);
    if (!song?.album_id || found.has(song.album_id)) continue;
    found.set(song.album_id, { ...albumCard(/** @type {any} */ ({ id: song.album_id, cover_url: song.cover_url, title: song.album ?? "", artist: null, year: song.year })) });
  }
  return [...found.values()];
}

/** @param {import("../core/player.js").Selection} selection @param {string} name @param {import("../parts/menu.js").Entry[]} [more] */
export function actions(selection, name, more = []) {
  return [
    button("Play", () => void player.start(selection), { kind: "primary", icon: "play" }),
    button("Shuffle", () => void shuffled(selection), { icon: "shuffle" }),
    iconButton("more", `More about ${name}`, (event) => collectionMenu(/** @type {Element} */ (event.currentTarget), selection, name, more), { "aria-haspopup": "menu" }),
  ];
}

/** @param {import("../core/player.js").Selection} selection */
async function shuffled(selection) {
  if (!player.state?.shuffle) await player.shuffle();
  await player.start(selection);
}

