// The position in the track: the browser's own slider, so that drag, touch and keys work.

import { h, setText, setStyles } from "../core/dom.js";
import { clock, spoken } from "../core/format.js";
import { player } from "../core/player.js";

const step = 5000;

class SeekBar extends HTMLElement {
  #slider = h("input", {
    type: "range", min: 0, max: 0, value: 0, step: "any", "aria-label": "Position in the track",
  });
  #elapsed = h("span", { class: "clock" }, "0:00");
  #duration = h("span", { class: "clock" }, "0:00");
  #hover = h("span", { class: "hover-time", "aria-hidden": "true", hidden: true });
  #dragging = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #ending = new AbortController();

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.replaceChildren(this.#elapsed, this.#slider, this.#duration, this.#hover);
    this.#slider.addEventListener("pointermove", (event) => this.#showHover(event), { signal });
    for (const name of ["pointerleave", "pointercancel"]) {
      this.#slider.addEventListener(name, () => { this.#hover.hidden = true; }, { signal });
    }
    this.#slider.addEventListener("input", () => {
      this.#dragging = true;
      this.#show(this.#slider.valueAsNumber);
    }, { signal });
    this.#slider.addEventListener("change", async () => {
      await player.seek(this.#slider.valueAsNumber);
      this.#dragging = false;
    }, { signal });
    this.#slider.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      player.seekBy(by);
    }, { signal });
    player.addEventListener("state", () => this.#follow(), { signal });
    document.addEventListener("visibilitychange", () => this.#follow(), { signal });
    this.#follow();
  }

  disconnectedCallback() {
    this.#ending.abort();
    clearInterval(this.#timer);
  }

  /** Runs the timer only while a track plays and the page is visible. */
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

  /** Shows the time at the pointer. @param {PointerEvent} event */
  #showHover({ clientX }) {
    const { duration } = player.playhead;
    const track = this.#slider.getBoundingClientRect();
    const part = Math.max(0, Math.min(1, (clientX - track.left) / track.width));
    this.#hover.hidden = duration <= 0;
    setText(this.#hover, clock(part * duration));
    const left = track.left + part * track.width - this.getBoundingClientRect().left;
    setStyles(this.#hover, { left: `${left}px`, top: `${track.top - this.getBoundingClientRect().top}px` });
  }

  /** @param {number} position */
  #show(position) {
    const { duration } = player.playhead;
    if (!this.#dragging) this.#slider.value = String(position);
    setStyles(this, { "--done": `${duration ? (100 * position) / duration : 0}%` });
    setText(this.#elapsed, clock(position));
    setText(this.#duration, clock(duration));
    const text = `${spoken(position)} of ${spoken(duration)}`;
    if (this.#slider.getAttribute("aria-valuetext") !== text) this.#slider.setAttribute("aria-valuetext", text);
  }
}

customElements.define("wax-seek", SeekBar);
