// Where the listener is, and a way to go elsewhere: the browser's own slider, so that drag, touch and keys all work.

import { h, setText, setStyles } from "../core/dom.js";
import { clock, spoken } from "../core/format.js";
import { player } from "../core/player.js";

const step = 5000;

class SeekBar extends HTMLElement {
  #slider = h("input", { type: "range", min: 0, max: 0, value: 0, step: "any", "aria-label": "Position in the track" });
  #now = h("span", { class: "clock" }, "0:00");
  #left = h("span", { class: "clock" }, "0:00");
  #dragging = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #ending = new AbortController();

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.replaceChildren(this.#now, this.#slider, this.#left);
    this.#slider.addEventListener("input", () => { this.#dragging = true; this.#show(this.#slider.valueAsNumber); }, { signal });
    this.#slider.addEventListener("change", async () => {
      await player.seek(this.#slider.valueAsNumber);
      this.#dragging = false;
    }, { signal });
    this.#slider.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      player.nudge(by);
    }, { signal });
    player.addEventListener("state", () => this.#follow(), { signal });
    document.addEventListener("visibilitychange", () => this.#follow(), { signal });
    this.#follow();
  }

  disconnectedCallback() {
    this.#ending.abort();
    clearInterval(this.#timer);
  }

  /** Ticks only while something moves and somebody looks. */
  #follow() {
    clearInterval(this.#timer);
    const { duration, running } = player.playhead;
    this.#slider.max = String(duration);
    this.#slider.disabled = !player.state?.track;
    this.#tick();
    if (running && !document.hidden) this.#timer = setInterval(() => this.#tick(), 250);
  }

  #tick() {
    if (!this.#dragging) this.#show(player.playhead.position);
  }

  /** @param {number} position */
  #show(position) {
    const { duration } = player.playhead;
    if (!this.#dragging) this.#slider.value = String(position);
    setStyles(this, { "--done": `${duration ? (100 * position) / duration : 0}%` });
    setText(this.#now, clock(position));
    setText(this.#left, clock(duration));
    const text = `${spoken(position)} of ${spoken(duration)}`;
    if (this.#slider.getAttribute("aria-valuetext") !== text) this.#slider.setAttribute("aria-valuetext", text);
  }
}

customElements.define("wax-seek", SeekBar);
