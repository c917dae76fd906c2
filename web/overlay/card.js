// The card of the overlay: the current track, readable over any picture.

import { h, setText, setStyles } from "../core/dom.js";
import { clock } from "../core/format.js";
import { picture, showPicture } from "../parts/controls.js";

/**
 * @typedef {{title: string, artist: string, album: string, cover: string, playing: boolean,
 *   position: number, duration: number, line?: string}} Shown line: of the lyrics
 */

export class OverlayCard extends HTMLElement {
  #image = picture("", 300);
  #title = h("span", { class: "line-text" });
  #artist = h("span", { class: "line-text" });
  #lyric = h("span", { class: "line-text" });
  #bar = h("i");
  #elapsed = h("span");
  #duration = h("span");
  #shown = "";
  #watch = new ResizeObserver(() => this.#slide());

  connectedCallback() {
    this.replaceChildren(h("div", { class: "overlay-cover" }, this.#image),
      h("div", { class: "overlay-text" }, h("p", { class: "overlay-title line", dir: "auto" }, this.#title),
        h("p", { class: "overlay-artist line", dir: "auto" }, this.#artist),
        h("p", { class: "overlay-lyric line", dir: "auto" }, this.#lyric),
        h("div", { class: "overlay-progress" }, this.#elapsed, h("div", { class: "overlay-bar" }, this.#bar),
          this.#duration)));
    this.#watch.observe(this);
  }

  disconnectedCallback() {
    this.#watch.disconnect();
  }

  /** @param {import("./options.js").Options} options */
  set options({ theme, accent, width, scale, cover, progress }) {
    this.dataset.theme = theme;
    this.classList.toggle("no-cover", !cover);
    this.classList.toggle("no-progress", !progress);
    setStyles(this, { "--accent": `#${accent}`, "--width": `${width}px`, "--scale": String(scale / 100) });
    requestAnimationFrame(() => this.#slide());
  }

  /** @param {Shown} shown */
  show({ title, artist, album, cover, playing, position, duration, line = "" }) {
    this.classList.toggle("paused", !playing);
    this.classList.toggle("endless", duration === 0); // a station of the web
    setStyles(this.#bar, { width: `${duration ? (100 * position) / duration : 0}%` });
    setText(this.#elapsed, clock(position));
    setText(this.#duration, clock(duration));
    this.classList.toggle("with-lyric", line !== "");
    if (this.#lyric.textContent !== line) {
      setText(this.#lyric, line);
      this.#slide();
    }
    const key = JSON.stringify([title, artist, album, cover]);
    if (key === this.#shown) return;
    this.#shown = key;
    setText(this.#title, title);
    setText(this.#artist, [artist, album].filter(Boolean).join(" — "));
    showPicture(this.#image, cover, 300);
    this.classList.remove("arriving");
    requestAnimationFrame(() => { this.classList.add("arriving"); this.#slide(); });
  }

  /** Lets a line that is too long slide back and forth. */
  #slide() {
    for (const text of [this.#title, this.#artist, this.#lyric]) {
      const room = text.parentElement;
      const over = Math.max(0, text.scrollWidth - (room?.clientWidth ?? 0));
      const way = room && getComputedStyle(room).direction === "rtl" ? 1 : -1;
      text.classList.toggle("slides", over > 2);
      setStyles(text, { "--over": `${way * over}px`, "--slide": `${Math.max(8, over / 18 + 6)}s` });
    }
  }
}

customElements.define("wax-overlay-card", OverlayCard);
