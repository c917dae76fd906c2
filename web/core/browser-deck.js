// Plays one song after the other with two audio elements: while one plays, the other has loaded
// the next song.

import { Voice } from "./browser-voice.js";

const near = 700; // ms before the end at which the change is scheduled
const maxDelay = 150;

/**
 * Dispatches "change" if playback runs, waits or stops; "time" while it runs; "advanced" when the
 * next song has begun; "ended" after the last one; "failed" with the reason.
 */
export class BrowserDeck extends EventTarget {
  #now = new Voice();
  #next = new Voice();
  #volume = 1;
  #gains = new WeakMap();
  #isUnlocked = false;
  /** @type {string | null} the id of the song that follows */
  #following = null;
  #delay = 75; // ms between the call of play() and the first sound of a loaded element, as measured
  #begun = 0; // when play() was called at the beginning of a song; 0: that is not measured
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #change;

  constructor() {
    super();
    for (const voice of [this.#now, this.#next]) {
      const isCurrent = () => voice === this.#now;
      voice.addEventListener("change", () => { if (isCurrent()) this.#report("change"); });
      voice.addEventListener("time", () => { if (isCurrent()) this.#timePassed(); });
      voice.addEventListener("ended", () => {
        if (isCurrent()) return this.#advance();
        voice.clear();
        this.#loadNext();
      });
      voice.addEventListener("failed", (event) => {
        if (!isCurrent()) voice.clear(); // it is tried again when it becomes current
        else this.dispatchEvent(new CustomEvent("failed", { detail: /** @type {CustomEvent} */ (event).detail }));
      });
    }
  }

  /** @param {string} name */
  #report(name) {
    this.dispatchEvent(new Event(name));
  }

  get position() { return this.#now.position; }
  get duration() { return this.#now.duration; }
  get running() { return this.#now.running; }
  get ready() { return this.#now.ready; }
  get wanted() { return this.#now.wanted; }
  get loaded() { return this.#now.id; }

  /**
   * Loads a song, which then plays if it should.
   * @param {string} id @param {number} position milliseconds @param {boolean} play
   */
  load(id, position, play) {
    clearTimeout(this.#change);
    this.#begun = 0;
    if (this.#next.id === id && position === 0 && !this.#next.wanted) this.#swap();
    else this.#now.load(id, position);
    this.#following = null;
    this.#next.clear();
    if (play) void this.play();
    else this.#report("change");
  }

  /** Loads the song that follows, or none. @param {string | null} id */
  prepare(id) {
    this.#following = id;
    this.#loadNext();
  }

  /** While the last samples of a song play, its element is not free for the next. */
  #loadNext() {
    if (this.#next.wanted || this.#next.id === this.#following) return;
    if (this.#following === null) this.#next.clear();
    else this.#next.load(this.#following);
  }

  unload() {
    clearTimeout(this.#change);
    this.#following = null;
    this.#now.clear();
    this.#next.clear();
  }

  /** @returns {Promise<boolean>} false if the browser does not allow it */
  play() {
    const isStart = this.#now.ready && this.#now.position === 0;
    this.#begun = isStart ? performance.now() : 0;
    const allowed = this.#now.play();
    this.#report("change");
    return allowed;
  }

  pause() {
    clearTimeout(this.#change);
    this.#begun = 0;
    this.#now.pause();
    this.#next.pause();
    this.#report("change");
  }

  /** @param {number} position milliseconds */
  seek(position) {
    clearTimeout(this.#change);
    this.#begun = 0;
    this.#now.seek(position);
    this.#report("change");
  }

  /** @param {number} volume 0 to 1 */
  setVolume(volume) {
    this.#volume = volume;
    this.#applyVolume();
  }

  /**
   * Sets the factor of the current song, or of the next.
   * @param {string} id @param {number} gain
   */
  setGain(id, gain) {
    for (const voice of [this.#now, this.#next]) if (voice.id === id) this.#gains.set(voice, { id, gain });
    this.#applyVolume();
  }

  #applyVolume() {
    for (const voice of [this.#now, this.#next]) {
      const known = this.#gains.get(voice);
      voice.audio.volume = Math.min(1, this.#volume * (known?.id === voice.id ? known.gain : 1));
    }
  }

  /** Call this during a touch or a click. */
  unlock() {
    if (this.#isUnlocked) return;
    this.#isUnlocked = true;
    this.#now.unlock();
    this.#next.unlock();
  }

  get #left() {
    return this.#now.duration - this.#now.position;
  }

  #timePassed() {
    this.#report("time");
    this.#measureDelay();
    clearTimeout(this.#change);
    if (!this.#now.running || !(this.#left < near)) return;
    const change = () => { if (this.#now.running && this.#left < 2 * maxDelay) this.#advance(); };
    this.#change = setTimeout(change, Math.max(0, this.#left - this.#delay));
  }

  #measureDelay() {
    const { position } = this.#now;
    if (this.#begun === 0 || position === 0) return;
    this.#delay = Math.min(Math.max(performance.now() - this.#begun - position, 0), maxDelay);
    this.#begun = 0;
  }

  /** The current song has ended, or is about to: then its last samples overlap with the next. */
  #advance() {
    clearTimeout(this.#change);
    const ended = this.#now.audio.ended;
    if (this.#next.id === null) {
      if (ended) this.#report("ended");
      return;
    }
    this.#swap();
    if (ended) this.#next.clear();
    this.#following = null;
    this.#begun = this.#now.ready ? performance.now() : 0;
    void this.#now.play();
    this.#report("advanced");
  }

  #swap() {
    [this.#now, this.#next] = [this.#next, this.#now];
  }
}
