// One audio element and the song in it. A voice that cannot get its audio tries again.

import { ResponseError, Unreachable } from "./http.js";
import { audioURL, conversion, lossless, readSong } from "./browser-songs.js";
import { silenceURL } from "./silence.js";

const firstWait = 300;
const longWait = 5_000;
const maxTries = 6; // of a song that the server has and the browser cannot read
const samePlace = 2; // seconds
const nothing = 0, metadata = 1, enough = 3; // values of readyState

/**
 * Dispatches "change", "time" and "ended", and "failed" with the reason if the song cannot be
 * played.
 */
export class Voice extends EventTarget {
  audio = new Audio();
  /** @type {string | null} the id of the song */
  id = null;
  /** Whether it should be playing. */
  wanted = false;
  #from = 0; // seconds, until the audio has its metadata
  #format = "";
  #tries = 0;
  #failedAt = 0; // seconds
  #turn = 0; // of loading; a newer one supersedes it
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;

  constructor() {
    super();
    this.audio.preload = "auto";
    const on = (/** @type {string} */ name, /** @type {() => void} */ act) => {
      this.audio.addEventListener(name, () => { if (this.id !== null && this.#hasSong) act(); });
    };
    on("loadedmetadata", () => this.#start());
    on("timeupdate", () => this.dispatchEvent(new Event("time")));
    on("ended", () => this.dispatchEvent(new Event("ended")));
    on("error", () => this.#failed());
    on("pause", () => { if (!this.audio.ended && !this.audio.error) this.#stoppedBySystem(); });
    for (const name of ["playing", "waiting", "seeked", "canplay", "durationchange"]) {
      on(name, () => this.dispatchEvent(new Event("change")));
    }
  }

  get #hasSong() {
    return this.audio.src.includes("/media/songs/");
  }

  /** The browser or the system paused it, for example for a telephone call. */
  #stoppedBySystem() {
    if (!this.wanted) return;
    this.wanted = false;
    this.dispatchEvent(new Event("change"));
  }

  /** Milliseconds. */
  get position() {
    return 1000 * (this.audio.readyState >= metadata && this.#hasSong ? this.audio.currentTime : this.#from);
  }

  /** Milliseconds; 0 while unknown. */
  get duration() {
    return Number.isFinite(this.audio.duration) && this.#hasSong ? 1000 * this.audio.duration : 0;
  }

  /** Whether sound comes out. */
  get running() {
    return this.wanted && !this.audio.paused && !this.audio.seeking && this.audio.readyState >= enough;
  }

  /** Whether it could play at once. */
  get ready() {
    return this.id !== null && this.#hasSong && !this.audio.seeking && this.audio.readyState >= enough;
  }

  /** @param {string} id of a song @param {number} position milliseconds */
  load(id, position = 0) {
    this.clear();
    this.id = id;
    this.#from = position / 1000;
    this.#format = "";
    this.#tries = 0;
    void this.#open();
  }

  clear() {
    this.#turn++;
    clearTimeout(this.#retry);
    this.id = null;
    this.wanted = false;
    this.audio.pause();
    this.audio.removeAttribute("src");
    this.audio.load();
  }

  async #open() {
    const [turn, id] = [++this.#turn, this.id ?? ""];
    try {
      const { song } = await readSong(id);
      this.#format ||= conversion(this.audio, song.format);
      const url = await audioURL(id, this.#format);
      if (turn !== this.#turn) return;
      this.audio.src = url;
    } catch (error) {
      if (turn === this.#turn) this.#again(error);
    }
  }

  /** Seeks and plays once the duration is known. */
  #start() {
    if (this.#from > 0) this.audio.currentTime = this.#from;
    if (this.wanted) void this.play();
    this.dispatchEvent(new Event("change"));
  }

  /** The element gave up: the format, an expired link, or the network. */
  #failed() {
    this.#from = this.position / 1000;
    if (Math.abs(this.#from - this.#failedAt) > samePlace) this.#tries = 0;
    this.#failedAt = this.#from;
    const { code = 0 } = this.audio.error ?? {};
    const isFormat = code === MediaError.MEDIA_ERR_DECODE || code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED;
    if (isFormat && !this.#format && this.#tries > 0) this.#format = lossless(this.audio);
    this.#again(null);
  }

  /** Opens the song again after a while. @param {unknown} error of the server, or null */
  #again(error) {
    this.#turn++;
    const refused = error instanceof ResponseError && error.status < 500 && error.status !== 429;
    if (!(error instanceof Unreachable)) this.#tries++;
    if (refused || this.#tries > maxTries) {
      const reason = error instanceof Error ? error.message : "This browser cannot play it.";
      this.dispatchEvent(new CustomEvent("failed", { detail: reason }));
      return;
    }
    const wait = error || this.#tries > 1 ? Math.min(firstWait * 2 ** Math.max(this.#tries, 1), longWait) : 0;
    this.#retry = setTimeout(() => void this.#open(), wait);
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Plays as soon as possible.
   * @returns {Promise<boolean>} false if the browser does not allow it
   */
  async play() {
    this.wanted = true;
    if (!this.#hasSong || this.audio.readyState === nothing) return true;
    try {
      await this.audio.play();
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "NotAllowedError") return true;
      this.wanted = false;
      this.dispatchEvent(new Event("change"));
      return false;
    }
    return true;
  }

  pause() {
    this.wanted = false;
    this.audio.pause();
  }

  /** @param {number} position milliseconds */
  seek(position) {
    this.#from = position / 1000;
    if (this.#hasSong && this.audio.readyState >= metadata) this.audio.currentTime = this.#from;
  }

  /** Plays silence during a touch, so that the browser lets the page play songs later. */
  unlock() {
    if (this.id !== null) return;
    this.audio.src = silenceURL();
    this.audio.play().catch(() => undefined);
  }
}
