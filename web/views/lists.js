// The screens that are one long list: songs, albums, artists, playlists, and the links to them.

import { maxQueue } from "../core/browser-queue.js";
import { h, setText } from "../core/dom.js";
import { plural } from "../core/format.js";
import { get } from "../core/http.js";
import { library } from "../core/library.js";
import { apiQuery, isFiltered, personalSorts, readQuery, songsQuery } from "../core/list-query.js";
import { playSongs, shuffleSongs } from "../core/play-all.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { albumCard, artistCard, cardGrid, playlistCard } from "../parts/cards.js";
import { button } from "../parts/controls.js";
import { icon } from "../parts/icons.js";
import { letterBar, listTools } from "../parts/list-tools.js";
import { bindPages } from "../parts/paged-list.js";
import { createPlaylist } from "../parts/playlist-picker.js";
import { createSmartPlaylist } from "../parts/smart-playlist.js";
import { followPlayer, songRows } from "../parts/song-rows.js";
import { empty } from "../parts/states.js";

/**
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {import("../core/types.js").Album} Album
 */

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

/** The genres and years of the catalog, for the filters; none if they cannot be read. */
async function filterChoices() {
  const [genres, years] = await Promise.all([
    library.all("/api/genres", "genres").catch(() => []), library.all("/api/years", "years").catch(() => []),
  ]);
  return { genres, years };
}

/**
 * Buttons that play all songs of a list, however many there are.
 * @param {string} query as of GET /api/songs @param {() => number} total
 */
function playButtons(query, total) {
  return h("div", { class: "actions" },
    button("Play all", () => void playSongs(query), { kind: "primary", icon: "play", writes: true }),
    button("Shuffle", () => void shuffleSongs(query, total()), { icon: "shuffle", writes: true }));
}

/**
 * What songs are sorted by, if it has initials.
 * @type {Record<string, (song: Song) => string | null>}
 */
const songNames = { title: (song) => song.title, artist: (song) => song.artist, album: (song) => song.album };

const fewest = 30; // rows from which on a list has initials

// How many songs are queued around one that is beyond the limit of a queue.
const queuedBefore = 50;
const queuedAfter = 100;

/** @param {import("../parts/screen.js").Visit} visit */
export async function songs({ query }) {
  const q = readQuery("songs", query);
  const params = apiQuery("songs", q);
  const path = `/api/songs?with=me${params && `&${params}`}`;
  const pages = /** @type {import("../core/pages.js").Pages<Song>} */ (library.list(path, "songs"));
  const [choices] = await Promise.all([filterChoices(), q.liked ? pages.openNewest() : pages.open()]);
  const tools = listTools("songs", q, choices);
  if (pages.total === 0) return h("div", { class: "view" }, head("Songs", null), ...noneFound(q, tools, "songs"));
  const playFarDown = async (/** @type {number} */ index) => {
    const { rows, at } = await pages.around(index, queuedBefore, queuedAfter);
    await player.start({ track_ids: rows.map(({ id }) => id) }, at);
  };
  const play = (/** @type {number} */ index) =>
    void (index < maxQueue ? playSongs(params, index) : playFarDown(index));
  const count = h("p", { class: "by" });
  const list = songRows({ songs: pages, label: "Songs", numbered: "index", play, pages });
  bindCounted(pages, list, count, "song");
  followPlayer(list);
  const name = songNames[q.sort];
  return h("div", { class: "view" }, head("Songs", count, playButtons(params, () => pages.total)), tools,
    name && pages.total > fewest && letterBar(pages, name, () => shownList(list), q.order === "desc"), list);
}

/** The list in the document: an update of the screen keeps the old one. @param {WindowList} list */
function shownList(list) {
  return list.isConnected ? list : /** @type {WindowList} */ (document.querySelector("main wax-list") ?? list);
}

/**
 * @param {import("../core/list-query.js").ListQuery} q @param {HTMLElement} tools
 * @param {"songs" | "albums" | "artists"} noun
 */
function noneFound(q, tools, noun) {
  const personal = personalSorts.includes(q.sort);
  if (personal || isFiltered(q)) {
    const text = personal ? "Play or rate something, and it appears here." : "Choose fewer filters to see more.";
    return [tools, empty({ icon: noun, title: `No ${noun} here`, text })];
  }
  return [empty({
    icon: noun, title: `No ${noun} yet`, text: `They appear here as soon as the scan finds them.`,
  })];
}

