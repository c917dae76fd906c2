// The player as this page knows it: the state from its event stream, and its commands.

import { browserOutput } from "./browser-output.js";
import { Playhead } from "./playhead.js";
import { followEvents } from "./event-stream.js";
import { ResponseError, get, isAbort, post, replies } from "./http.js";
import { showError, showNotice } from "./notices.js";
import { isCatalogPage } from "./server.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").QueueItem} QueueItem
 * @typedef {import("./types.js").PairRequest} PairRequest
 * @typedef {"connecting" | "online" | "offline" | "denied"} Connection
 * @typedef {{track_ids: string[]} | {album_id: string} | {artist_id: string}
 *   | {playlist_id: string} | {songs: string}} Selection songs: a query as of GET /api/songs
 */

/**
 * Dispatches "state", "queue", "connection", "permissions", "pairing", "catalog" and "output" when
 * they change. State, queue, playhead and commands are those of this browser while it plays.
 */
class Player extends EventTarget {
  /** @type {Connection} */
  connection = "connecting";
  /** Why it is offline; "" if the player does not reply. */
  offlineReason = "";
  /** @type {{state: State | null, queue: QueueItem[], playhead: Playhead}} the player's own */
  machine = { state: null, queue: [], playhead: new Playhead() };
  /** Whether this browser plays instead of the player's machine. */
  playsHere = isCatalogPage;
  /** @type {PairRequest[]} */
  pairing = [];
  /** @type {import("./types.js").CatalogState} */
  catalog = { revision: null, reachable: true };
  /** Whether the token has the permission write. */
  canWrite = true;
  /** Whether the token has the permission keys. */
  canManageAccess = true;
  /** @type {string | null} when the token expires */
  accessEnds = null;
  /** Seconds without use after which the token expires; 0: it does not. */
  accessIdle = 0;
  /** @type {ResponseError | null} why the server denied access */
  denial = null;

  #queueVersion = -1;
  #readingQueue = false;

  constructor() {
    super();
    for (const name of ["state", "queue"]) {
      browserOutput.addEventListener(name, () => { if (this.playsHere) this.#dispatch(name); });
    }
  }

  /** Whether this page may control what plays. */
  get canControl() {
    return this.playsHere || this.canWrite;
  }

  /** @returns {State | null} */
  get state() {
    return this.playsHere ? browserOutput.state : this.machine.state;
  }

  /** @returns {QueueItem[]} */
  get queue() {
    return this.playsHere ? browserOutput.queue : this.machine.queue;
  }

  get playhead() {
    return this.playsHere ? browserOutput.playhead : this.machine.playhead;
  }

  /** Shows and controls this browser, or the machine again. @param {boolean} here */
  setOutput(here) {
    this.playsHere = here;
    for (const name of ["output", "queue", "state"]) this.#dispatch(name);
  }

  /** Follows the player until the server denies access. @param {AbortSignal} signal */
  async run(signal) {
    this.#setConnection("connecting");
    const denied = new AbortController();
    // At the first refusal: more requests would count as attempts to guess a credential.
    replies.addEventListener("denied", (event) => {
      denied.abort();
      this.#deny(/** @type {CustomEvent<ResponseError>} */ (event).detail);
    }, { once: true });
    const denial = await followEvents({
      signal: AbortSignal.any([signal, denied.signal]), path: isCatalogPage ? "/api/events" : "/events",
      onOpen: () => { this.machine.playhead.reset(); this.#setPairing([]); void this.#readPermissions(); },
      onClose: (reason) => this.#setConnection("offline", reason),
      onEvent: ({ event, data }) => {
        if (event === "state") this.#setState(data);
        if (event === "pairing") this.#setPairing(data.waiting);
        if (event === "catalog") this.#setCatalog(data);
        if (event === "revision") this.#setRevision(data.revision);
        if (event === "overlay") this.dispatchEvent(new CustomEvent("overlay", { detail: data }));
      },
    });
    if (denial) this.#deny(denial);
  }

  /** @param {ResponseError} error */
  #deny(error) {
    if (this.denial) return;
    this.denial = error;
    this.#setConnection("denied");
  }

  /** @param {string} name */
  #dispatch(name) {
    this.dispatchEvent(new Event(name));
  }

  /** @param {Connection} connection @param {string} [reason] */
  #setConnection(connection, reason = "") {
    if (this.denial && connection !== "denied") return;
    if (connection === this.connection && reason === this.offlineReason) return;
    this.connection = connection;
    this.offlineReason = reason;
    this.#dispatch("connection");
  }

  /** @param {State} state */
  #setState(state) {
    const previous = this.machine.state;
    this.machine.state = state;
    this.machine.playhead.set(state);
    this.#setConnection("online");
    if (state.error && state.error !== previous?.error && previous) showError(state.error);
    if (state.queue_version !== this.#queueVersion) void this.#readQueue();
    if (!this.playsHere) this.#dispatch("state");
  }

