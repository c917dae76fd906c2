// What the page remembers of the catalog between two screens, so that going back is instant.

import { get } from "./http.js";
import { Pages } from "./pages.js";

const maxAge = 5 * 60_000;
const maxSingles = 200;

/** Tells "playlists" when a playlist was made, changed or deleted here. */
class Library extends EventTarget {
  /** @type {Map<string, {pages: Pages<any>, at: number}>} */
  #lists = new Map();
  /** @type {Map<string, Promise<any>>} single songs and albums by their path */
  #singles = new Map();
  /** @type {string | null} */
  #me = null;

  /** @template T @param {string} path @param {string} field @returns {Pages<T>} */
  list(path, field) {
    const known = this.#lists.get(path);
    if (known && Date.now() - known.at < maxAge && known.pages.loaded) return known.pages;
    const pages = /** @type {Pages<T>} */ (new Pages(path, field));
    this.#lists.set(path, { pages, at: Date.now() });
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

  /** Asks once, however many want it; what could not be had is asked for again. @param {string} path */
  #single(path) {
    const known = this.#singles.get(path);
    if (known) return known;
    const asked = get(path);
    this.#singles.set(path, asked);
    asked.catch(() => this.#singles.delete(path));
    if (this.#singles.size > maxSingles) this.#singles.delete(/** @type {string} */ (this.#singles.keys().next().value));
    return asked;
  }

  /** Forgets lists whose path begins like that. @param {string} [prefix] */
  forget(prefix = "") {
    this.#singles.clear();
    for (const path of this.#lists.keys()) if (path.startsWith(prefix)) this.#lists.delete(path);
  }

  /** Forgets the lists that no screen shows; those that are shown renew themselves. */
  outdated() {
    this.#singles.clear();
    for (const [path, { pages }] of this.#lists) if (pages.watchers === 0) this.#lists.delete(path);
  }

  playlistsChanged() {
    this.forget("/api/playlists");
    this.dispatchEvent(new Event("playlists"));
  }

  /** The id of the person whose player this is. */
  async me() {
    this.#me ??= (await get("/user/public")).user.id;
    return this.#me;
  }
}

export const library = new Library();
