// The playback buttons and the volume.

import { h, setStyles } from "../core/dom.js";
import { player } from "../core/player.js";
import { iconButton, showIcon } from "./controls.js";

class Transport extends HTMLElement {
  #shuffle = iconButton("shuffle", "Shuffle", player.shuffle, { class: "switch", "aria-pressed": "false" });
  #toggle = iconButton("play", "Play", player.toggle, { class: "play" });
  #repeat = iconButton("repeat", "Repeat: off", player.repeat, { class: "switch", "aria-pressed": "false" });
  #ending = new AbortController();

  connectedCallback() {
    this.#ending = new AbortController();
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Playback");
    this.replaceChildren(this.#shuffle, iconButton("previous", "Previous", player.previous), this.#toggle,
      iconButton("next", "Next", player.next), this.#repeat);
    player.addEventListener("state", () => this.#show(), { signal: this.#ending.signal });
    this.#show();
  }

  disconnectedCallback() {
    this.#ending.abort();
  }

  #show() {
    const state = player.state;
    showIcon(this.#toggle, state?.is_playing ? "pause" : "play", state?.is_playing ? "Pause" : "Play");
    const waiting = state?.is_playing === true && state.rate === 0;
    this.#toggle.classList.toggle("waiting", waiting);
    showIcon(this.#shuffle, "shuffle", state?.shuffle ? "Shuffle: on" : "Shuffle: off");
    this.#shuffle.setAttribute("aria-pressed", String(state?.shuffle === true));
    const repeat = state?.repeat ?? "off";
    showIcon(this.#repeat, repeat === "one" ? "one" : "repeat", `Repeat: ${repeat === "on" ? "all" : repeat}`);
    this.#repeat.setAttribute("aria-pressed", String(repeat !== "off"));
  }
}

class Volume extends HTMLElement {
  #mute = iconButton("volume", "Mute", player.mute);
  #slider = h("input", { type: "range", min: 0, max: 100, step: 1, "aria-label": "Volume" });
  #dragging = false;
  #sending = false;
  #ending = new AbortController();

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.replaceChildren(this.#mute, this.#slider);
    this.#slider.addEventListener("input", () => {
      this.#dragging = true;
      void this.#send();
      this.#showValue();
    }, { signal });
    this.#slider.addEventListener("change", () => { this.#dragging = false; }, { signal });
    this.#slider.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) event.stopPropagation();
    }, { signal });
    player.addEventListener("state", () => this.#show(), { signal });
    this.#show();
  }

  disconnectedCallback() {
    this.#ending.abort();
  }

  /** Sends the value of the slider, one request at a time, until the last value has been sent. */
  async #send() {
    if (this.#sending) return;
    this.#sending = true;
    for (let sent = -1; sent !== this.#slider.valueAsNumber;) {
      sent = this.#slider.valueAsNumber;
      if (!(await player.volume(sent))) break;
    }
    this.#sending = false;
  }

  #show() {
    const { volume = 100, muted = false } = player.state ?? {};
    const name = muted || volume === 0 ? "muted" : volume < 50 ? "quiet" : "volume";
    showIcon(this.#mute, name, muted ? "Unmute" : "Mute");
    if (!this.#dragging && !this.#sending) this.#slider.value = String(muted ? 0 : volume);
    this.#showValue();
  }

  #showValue() {
    setStyles(this.#slider, { "--done": `${this.#slider.value}%` });
    this.#slider.setAttribute("aria-valuetext", `${this.#slider.value} percent`);
  }
}

customElements.define("wax-transport", Transport);
customElements.define("wax-volume", Volume);