  /** Reads the queue until it has the version of the newest state. */
  async #readQueue() {
    if (this.#readingQueue) return;
    this.#readingQueue = true;
    try {
      while (this.machine.state && this.machine.state.queue_version !== this.#queueVersion) {
        const version = this.machine.state.queue_version;
        this.machine.queue = (await get("/playback-queue")).queue;
        this.#queueVersion = version;
        if (!this.playsHere) this.#dispatch("queue");
      }
    } catch {
      this.#queueVersion = -1; // the next state event reads it again
    } finally {
      this.#readingQueue = false;
    }
  }

  /** @param {PairRequest[]} waiting */
  #setPairing(waiting) {
    if (waiting.length === 0 && this.pairing.length === 0) return;
    this.pairing = waiting;
    this.#dispatch("pairing");
  }

  /** @param {import("./types.js").CatalogState} catalog */
  #setCatalog(catalog) {
    this.catalog = catalog;
    this.#dispatch("catalog");
  }

  /** The stream of a catalog reports its revision. @param {string} revision */
  #setRevision(revision) {
    this.#setConnection("online");
    this.#setCatalog({ revision, reachable: true });
  }

  async #readPermissions() {
    // The stream reports that the connection is lost.
    const reply = await get(isCatalogPage ? "/api/keys/current" : "/token").catch(() => null);
    if (!reply) return;
    const { permissions, expires_at: ends, idle_expires_in: idle } = reply.token ?? reply.key;
    this.canWrite = permissions.includes("write");
    this.canManageAccess = permissions.includes("keys");
    this.accessEnds = ends;
    this.accessIdle = idle ?? 0;
    this.#dispatch("permissions");
  }

  /**
   * Sends a command and shows its error if it fails.
   * @param {string} path @param {unknown} [body]
   */
  async command(path, body) {
    if (this.playsHere && browserOutput.handles(path)) return browserOutput.command(path, body);
    if (!this.canWrite) {
      showError("This tab’s token is read-only.");
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
  seekBy = (by) => { if (this.state?.track) void this.seek(this.playhead.position + by); };
  /** @param {number} volume */
  volume = (volume) => {
    return this.command("/volume", { volume: Math.max(0, Math.min(100, Math.round(volume))), muted: false });
  };
  mute = () => this.command("/volume", { muted: !this.state?.muted });
  shuffle = () => this.command("/shuffle", { shuffle: !this.state?.shuffle });
  repeat = () => {
    const next = { off: "all", all: "one", on: "one", one: "off" };
    return this.command("/repeat", { repeat: next[this.state?.repeat ?? "off"] });
  };
  clear = () => this.command("/queue/clear");
  /** @param {string} id */
  track = (id) => this.command("/play", { track_id: id });
  /** @param {number} index @param {string} id */
  jump = (index, id) => this.command("/queue/jump", { index, id });

  /**
   * Replaces the queue by a selection and plays it.
   * @param {Selection} selection @param {number} [index]
   */
  start = async (selection, index = 0) => {
    const had = this.queue.length;
    const reply = await this.command("/queue/replace", { ...selection, index, play: true });
    if (reply && had > 0) this.offerUndo("The queue is replaced.");
    return reply;
  };

  /** Restores the queue as it was before the last change that removed items. */
  undo = () => this.command("/queue/undo");

  /** @param {string} text what has happened to the queue */
  offerUndo(text) {
    showNotice(text, { label: "Undo", run: () => void this.undo() });
  }

  /** @param {Selection} selection @param {"next" | "end"} at */
  add = (selection, at) => this.command("/queue/add", { ...selection, at });

  /** Removes an item here at once, then on the player. @param {number} index @param {string} id */
  async remove(index, id) {
    if (!this.playsHere) this.#showQueue(this.queue.toSpliced(index, 1));
    if (await this.command("/queue/remove", { index, id })) this.offerUndo("Removed from the queue.");
    else this.#rereadQueue();
  }

  /**
   * Moves an item here at once, then on the player.
   * @param {number} from @param {number} to @param {string} id
   */
  async move(from, to, id) {
    const moved = this.queue[from];
    if (!moved || from === to) return;
    if (!this.playsHere) this.#showQueue(this.queue.toSpliced(from, 1).toSpliced(to, 0, moved));
    if (!(await this.command("/queue/move", { from, to, id }))) this.#rereadQueue();
  }

  /** @param {QueueItem[]} queue of the machine, before it has confirmed a change */
  #showQueue(queue) {
    this.machine.queue = queue;
    this.#dispatch("queue");
  }

  /** Reverts a change that the player refused. */
  #rereadQueue() {
    this.#queueVersion = -1;
    void this.#readQueue();
  }
}

export const player = new Player();