/** @typedef {import("../parts/window-list.js").WindowList} WindowList */

/**
 * @template {{id: string}} T
 * @param {"albums" | "artists"} name @param {string} title @param {URLSearchParams} query
 * @param {{card: (item: T) => import("../parts/cards.js").Card, nameOf: (sort: string) =>
 *   ((item: T) => string | null) | undefined}} kind
 */
async function filteredCards(name, title, query, { card, nameOf }) {
  const q = readQuery(name, query);
  const params = apiQuery(name, q);
  const pages = /** @type {import("../core/pages.js").Pages<T>} */ (
    library.list(`/api/${name}?with=me${params && `&${params}`}`, name));
  const changes = q.liked || personalSorts.includes(q.sort);
  const [choices] = await Promise.all([
    name === "albums" ? filterChoices() : { genres: [], years: [] }, changes ? pages.openNewest() : pages.open(),
  ]);
  const count = h("p", { class: "by" });
  const tools = listTools(name, q, choices);
  if (pages.total === 0) return h("div", { class: "view" }, head(title, null), ...noneFound(q, tools, name));
  const list = cardGrid(pages, card, title);
  bindCounted(pages, list, count, name.slice(0, -1));
  const songs = songsQuery(q);
  const playable = name === "albums" && songs && !q.liked ? playFiltered(songs) : null;
  const initials = nameOf(q.sort);
  return h("div", { class: "view" }, head(title, count, playable), tools,
    initials && pages.total > fewest && letterBar(pages, initials, () => shownList(list), q.order === "desc"), list);
}

/** Plays the songs of a genre or of years. @param {string} query */
function playFiltered(query) {
  const shuffleAll = async () => {
    const { total } = await get(`/api/songs?${query}&limit=1`).catch(() => ({ total: 0 }));
    await shuffleSongs(query, total);
  };
  return h("div", { class: "actions" },
    button("Play all", () => void playSongs(query), { kind: "primary", icon: "play", writes: true }),
    button("Shuffle", () => void shuffleAll(), { icon: "shuffle", writes: true }),
    h("a", { class: "button", href: `#/songs?${query}` }, "Songs"));
}

/** @param {import("../parts/screen.js").Visit} visit */
export function albums({ query }) {
  return filteredCards("albums", "Albums", query, {
    card: albumCard,
    nameOf: (sort) => ({
      title: (/** @type {Album} */ album) => album.title, artist: (/** @type {Album} */ album) => album.artist,
    })[sort],
  });
}

/** @param {import("../parts/screen.js").Visit} visit */
export function artists({ query }) {
  return filteredCards("artists", "Artists", query, {
    card: artistCard, nameOf: () => (/** @type {import("../core/types.js").Artist} */ artist) => artist.name,
  });
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

export function playlists() {
  const create = async () => {
    const created = await createPlaylist();
    if (created) go(`#/playlists/${created.id}`);
  };
  const createSmart = async () => {
    const created = await createSmartPlaylist();
    if (created) go(`#/playlists/${created.id}`);
  };
  const text = "Create one here, or put an .m3u file into your music folder.";
  return cards({
    title: "Playlists", noun: "playlist", path: "/api/playlists?with=me", field: "playlists", card: playlistCard,
    action: h("div", { class: "actions" },
      button("New playlist", () => void create(), { kind: "primary", icon: "plus", edits: true }),
      button("New smart playlist", () => void createSmart(), { icon: "smart", edits: true })),
    empty: empty({ icon: "playlists", title: "No playlists yet", text }),
  });
}

/** Links to the lists, for small screens. */
export async function libraryLinks() {
  /** @type {[string, string, import("../parts/icons.js").IconName][]} */
  const links = [
    ["Songs", "#/songs", "songs"], ["Albums", "#/albums", "albums"], ["Artists", "#/artists", "artists"],
    ["Genres and years", "#/genres", "genres"], ["Playlists", "#/playlists", "playlists"],
    ["Liked", "#/liked", "heart"], ["History", "#/history", "history"],
  ];
  const items = links.map(([text, href, name]) => h("li", null, h("a", { href }, icon(name), text)));
  return h("div", { class: "view" }, head("Library", null), h("ul", { class: "big-links" }, ...items));
}
