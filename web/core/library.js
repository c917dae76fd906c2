// Caches what the page has read of the catalog, so that going back is instant.

import { catalog } from "./catalog.js";
import { get } from "./http.js";
import { Pages } from "./pages.js";

const maxLists = 100;
const maxSingles = 200;

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
    return (await this.#single(`/api/songs/${encodeURIComponent(id)}`)).song;
  }

  /** @param {string} id @returns {Promise<import("./types.js").Album>} */
  async album(id) {
    return (await this.#single(`/api/albums/${encodeURIComponent(id)}`)).album;
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
