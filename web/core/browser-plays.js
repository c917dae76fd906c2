// Reports to the catalog what this browser has played. Plays that cannot be reported yet are stored
// on this device; each has a key of its own, so that none counts twice.

import { ResponseError, request } from "./http.js";

const storageKey = "waxwing.plays";
const maxStored = 200;
const playedAfter = 30_000; // ms, or half of the song
const retryAfter = 30_000;
const longestStep = 5_000; // ms between two reports of the position, on a busy device

/** @typedef {{song_id: string, played_at: string, key: string}} Play */

export class BrowserPlays {
  #id = "";
  #heard = 0;
  /** @type {number | null} the position that was reported last; null after a seek */
  #last = null;
  #counted = true;
  #sending = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;

  /** Begins another listen, which counts as a play of its own. @param {string} id of the song */
  begin(id) {
    [this.#id, this.#heard, this.#counted, this.#last] = [id, 0, false, null];
  }

  /** What a seek skips is not heard. */
  seeked() {
    this.#last = null;
  }

  /** @param {number} position @param {number} duration of the song; both in milliseconds */
  heard(position, duration) {
    const step = position - (this.#last ?? position);
    this.#last = position;
    if (step > 0) this.#heard += Math.min(step, longestStep);
    if (this.#counted || this.#heard < Math.min(playedAfter, duration > 0 ? duration / 2 : playedAfter)) return;
    this.#counted = true;
    const play = { song_id: this.#id, played_at: new Date().toISOString(), key: hexKey() };
    store([...stored(), play].slice(-maxStored));
    void this.send();
  }

  /** Reports the stored plays, the oldest first. */
  async send() {
    if (this.#sending) return;
    this.#sending = true;
    clearTimeout(this.#retry);
    try {
      for (let play = stored()[0]; play; play = stored()[0]) {
        await report(play);
        const { key } = play;
        store(stored().filter((other) => other.key !== key));
      }
    } catch {
      this.#retry = setTimeout(() => void this.send(), retryAfter);
    } finally {
      this.#sending = false;
    }
  }
}

/** Throws if it makes sense to try again. @param {Play} play */
async function report({ key, ...play }) {
  try {
    await request("POST", "/api/plays", play, { headers: { "Idempotency-Key": key } });
  } catch (error) {
    const refused = error instanceof ResponseError && [400, 403, 404, 409, 413, 415].includes(error.status);
    if (!refused) throw error;
  }
}

function hexKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @returns {Play[]} */
function stored() {
  try {
    const plays = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(plays) ? plays : [];
  } catch {
    return [];
  }
}

/** @param {Play[]} plays */
function store(plays) {
  localStorage.setItem(storageKey, JSON.stringify(plays));
}
