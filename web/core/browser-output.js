// Plays on this device. It has the state and the commands of a player, so that every control of the
// page works for both.

import { BrowserDeck } from "./browser-deck.js";
import { BrowserPlays } from "./browser-plays.js";
import { BrowserQueue } from "./browser-queue.js";
import { gainFactor, readSelection, readSong, readTrending } from "./browser-songs.js";
import { remembered, rememberLater } from "./browser-state.js";
import { request } from "./http.js";
import { showError } from "./notices.js";

/**
 * @typedef {import("./types.js").State} State
 * @typedef {import("./types.js").QueueItem} QueueItem
 * @typedef {{items: QueueItem[], index: number, position: number, shuffle: boolean,
 *   repeat: import("./types.js").Repeat}} Snapshot position: milliseconds
 */

const maxUndo = 10;

/** Dispatches "state" and "queue" when they change. */
class BrowserOutput extends EventTarget {
  #queue = new BrowserQueue();
  #deck = new BrowserDeck();
  #plays = new BrowserPlays();
  #version = 0;
  #queueVersion = 0;
  #volume = 100;
  #muted = false;
  #album = ""; // of the current song
  /** @type {string | null} of the current song */
  #albumId = null;
  /** @type {string | null} of the song before, if it was played to its end */
  #albumBefore = null;
  #failures = 0; // songs in a row
  #ended = false;
  #isUsed = false;
  #resumeAt = 0; // ms, of a song that is not loaded
  #channel = new BroadcastChannel("waxwing-browser-output");
  /**
   * @type {{memory: BrowserQueue["memory"], position: number, playing: boolean}[]} what undo
   *   restores, the newest last
   */
  #earlier = [];
  /** @type {State} */
  state;

