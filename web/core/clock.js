// Where the listener is in the track, between two events.

/** @typedef {import("./types.js").State} State */

/**
 * Events tell a position and when it was sampled, by the server's clock. The smallest difference seen between the two clocks
 * is what they differ by; an event that took longer only came late.
 */
export class Playhead {
  #difference = Infinity;
  /** @type {State | null} */
  #state = null;

  /** @param {State | null} state */
  set(state) {
    this.#state = state;
    if (state) this.#difference = Math.min(this.#difference, Date.now() - Date.parse(state.timestamp));
  }

  /** After a reconnect the clocks may differ otherwise. */
  forget() {
    this.#difference = Infinity;
  }

  /** @returns {number} milliseconds */
  get position() {
    const state = this.#state;
    if (!state?.track) return 0;
    const since = Date.now() - Date.parse(state.timestamp) - this.#difference;
    return Math.min(state.track.duration, state.position + state.rate * Math.max(0, since));
  }

  get duration() {
    return this.#state?.track?.duration ?? 0;
  }

  get running() {
    return this.#state?.rate === 1;
  }
}
