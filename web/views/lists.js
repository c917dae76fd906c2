// The screens that are one long list: songs, albums, artists, playlists, and the links to them.

import { h, setText } from "../core/dom.js";
import { plural } from "../core/format.js";
import { library } from "../core/library.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { albumCard, artistCard, cardGrid, playlistCard } from "../parts/cards.js";
import { button } from "../parts/controls.js";
import { icon } from "../parts/icons.js";
import { bindPages } from "../parts/paged-list.js";
import { createPlaylist } from "../parts/playlist-picker.js";
import { followPlayer, songRows } from "../parts/song-rows.js";
import { empty } from "../parts/states.js";

/** @typedef {import("../core/types.js").Song} Song */

/** @param {string} title @param {HTMLElement | null} count @param {(Node | null)[]} actions */
function head(title, count, ...actions) {
  return h("header", { class: "view-head" }, h("div", null, h("h1", null, title), count), ...actions);
}

/**
 * Shows a list with its count.
 * @template {{id: string}} T
 * @param {import("../core/pages.js").Pages<T>} pages
 * @param {import("../parts/window-list.js").WindowList} list
 * @param {HTMLElement} count @param {string} noun
 */
function bindCounted(pages, list, count, noun) {
  const show = () => setText(count, plural(pages.total, noun));
  bindPages(pages, list, show);
  show();
}

// How many songs of a long list are queued around the one that was chosen.
const queuedBefore = 50;
const queuedAfter = 100;

export async function songs() {
  const pages = /** @type {import("../core/pages.js").Pages<Song>} */ (library.list("/api/songs", "songs"));
  await pages.open();
  if (pages.total === 0) {
    const text = "Songs appear here as soon as the scan finds them.";
    return h("div", { class: "view" }, head("Songs", null), empty({ icon: "songs", title: "No songs yet", text }));
  }
  const play = async (/** @type {number} */ index) => {
    const { rows, at } = await pages.around(index, queuedBefore, queuedAfter);
    const ids = (/** @type {Song[]} */ some) => some.filter(({ available }) => available).map(({ id }) => id);
    await player.start({ track_ids: ids(rows) }, ids(rows.slice(0, at)).length);
  };
  const count = h("p", { class: "by" });
  const list = songRows({ songs: pages, label: "Songs", numbered: "index", play: (index) => void play(index) });
  bindCounted(pages, list, count, "song");
  followPlayer(list);
  const playAll = button("Play", () => void play(0), { kind: "primary", icon: "play", writes: true });
  return h("div", { class: "view" }, head("Songs", count, playAll), list);
}

/**
 * @template {{id: string}} T
 * @param {{title: string, noun: string, path: string, field: string, empty: HTMLElement,
 *   action?: HTMLElement, card: (item: T) => import("../parts/cards.js").Card}} kind
 */
async function cards(kind) {
  const pages = /** @type {import("../core/pages.js").Pages<T>} */ (await library.list(kind.path, kind.field).open());
  const count = h("p", { class: "by" });
  const heading = head(kind.title, count, kind.action ?? null);
  if (pages.total === 0) return h("div", { class: "view" }, heading, kind.empty);
  const list = cardGrid(pages, kind.card, kind.title);
  bindCounted(pages, list, count, kind.noun);
  return h("div", { class: "view" }, heading, list);
}

export function albums() {
  const text = "Albums appear here as soon as the scan finds songs that belong to one.";
  return cards({
    title: "Albums", noun: "album", path: "/api/albums", field: "albums", card: albumCard,
    empty: empty({ icon: "albums", title: "No albums yet", text }),
  });
}

export function artists() {
  const text = "Artists appear here as soon as the scan finds songs by one.";
  return cards({
    title: "Artists", noun: "artist", path: "/api/artists", field: "artists", card: artistCard,
    empty: empty({ icon: "artists", title: "No artists yet", text }),
  });
}

export function playlists() {
  const create = async () => {
    const created = await createPlaylist();
    if (created) go(`#/playlists/${created.id}`);
  };
  const text = "Create one here, or put an .m3u file into your music folder.";
  return cards({
    title: "Playlists", noun: "playlist", path: "/api/playlists", field: "playlists", card: playlistCard,
    action: button("New playlist", () => void create(), { kind: "primary", icon: "plus", edits: true }),
    empty: empty({ icon: "playlists", title: "No playlists yet", text }),
  });
}

/** Links to the lists, for small screens. */
export async function libraryLinks() {
  /** @type {[string, string, import("../parts/icons.js").IconName][]} */
  const links = [
    ["Songs", "#/songs", "songs"], ["Albums", "#/albums", "albums"], ["Artists", "#/artists", "artists"],
    ["Playlists", "#/playlists", "playlists"],
  ];
  const items = links.map(([text, href, name]) => h("li", null, h("a", { href }, icon(name), text)));
  return h("div", { class: "view" }, head("Library", null), h("ul", { class: "big-links" }, ...items));
}
