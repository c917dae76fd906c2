// The player as this page knows it: what the events tell, and the commands.

import { Playhead } from "./clock.js";
import { follow } from "./follow.js";
import { ResponseError, get, isAbort, post } from "./http.js";
import { showError } from "./notices.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").QueueItem} QueueItem
 * @typedef {import("./types.js").PairRequest} PairRequest
 * @typedef {"connecting" | "live" | "away" | "refused"} Connection
 * @typedef {{track_ids: string[]} | {album_id: string} | {artist_id: string} | {playlist_id: string}} Selection
 */

/** Tells "state", "queue", "connection", "permissions" and "pairing" when they change. */
class Player extends EventTarget {
  /** @type {Connection} */
  connection = "connecting";
  /** @type {State | null} */
  state = null;
  /** @type {QueueItem[]} */
  queue = [];
  /** @type {PairRequest[]} */
  pairing = [];
  playhead = new Playhead();
  /** What the token may do. */
  canWrite = true;
  /** Whether it may decide who else gets in. */
  canManageAccess = true;
  /** @type {ResponseError | null} */
  refusal = null;

  #queueVersion = -1;
  #readingQueue = false;

  /** Follows the player until the server refuses. @param {AbortSignal} signal */
  async run(signal) {
    this.#connect("connecting");
    const refusal = await follow({
      signal,
      onOpen: () => { this.playhead.forget(); this.#pairs([]); this.#permissions(); },
      onLost: () => this.#connect("away"),
      onEvent: ({ event, data }) => {
        if (event === "state") this.#take(data);
        if (event === "pairing") this.#pairs(data.waiting);
      },
    });
    if (!refusal) return;
    this.refusal = refusal;
    this.#connect("refused");
  }

  /** @param {string} what */
  #tell(what) {
    this.dispatchEvent(new Event(what));
  }

  /** @param {Connection} connection */
  #connect(connection) {
    if (connection === this.connection) return;
    this.connection = connection;
    this.#tell("connection");
  }

  /** @param {State} state */
  #take(state) {
    const previous = this.state;
    this.state = state;
    this.playhead.set(state);
    this.#connect("live");
    if (state.error && state.error !== previous?.error && previous) showError(state.error);
    if (state.queue_version !== this.#queueVersion) void this.#readQueue();
    this.#tell("state");
  }

  /** Reads the queue until it is the one that the newest event speaks of. */
  async #readQueue() {
    if (this.#readingQueue) return;
    this.#readingQueue = true;
    try {
      while (this.state && this.state.queue_version !== this.#queueVersion) {
        const version = this.state.queue_version;
        this.queue = (await get("/playback-queue")).queue;
        this.#queueVersion = version;
        this.#tell("queue");
      }
    } catch {
      this.#queueVersion = -1; // the next event asks again
    } finally {
      this.#readingQueue = false;
    }
  }

  /** @param {PairRequest[]} waiting */
  #pairs(waiting) {
    if (waiting.length === 0 && this.pairing.length === 0) return;
    this.pairing = waiting;
    this.#tell("pairing");
  }

  async #permissions() {
    try {
      const { token } = await get("/token");
      this.canWrite = token.permissions.includes("write");
      this.canManage = token.permissions.includes("keys");
      this.#tell("permissions");
    } catch (error) {
      if (!(error instanceof ResponseError)) return; // the stream tells that the connection is lost
    }
  }

  /**
   * Carries out a command and tells people when it cannot be.
   * @param {string} path @param {unknown} [body]
   */
  async command(path, body) {
    if (!this.canWrite) {
      showError("This tab may look, but not touch: its token is read-only.");
      return null;
    }
    try {
      return await post(path, body);
    } catch (error) {
      if (!isAbort(error)) showError(error);
      return null;
    }
  }

  toggle = () => this.command("/toggle");
  next = () => this.command("/next");
  previous = () => (this.playhead.position > 4000 ? this.seek(0) : this.command("/previous"));
  /** @param {number} position */
  seek = (position) => this.command("/seek", { position: Math.max(0, Math.round(position)) });
  /** @param {number} by */
  nudge = (by) => { if (this.state?.track) void this.seek(this.playhead.position + by); };
  /** @param {number} volume */
  volume = (volume) => this.command("/volume", { volume: Math.max(0, Math.min(100, Math.round(volume))), muted: false });
  mute = () => this.command("/volume", { muted: !this.state?.muted });
  shuffle = () => this.command("/shuffle", { shuffle: !this.state?.shuffle });
  repeat = () => this.command("/repeat", { repeat: { off: "all", all: "one", on: "one", one: "off" }[this.state?.repeat ?? "off"] });
  clear = () => this.command("/queue/clear");
  /** @param {string} id */
  track = (id) => this.command("/play", { track_id: id });
  /** @param {number} index @param {string} id */
  jump = (index, id) => this.command("/queue/jump", { index, id });

  /** Plays a selection in place of the queue. @param {Selection} selection @param {number} [index] */
  start = (selection, index = 0) => this.command("/queue/replace", { ...selection, index, play: true });

  /** @param {Selection} selection @param {"next" | "end"} at */
  add = (selection, at) => this.command("/queue/add", { ...selection, at });

  /** @param {number} index @param {string} id */
  async drop(index, id) {
    this.queue = this.queue.toSpliced(index, 1);
    this.#tell("queue");
    if (!(await this.command("/queue/remove", { index, id }))) this.#reread();
  }

  /** Moves an item at once here, then on the player. @param {number} from @param {number} to @param {string} id */
  async move(from, to, id) {
    const moved = this.queue[from];
    if (!moved || from === to) return;
    this.queue = this.queue.toSpliced(from, 1).toSpliced(to, 0, moved);
    this.#tell("queue");
    if (!(await this.command("/queue/move", { from, to, id }))) this.#reread();
  }

  /** What was shown before the player agreed is taken back. */
  #reread() {
    this.#queueVersion = -1;
    void this.#readQueue();
  }
}

export const player = new Player();
