// What the page remembers of the catalog between two screens, so that going back is instant.

import { get } from "./http.js";
import { Pages } from "./pages.js";

const keptFor = 5 * 60_000;

/** Tells "playlists" when a playlist was made, changed or deleted here. */
class Library extends EventTarget {
  /** @type {Map<string, {pages: Pages<any>, at: number}>} */
  #lists = new Map();
  /** @type {string | null} */
  #me = null;

  /** @template T @param {string} path @param {string} field @returns {Pages<T>} */
  list(path, field) {
    const known = this.#lists.get(path);
    if (known && Date.now() - known.at < keptFor && known.pages.loaded) return known.pages;
    const pages = /** @type {Pages<T>} */ (new Pages(path, field));
    this.#lists.set(path, { pages, at: Date.now() });
    return pages;
  }

  /** Forgets lists whose path begins like that. @param {string} [prefix] */
  forget(prefix = "") {
    for (const path of this.#lists.keys()) if (path.startsWith(prefix)) this.#lists.delete(path);
  }

  /** Forgets the lists that no screen shows; those that are shown renew themselves. */
  outdated() {
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