  /** @type {Record<string, (body: any) => unknown>} */
  #commands = {
    "/play": ({ track_id: id }) => (id ? this.#playSong(id) : this.#resume()),
    "/pause": () => this.pause(),
    "/toggle": () => (this.#deck.wanted ? this.pause() : this.#resume()),
    "/next": () => this.#skip(1),
    "/previous": () => this.#skip(-1),
    "/stop": () => { this.pause(); this.seek(0); },
    "/seek": ({ position }) => this.seek(position),
    "/volume": (body) => this.#setVolume(body),
    "/shuffle": ({ shuffle }) => { this.#queue.setShuffle(shuffle ?? !this.#queue.shuffle); this.#orderChanged(); },
    "/repeat": ({ repeat }) => { this.#queue.repeat = repeat; this.#orderChanged(); },
    "/queue/replace": (body) => this.#replace(body),
    "/queue/add": async ({ at, index, ...selection }) => {
      const added = this.#queue.add(await readSelection(selection), index ?? at ?? "end");
      this.#earlier = [];
      this.#queueChanged();
      return { added };
    },
    "/queue/remove": ({ index }) => this.#remove(index),
    "/queue/move": ({ from, to }) => { this.#queue.move(from, to); this.#earlier = []; this.#queueChanged(); },
    "/queue/clear": () => { this.#keepEarlier(); this.#queue.replace([], 0); this.#unload(); this.#queueChanged(); },
    "/queue/undo": () => this.#undo(),
    "/queue/jump": ({ index }) => { this.#queue.jump(index); this.#load(0, true); },
    "/like": () => this.#changePersonal("PUT", "likes"),
    "/unlike": () => this.#changePersonal("DELETE", "likes"),
    "/rate": (body) => this.#changePersonal("PUT", "ratings", body),
  };

  constructor() {
    super();
    const { volume, muted, ...last } = remembered();
    [this.#volume, this.#muted] = [volume, muted];
    this.#applyVolume();
    this.adopt(last);
    this.state = this.#newState();
    this.#deck.addEventListener("change", () => this.#changed());
    this.#deck.addEventListener("time", () => this.#timePassed());
    this.#deck.addEventListener("advanced", () => this.#advanced());
    this.#deck.addEventListener("ended", () => { this.#ended = true; this.pause(); });
    this.#deck.addEventListener("failed", (event) => this.#failed(/** @type {CustomEvent<string>} */ (event).detail));
    this.#channel.addEventListener("message", () => this.pause()); // another tab plays now
    addEventListener("pagehide", () => this.#remember(0));
    addEventListener("online", () => void this.#plays.send());
    if (this.queue.length > 0) void this.#plays.send();
  }

  get queue() {
    return this.#queue.items;
  }

  playhead = {
    output: this,
    /** Milliseconds. */
    get position() { return this.output.#position; },
    get duration() { return this.output.state.track?.duration ?? 0; },
    get running() { return this.output.state.rate === 1; },
  };

  get #position() {
    const { current } = this.#queue;
    if (!current || this.#ended) return 0;
    const position = this.#deck.loaded === null ? this.#resumeAt : this.#deck.position;
    return Math.min(position, 1000 * current.duration || position);
  }

  /** @returns {Snapshot & {volume: number, muted: boolean}} */
  get snapshot() {
    const { items, index, shuffle, repeat } = this.#queue;
    return { items, index, shuffle, repeat, position: this.#position, volume: this.#volume, muted: this.#muted };
  }

  /** Whether there is a command with that path. @param {string} path */
  handles(path) {
    return Object.hasOwn(this.#commands, path);
  }

  /**
   * Carries out a command of a player, and shows its error if it fails.
   * @param {string} path @param {any} [body]
   */
  async command(path, body = {}) {
    this.unlock();
    try {
      const result = await this.#commands[path]?.(body);
      return { ok: true, ...(typeof result === "object" ? result : {}) };
    } catch (error) {
      showError(error);
      return null;
    }
  }

  /** Call this during a touch or a click, before anything that waits. */
  unlock() {
    this.#isUsed = true;
    this.#deck.unlock();
  }

  /** Stores the state of a page that has played here. @param {number} [within] milliseconds */
  #remember(within) {
    if (this.#isUsed) rememberLater(this.snapshot, within);
  }

  /** Takes over a queue, without playing it. @param {Snapshot} from */
  adopt({ items, index, position, shuffle, repeat }) {
    this.#deck.unload();
    this.#ended = false;
    this.#resumeAt = position;
    this.#queue.repeat = repeat;
    this.#queue.shuffle = shuffle;
    this.#queue.replace(items, index);
    this.#album = "";
    this.#queueChanged();
  }

  /**
   * Loads the current song at a position, and resolves when it could play at once.
   * @param {number} position milliseconds @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  load(position, signal) {
    return new Promise((resolve, reject) => {
      const ending = new AbortController();
      const listen = { signal: ending.signal };
      const end = (/** @type {() => void} */ act) => () => { ending.abort(); act(); };
      const failed = (/** @type {Event} */ event) => {
        event.stopImmediatePropagation();
        end(() => reject(new Error(/** @type {CustomEvent<string>} */ (event).detail)))();
      };
      this.#deck.addEventListener("change", () => { if (this.#deck.ready) end(resolve)(); }, listen);
      this.#deck.addEventListener("failed", failed, { ...listen, capture: true });
      signal.addEventListener("abort", end(() => reject(signal.reason)), listen);
      this.#load(position, false);
    });
  }

  play() {
    this.#channel.postMessage("playing");
    return this.#deck.play();
  }

  pause() {
    this.#deck.pause();
  }

  /** @param {number} position milliseconds */
  seek(position) {
    this.#ended = false;
    this.#resumeAt = position;
    this.#plays.seeked();
    this.#deck.seek(position);
    this.#changed();
  }

  /** Stops, for a page that may not play any more. */
  stop() {
    this.#unload();
  }

  async #resume() {
    if (!this.#queue.current) this.#queue.replace(await readTrending(), 0);
    if (!this.#queue.current) throw new Error("There is nothing to play: the library is empty.");
    if (this.#ended) this.#queue.rewind();
    if (this.#ended || this.#deck.loaded === null) this.#load(this.#ended ? 0 : this.#resumeAt, true);
    else await this.play();
    this.#queueChanged();
  }

  /** Plays a song of the queue, or adds it behind the current one. @param {string} id */
  async #playSong(id) {
    let index = this.#queue.items.findIndex((item) => item.id === id);
    if (index < 0) {
      const items = await readSelection({ track_ids: [id] });
      index = this.#queue.index + 1;
      this.#queue.add(items, "next");
    }
    this.#queue.jump(index);
    this.#load(0, true);
    this.#queueChanged();
  }

  /** @param {any} body of /queue/replace */
  async #replace({ index = 0, play = true, ...selection }) {
    const items = await readSelection(selection);
    if (items.length === 0) throw new Error("There is nothing to play.");
    this.#keepEarlier();
    this.#queue.replace(items, index);
    this.#load(0, play);
    this.#queueChanged();
    return { added: items.length };
  }

  #keepEarlier() {
    if (!this.#queue.current) return;
    const entry = { memory: this.#queue.memory, position: this.#position, playing: this.state.is_playing };
    this.#earlier = [...this.#earlier, entry].slice(-maxUndo);
  }

  #undo() {
    const earlier = this.#earlier.pop();
    if (!earlier) throw new Error("There is nothing to undo.");
    const before = this.#queue.current;
    this.#queue.recall(earlier.memory);
    if (this.#queue.current !== before) this.#load(earlier.position, earlier.playing);
    this.#queueChanged();
  }

  /** @param {number} index */
  #remove(index) {
    const playing = this.#deck.wanted;
    this.#keepEarlier();
    const { wasCurrent, ended } = this.#queue.remove(index);
    if (wasCurrent && this.#queue.current) this.#load(0, playing && !ended);
    else if (wasCurrent) this.#unload();
    this.#queueChanged();
  }

  /** @param {1 | -1} by */
  #skip(by) {
    if (!this.#queue.current) throw new Error("The queue is empty.");
    this.#queue.step(by);
    this.#load(0, this.#deck.wanted);
  }

  /** @param {{volume?: number, muted?: boolean}} body */
  #setVolume({ volume = this.#volume, muted = this.#muted }) {
    [this.#volume, this.#muted] = [volume, muted];
    this.#applyVolume();
    this.#changed();
  }

  /**
   * @param {string} method @param {"likes" | "ratings"} what of the current song
   * @param {unknown} [body]
   */
  async #changePersonal(method, what, body) {
    const { current } = this.#queue;
    if (!current) throw new Error("Nothing is playing.");
    await request(method, `/api/me/${what}/${encodeURIComponent(current.id)}`, body);
  }

  /** The third power is close to how loudness is perceived; players do the same. */
  #applyVolume() {
    this.#deck.setVolume(this.#muted ? 0 : (this.#volume / 100) ** 3);
  }

  /** Loads the current song. @param {number} position @param {boolean} play */
  #load(position, play) {
    const { current } = this.#queue;
    if (!current) return;
    this.#ended = false;
    this.#resumeAt = position;
    this.#album = "";
    this.#albumBefore = null;
    this.#deck.load(current.id, position, play);
    if (play) this.#channel.postMessage("playing");
    this.#plays.begin(current.id);
    void this.#followUp();
    this.#changed();
  }

  #unload() {
    this.#deck.unload();
    this.#resumeAt = 0;
    this.#changed();
  }

  #advanced() {
    this.#queue.advance();
    this.#failures = 0;
    this.#album = "";
    this.#albumBefore = this.#albumId;
    this.#plays.begin(this.#queue.current?.id ?? "");
    void this.#followUp();
    this.#changed();
  }

  /** Loads the song that follows, and what is known of both. */
  async #followUp() {
    const { current, upcoming, shuffle } = this.#queue;
    if (!current || this.#deck.loaded === null) return;
    this.#deck.prepare(upcoming?.id ?? null);
    const [reply, next] = await Promise.all([current, upcoming].map((item) => {
      return item && readSong(item.id).catch(() => null); // the deck reports what cannot be read
    }));
    if (this.#queue.current !== current || !reply) return;
    this.#album = reply.song.album ?? "";
    this.#albumId = reply.song.album_id;
    const isAlbum = (/** @type {string | null | undefined} */ id) => id === this.#albumId;
    const withNext = !shuffle && this.#albumId !== null && next !== reply && isAlbum(next?.song.album_id);
    const inAlbum = withNext || (!shuffle && this.#albumId !== null && isAlbum(this.#albumBefore));
    this.#deck.setGain(current.id, gainFactor(reply.gain, inAlbum));
    if (next && upcoming) this.#deck.setGain(upcoming.id, gainFactor(next.gain, withNext));
    this.#changed();
  }

  /** The song that follows may be another one now. */
  #orderChanged() {
    void this.#followUp();
    this.#changed();
  }

  #queueChanged() {
    this.#queueVersion++;
    this.dispatchEvent(new Event("queue"));
    this.#orderChanged();
  }

  #timePassed() {
    this.#failures = 0;
    this.#plays.heard(this.#deck.position, 1000 * (this.#queue.current?.duration ?? 0));
    this.#remember();
  }

  /** Goes on with the next song, unless nothing can be played. @param {string} reason */
  #failed(reason) {
    const { current, items } = this.#queue;
    showError(`“${current?.title ?? ""}” cannot be played here. ${reason}`);
    const playing = this.#deck.wanted;
    if (!playing || ++this.#failures >= Math.min(items.length, 5) || !this.#queue.advance()) return this.#unload();
    this.#load(0, true);
  }

  #changed() {
    this.#version++;
    this.state = this.#newState();
    this.#remember();
    this.dispatchEvent(new Event("state"));
  }

  /** @returns {State} */
  #newState() {
    const { current, index, shuffle, repeat, items } = this.#queue;
    const [position, playing] = [this.#position, this.#deck.wanted && !this.#ended];
    const track = current && {
      ...current, album: this.#album, duration: 1000 * current.duration, position, is_playing: playing,
    };
    return {
      version: this.#version, track, is_playing: playing, shuffle, repeat, volume: this.#volume, muted: this.#muted,
      position, timestamp: new Date().toISOString(), rate: playing && this.#deck.running ? 1 : 0,
      queue_version: this.#queueVersion, queue_length: items.length, current_index: index, current_item_id: null,
      state: playing ? "playing" : current ? "paused" : "stopped", stop_after: "off", consume: "off", stream: null,
      output: null, error: null, liked: null, rating: null,
    };
  }
}

export const browserOutput = new BrowserOutput();
