// Caches what the page has read of the catalog, so that going back is instant.

import { catalog } from "./catalog.js";
import { get } from "./http.js";
import { Pages } from "./pages.js";

const maxLists = 100;
const maxSingles = 200;
const maxShortPages = 10;

class Library {
  /** @type {Map<string, Pages<any>>} by path */
  #lists = new Map();
  /** @type {Map<string, Promise<any>>} single songs and albums by path */
  #singles = new Map();
  #generation = 0; // of the singles
  /** @type {string | null} */
  #me = null;

  /**
   * The list at a path. Its open() brings one that is out of date up to the newest generation.
   * @template {{id: string}} T @param {string} path @param {string} field @returns {Pages<T>}
   */
  list(path, field) {
    const pages = this.#lists.get(path) ?? new Pages(path, field);
    this.#lists.delete(path); // the list used last is the last one
    this.#lists.set(path, pages);
    dropFirst(this.#lists, maxLists);
    return pages;
  }

  /** @param {string} id @returns {Promise<import("./types.js").Song>} */
  async song(id) {
    const { song, file } = await this.#single(`/api/songs/${encodeURIComponent(id)}?with=me,file`);
    return { ...song, file };
  }

  /**
   * The ids of all songs that a selection names.
   * @param {import("./player.js").Selection} selection @returns {Promise<string[]>}
   */
  async songIds(selection) {
    if ("track_ids" in selection) return selection.track_ids;
    const path = "album_id" in selection ? `/api/albums/${selection.album_id}/songs`
      : "artist_id" in selection ? `/api/artists/${selection.artist_id}/songs`
      : "playlist_id" in selection ? `/api/playlists/${selection.playlist_id}/songs` : `/api/songs?${selection.songs}`;
    return (await this.all(path, "songs")).map(({ id }) => id);
  }

  /** @param {string} id @returns {Promise<import("./types.js").Album>} */
  async album(id) {
    return (await this.#single(`/api/albums/${encodeURIComponent(id)}?with=me`)).album;
  }

  /**
   * All rows of a list that is short.
   * @param {string} path @param {string} field @returns {Promise<any[]>}
   */
  async all(path, field) {
    const rows = [];
    for (let page = 1; page <= maxShortPages; page++) {
      const reply = await this.#single(`${path}${path.includes("?") ? "&" : "?"}limit=200&page=${page}`);
      rows.push(...reply[field]);
      if (rows.length >= reply.total) break;
    }
    return rows;
  }

  /**
   * Sends one request for all who want the same object. A failed one is not cached.
   * @param {string} path
   */
  #single(path) {
    if (this.#generation !== catalog.generation) this.#singles.clear();
    this.#generation = catalog.generation;
    const known = this.#singles.get(path);
    if (known) return known;
    const reply = get(path);
    this.#singles.set(path, reply);
    reply.catch(() => this.#singles.delete(path));
    dropFirst(this.#singles, maxSingles);
    return reply;
  }

  /** The id of the user whose player this is. */
  async me() {
    this.#me ??= (await get("/api/me")).user.id;
    return this.#me;
  }
}

/** @param {Map<string, unknown>} map @param {number} limit */
function dropFirst(map, limit) {
  if (map.size > limit) map.delete(/** @type {string} */ (map.keys().next().value));
}

export const library = new Library();
