// The lyrics of the current track. Synced ones follow the music, word by word if the words have
// times; a click on a line seeks to it.

import { fill, h } from "../core/dom.js";
import { get } from "../core/http.js";
import { player } from "../core/player.js";
import { LiveElement } from "./live-element.js";

/**
 * @typedef {import("../core/types.js").Lyrics} Lyrics
 * @typedef {import("../core/types.js").LyricLine} LyricLine
 * @typedef {{element: HTMLElement, start: number,
 *   words: {element: HTMLElement, start: number}[]}} Row
 */

const scrollPause = 4000; // ms after the person scrolled in which the text stays where it is
const interval = 100; // ms between two looks at the position

class LyricsView extends LiveElement {
  #trackId = "";
  /** @type {Row[]} */
  #rows = [];
  #current = -1;
  #scrolledAt = -Infinity;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  /** Called when it is known whether the track has lyrics. @type {(has: boolean) => void} */
  onLoad = () => undefined;

  constructor() {
    super();
    this.whileConnected((signal) => {
      this.setAttribute("role", "region");
      this.setAttribute("aria-label", "Lyrics");
      this.tabIndex = 0;
      const touched = () => { this.#scrolledAt = performance.now(); };
      for (const name of ["wheel", "touchmove", "keydown"]) {
        this.addEventListener(name, touched, { signal, passive: true });
      }
      player.addEventListener("state", () => this.#follow(), { signal });
      document.addEventListener("visibilitychange", () => this.#follow(), { signal });
      signal.addEventListener("abort", () => clearInterval(this.#timer));
      this.#follow();
    });
  }

  #follow() {
    clearInterval(this.#timer);
    const id = player.state?.track?.id ?? "";
    if (id !== this.#trackId) void this.#load(id);
    this.#tick();
    if (player.playhead.running && !document.hidden && this.#rows.length > 0) {
      this.#timer = setInterval(() => this.#tick(), interval);
    }
  }

  /** @param {string} id of the track */
  async #load(id) {
    this.#trackId = id;
    this.#rows = [];
    this.#current = -1;
    fill(this);
    const path = `/api/songs/${encodeURIComponent(id)}/lyrics`;
    const reply = id ? await get(path).catch(() => null) : null;
    if (this.#trackId !== id) return;
    const [lyrics] = /** @type {Lyrics[]} */ (reply?.lyrics ?? []);
    this.classList.toggle("synced", lyrics?.synced === true);
    if (lyrics) this.#show(lyrics);
    this.onLoad(lyrics !== undefined);
    this.#follow();
  }

  /** @param {Lyrics} lyrics */
  #show({ synced, offset, lines }) {
    if (!synced) {
      fill(this, ...lines.map(({ text }) => h("p", { dir: "auto" }, text || "\u00a0")));
      return;
    }
    const at = (/** @type {number | null} */ start) => Math.max(0, (start ?? 0) - offset);
    this.#rows = lines.map((line) => {
      const words = (line.words ?? []).map(({ start, text }) => ({ start: at(start), element: h("span", null, text) }));
      const seek = () => { this.#scrolledAt = -Infinity; void player.seek(at(line.start)); };
      const content = words.length > 0 ? words.map(({ element }) => element) : [line.text || "♪"];
      const element = h("button", { type: "button", dir: "auto", onclick: seek }, content);
      return { start: at(line.start), words, element };
    });
    fill(this, ...this.#rows.map(({ element }) => element));
  }

  #tick() {
    if (this.#rows.length === 0) return;
    const { position } = player.playhead;
    let index = -1;
    while ((this.#rows[index + 1]?.start ?? Infinity) <= position) index++;
    const from = this.#rows[index]?.start; // lines with the same time are sung together
    for (const { words } of this.#rows.filter(({ start }) => start === from)) {
      for (const word of words) word.element.classList.toggle("sung", word.start <= position);
    }
    if (index === this.#current) return;
    this.#current = index;
    for (const { element, start } of this.#rows) {
      element.classList.toggle("past", start < (from ?? -1));
      if (start === from) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
    this.#reveal(this.#rows.findIndex(({ start }) => start === from));
  }

  /** Scrolls a line to the middle, unless the person is reading elsewhere. @param {number} index */
  #reveal(index) {
    const row = this.#rows[Math.max(0, index)]?.element;
    if (!row || performance.now() - this.#scrolledAt < scrollPause) return;
    const top = row.offsetTop - (this.clientHeight - row.offsetHeight) / 2;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.scrollTo({ top, behavior: still ? "auto" : "smooth" });
  }
}

customElements.define("wax-lyrics", LyricsView);

export function lyricsView() {
  return /** @type {LyricsView} */ (document.createElement("wax-lyrics"));
}
