// The menus of songs, albums, artists and playlists.

import { go } from "../core/router.js";
import { library } from "../core/library.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { showError, showNotice } from "../core/notices.js";
import { plural } from "../core/format.js";
import { openMenu } from "./menu.js";
import { addToPlaylist } from "./playlist-picker.js";

/** @typedef {import("../core/types.js").Song} Song */
/** @typedef {import("./menu.js").Entry} Entry */

/**
 * @param {import("../core/player.js").Selection} selection @param {"next" | "end"} at
 * @param {string} name
 */
export async function enqueue(selection, at, name) {
  const reply = await player.add(selection, at);
  if (!reply) return;
  const one = `“${name}” ${at === "next" ? "plays next" : "is in the queue"}.`;
  showNotice(reply.added === 1 ? one : `${plural(reply.added, "song")} added to the queue.`);
}

/**
 * @param {import("../core/player.js").Selection} selection @param {string} name
 * @returns {Entry[]}
 */
function queueEntries(selection, name) {
  if (!player.canControl) return [];
  return [
    { label: "Play next", icon: "next", run: () => void enqueue(selection, "next", name) },
    { label: "Add to queue", icon: "queue", run: () => void enqueue(selection, "end", name) },
  ];
}

/** @param {Element | {x: number, y: number}} at @param {Song} song @param {Entry[]} [more] */
export function songMenu(at, song, more = []) {
  const selection = { track_ids: [song.id] };
  /** @type {Entry[]} */
  const entries = song.available ? queueEntries(selection, song.title) : [];
  if (player.canWrite) {
    entries.push({ label: "Add to playlist…", icon: "playlists", run: () => void addToPlaylist([song.id]) });
  }
  entries.push(...more, ...opinionEntries(song));
  if (entries.length > 0) entries.push(null);
  const { album_id: album, artist_id: artist, artists } = song;
  if (album) entries.push({ label: "Go to album", icon: "albums", run: () => go(`#/albums/${album}`) });
  const toArtist = (/** @type {string} */ label, /** @type {string} */ id) =>
    entries.push({ label, icon: "artists", run: () => go(`#/artists/${id}`) });
  if (artists.length > 1) artists.forEach(({ id, name }) => toArtist(`Go to ${name}`, id));
  else if (artist) toArtist("Go to artist", artist);
  if (entries.at(-1) === null) entries.pop();
  openMenu(at, entries, `“${song.title}”`);
}

/**
 * Heart and stars.
 * @param {import("../core/personal.js").Rated} thing @returns {Entry[]}
 */
function opinionEntries(thing) {
  if (!player.canWrite) return [];
  const { liked, rating } = personal.of(thing);
  return [
    null,
    { label: liked ? "Unlike" : "Like", icon: liked ? "liked" : "heart", run: () => void personal.like(thing) },
    { label: "Rating", rating, rate: (stars) => void personal.rate(thing, stars) },
  ];
}

/**
 * @param {Element | {x: number, y: number}} at
 * @param {import("../core/player.js").Selection} selection @param {string} name
 * @param {{more?: Entry[], first?: Entry[], thing?: import("../core/personal.js").Rated}} [options]
 *   thing: what can be liked
 */
export function collectionMenu(at, selection, name, { more = [], first = [], thing } = {}) {
  const add = async () => {
    try {
      await addToPlaylist(await library.songIds(selection));
    } catch (error) {
      showError(error);
    }
  };
  /** @type {Entry[]} */
  const playlist = player.canWrite ? [{ label: "Add to playlist…", icon: "playlists", run: () => void add() }] : [];
  openMenu(at, [...first, ...queueEntries(selection, name), ...playlist, ...(thing ? opinionEntries(thing) : []),
    ...more], name);
}
