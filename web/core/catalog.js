// Runs the updates of the page when the catalog has changed. The player's event stream says when.

import { replies } from "./http.js";
import { player } from "./player.js";

const minInterval = 2_000; // between updates; also longer than two catalog servers can differ

class Catalog {
  /** Grows with each change: data that was read in an earlier generation is out of date. */
  generation = 0;
  /**
   * @type {string | null} null until the catalog has reported one, and for ever if it is too old to
   *   do so
   */
  revision = null;
  #reachable = true;
  #replied = ""; // the revision of the last reply
  /** @type {Set<() => Promise<void>>} */
  #updates = new Set();
  #holds = 0;
  #due = false;
  #running = false;
  #ranAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #recheck;

  start() {
    player.addEventListener("catalog", () => this.#report());
    replies.addEventListener("etag", (event) => this.#compare(/** @type {CustomEvent<string>} */ (event).detail));
    document.addEventListener("visibilitychange", () => this.#run());
  }

  /**
   * Runs an update after each change, until the signal aborts.
   * @param {() => Promise<void>} update @param {AbortSignal} [signal]
   */
  onChange(update, signal) {
    this.#updates.add(update);
    signal?.addEventListener("abort", () => this.#updates.delete(update), { once: true });
  }

  /** Runs the updates at once, for changes made on this page. */
  changed() {
    this.#ranAt = -Infinity;
    this.#expire();
  }

  #expire() {
    this.generation++;
    this.#due = true;
    this.#run();
  }

  /**
   * Delays updates while a menu, a dialog or a drag is in progress.
   * @returns {() => void} ends the delay
   */
  hold() {
    this.#holds++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      this.#run();
    };
  }

  #report() {
    const { revision, reachable } = player.catalog;
    const before = this.revision ?? (this.#replied || revision);
    const returned = reachable && !this.#reachable;
    this.#reachable = reachable;
    this.revision = revision ?? this.revision;
    if (returned || before !== this.revision) this.#expire();
  }

  /**
   * Notices a reply from a catalog server that does not know the newest revision yet.
   * @param {string} etag
   */
  #compare(etag) {
    this.#replied = /^W\/"([^.]+\.[^.]+)\./.exec(etag)?.[1] ?? "";
    if (!this.#replied || !this.revision || this.#replied === this.revision) return;
    clearTimeout(this.#recheck);
    this.#recheck = setTimeout(() => { if (this.#replied !== this.revision) this.#expire(); }, minInterval);
  }

  /**
   * Runs the updates now if nothing speaks against it. Whatever does, calls this again when it
   * ends.
   */
  #run() {
    if (!this.#due || this.#running || this.#holds > 0 || document.hidden) return;
    clearTimeout(this.#timer);
    const wait = this.#ranAt + minInterval - performance.now();
    if (wait > 0) this.#timer = setTimeout(() => this.#run(), wait);
    else void this.#runUpdates();
  }

  async #runUpdates() {
    this.#due = false;
    this.#running = true;
    this.#ranAt = performance.now();
    await Promise.allSettled([...this.#updates].map((update) => update()));
    this.#running = false;
    this.#run();
  }
}

export const catalog = new Catalog();
