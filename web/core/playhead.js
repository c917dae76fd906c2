// The position in the track between two events.

/** @typedef {import("./types.js").State} State */

/**
 * Events have a position and the time at which it was sampled, by the server's clock. The smallest
 * difference seen between that time and ours is the offset of the clocks; a larger one means that
 * an event was delayed.
 */
export class Playhead {
  #offset = Infinity;
  /** @type {State | null} */
  #state = null;

  /** @param {State | null} state */
  set(state) {
    this.#state = state;
    if (state) this.#offset = Math.min(this.#offset, Date.now() - Date.parse(state.timestamp));
  }

  /** Forgets the offset of the clocks, which may be another after a reconnect. */
  reset() {
    this.#offset = Infinity;
  }

  /** @returns {number} milliseconds */
  get position() {
    const state = this.#state;
    if (!state?.track) return 0;
    const since = Date.now() - Date.parse(state.timestamp) - this.#offset;
    return Math.min(state.track.duration, state.position + state.rate * Math.max(0, since));
  }

  get duration() {
    return this.#state?.track?.duration ?? 0;
  }

  get running() {
    return this.#state?.rate === 1;
  }
}
