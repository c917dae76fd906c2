// What the user likes and how they rate it. A change is shown at once, wherever the thing stands.

import { catalog } from "./catalog.js";
import { put, remove } from "./http.js";
import { showError } from "./notices.js";
import { player } from "./player.js";

/**
 * @typedef {{liked: boolean, rating: number}} Opinion
 * @typedef {{id: string, me?: Opinion}} Rated a song, album, artist or playlist
 */

/** Dispatches "change" after each one. */
class Personal extends EventTarget {
  /** @type {Map<string, Partial<Opinion>>} what was changed since the page was opened */
  #changed = new Map();
  #reported = "";

  constructor() {
    super();
    player.addEventListener("state", () => this.#readState());
  }

  /** @param {Rated} thing @returns {Opinion} */
  of({ id, me }) {
    return { liked: me?.liked ?? false, rating: me?.rating ?? 0, ...this.#changed.get(id) };
  }

  /** @param {Rated} thing @param {boolean} [liked] default: the opposite of now */
  async like(thing, liked = !this.of(thing).liked) {
    const path = `/api/me/likes/${encodeURIComponent(thing.id)}`;
    await this.#change(thing, { liked }, () => (liked ? put(path) : remove(path)));
  }

  /** @param {Rated} thing @param {number} rating 0 removes it */
  async rate(thing, rating) {
    await this.#change(thing, { rating }, () => put(`/api/me/ratings/${encodeURIComponent(thing.id)}`, { rating }));
  }

  /**
   * @param {Rated} thing @param {Partial<Opinion>} change @param {() => Promise<unknown>} send
   */
  async #change(thing, change, send) {
    const before = this.of(thing);
    this.#set(thing.id, change);
    try {
      await send();
      catalog.changed();
    } catch (error) {
      this.#set(thing.id, before);
      showError(error);
    }
  }

  /** @param {string} id @param {Partial<Opinion>} change */
  #set(id, change) {
    this.#changed.set(id, { ...this.#changed.get(id), ...change });
    this.dispatchEvent(new Event("change"));
  }

  /** Takes over what another app changed of the current track. */
  #readState() {
    const { track, liked, rating } = player.state ?? {};
    if (!track || typeof liked !== "boolean" || typeof rating !== "number") return;
    const now = JSON.stringify([track.id, liked, rating]);
    if (now === this.#reported) return;
    this.#reported = now;
    this.#set(track.id, { liked, rating });
  }
}

export const personal = new Personal();
