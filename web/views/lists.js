// The screens that are one long list: songs, albums, artists, playlists, and the library that leads to them.

import { h, setText } from "../core/dom.js";
import { plural } from "../core/format.js";
import { library } from "../core/library.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { albumCard, artistCard, cardGrid, playlistCard } from "../parts/cards.js";
import { button } from "../parts/controls.js";
import { icon } from "../parts/icons.js";
import { keepFresh } from "../parts/keep-fresh.js";
import { createPlaylist } from "../parts/playlist-picker.js";
import { followPlayer, songRows } from "../parts/song-rows.js";
import { empty } from "../parts/states.js";

/** @typedef {import("../app.js").Visit} Visit */

/**
 * @template {{id: string}} T
 * @param {import("../core/pages.js").Pages<T>} pages @param {import("../parts/window-list.js").WindowList} list
 * @param {HTMLElement} count @param {string} noun @param {AbortSignal} signal
 */
function counted(pages, list, count, noun, signal) {
  const show = () => setText(count, plural(pages.total, noun));
  keepFresh(pages, list, signal, show);
  show();
}

/** @param {string} title @param {HTMLElement | null} count @param {(Node | null)[]} actions */
const head = (title, count, ...actions) => h("header", { class: "view-head" }, h("div", null, h("h1", null, title), count), ...actions);

// What is queued of a list that may hold a million songs: enough to go back a while and on for hours.
const before = 50;
const after = 100;

/** @param {Visit} visit */
export async function songs({ signal }) {
  const pages = await /** @type {typeof library.list<import("../core/types.js").Song>} */ (library.list.bind(library))("/api/songs", "songs").open();
  const count = h("p", { class: "by" });
  if (pages.total === 0) return h("div", { class: "view" }, head("Songs", null), empty({ icon: "songs", title: "No songs yet", text: "Songs appear here as soon as the scan finds them." }));
  const play = async (/** @type {number} */ index) => {
    const { rows, at } = await pages.around(index, before, after);
    const ids = (/** @type {import("../core/types.js").Song[]} */ some) => some.filter(({ available }) => available).map(({ id }) => id);
    await player.start({ track_ids: ids(rows) }, ids(rows.slice(0, at)).length);
  };
  const list = songRows({ songs: pages, label: "Songs", numbered: "index", play: (index) => void play(index) });
  counted(pages, list, count, "song", signal);
  followPlayer(list, signal);
  return h("div", { class: "view" }, head("Songs", count, button("Play", () => void play(0), { kind: "primary", icon: "play", writes: true })), list);
}

/**
 * @template {{id: string}} T
 * @param {Visit} visit
 * @param {{title: string, noun: string, path: string, field: string, card: (item: T) => import("../parts/cards.js").Card, empty: HTMLElement, action?: HTMLElement}} kind
 */
async function cards({ signal }, kind) {
  const pages = /** @type {import("../core/pages.js").Pages<T>} */ (await library.list(kind.path, kind.field).open());
  const count = h("p", { class: "by" });
  const heading = head(kind.title, count, kind.action ?? null);
  if (pages.total === 0) return h("div", { class: "view" }, heading, kind.empty);
  const list = cardGrid(pages, kind.card, kind.title);
  counted(pages, list, count, kind.noun, signal);
  return h("div", { class: "view" }, heading, list);
}

/** @param {Visit} visit */
export const albums = (visit) => cards(visit, {
  title: "Albums", noun: "album", path: "/api/albums", field: "albums", card: albumCard,
  empty: empty({ icon: "albums", title: "No albums yet", text: "Albums appear here as soon as the scan finds songs that belong to one." }),
});

/** @param {Visit} visit */
export const artists = (visit) => cards(visit, {
  title: "Artists", noun: "artist", path: "/api/artists", field: "artists", card: artistCard,
  empty: empty({ icon: "artists", title: "No artists yet", text: "Artists appear here as soon as the scan finds songs by one." }),
});

/** @param {Visit} visit */
export const playlists = (visit) => {
  const create = async () => { const made = await createPlaylist(); if (made) go(`#/playlists/${made.id}`); };
  return cards(visit, {
    title: "Playlists", noun: "playlist", path: "/api/playlists", field: "playlists", card: playlistCard,
    action: button("New playlist", () => void create(), { kind: "primary", icon: "plus", writes: true }),
    empty: empty({ icon: "playlists", title: "No playlists yet", text: "Make one here, or put an .m3u file into your music folder." }),
  });
};

/** The ways into the library, for small screens. */
export async function shelves() {
  /** @type {[string, string, import("../parts/icons.js").IconName][]} */
  const links = [["Songs", "#/songs", "songs"], ["Albums", "#/albums", "albums"], ["Artists", "#/artists", "artists"], ["Playlists", "#/playlists", "playlists"]];
  return h("div", { class: "view" }, head("Library", null),
    h("ul", { class: "big-links" }, ...links.map(([text, href, name]) => h("li", null, h("a", { href }, icon(name), text)))));
}
