// The bar at the bottom of every screen: the current track and the controls.

import { h, fill, setText } from "../core/dom.js";
import { library } from "../core/library.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { iconButton, picture, showIcon, showPicture } from "./controls.js";
import { albumLink, artistLinks } from "./credits.js";
import { heartButton } from "./opinion.js";
import { outputButton } from "./output-menu.js";
import { songMenu } from "./song-menu.js";
import "./seek-bar.js";

class NowBar extends HTMLElement {
  #image = picture("", 96);
  #title = h("a", { href: "#/now", class: "title", dir: "auto" });
  #by = h("span", { class: "by", dir: "auto" });
  #shown = "";
  #heart = heartButton();
  /** @type {import("../core/types.js").Song | null} */
  #song = null;
  #toggle = iconButton("play", "Play", player.toggle, { class: "play small" });
  #queue = iconButton("queue", "Queue", () => this.dispatchEvent(new Event("queue", { bubbles: true })),
    { class: "switch", "aria-pressed": "false" });

  connectedCallback() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Now playing");
    const cover = h("a", { href: "#/now", class: "now-cover", tabindex: -1, "aria-hidden": "true" }, this.#image);
    const what = h("div", { class: "now-what" }, cover, h("div", { class: "names" }, this.#title, this.#by),
      this.#heart.element);
    what.addEventListener("click", (event) => {
      if (!(event.target instanceof Element && event.target.closest("a, button"))) go("#/now");
    });
    what.addEventListener("contextmenu", (event) => {
      const id = player.state?.track?.id;
      if (!id) return;
      event.preventDefault();
      void library.song(id).then((song) => songMenu({ x: event.clientX, y: event.clientY }, song), () => undefined);
    });
    this.replaceChildren(
      what,
      h("div", { class: "now-controls" }, document.createElement("wax-transport"), document.createElement("wax-seek")),
      h("div", { class: "now-more" }, outputButton(), document.createElement("wax-volume"), this.#queue),
      h("div", { class: "now-mini" }, outputButton(), this.#toggle, iconButton("next", "Next", player.next)));
    player.addEventListener("state", () => this.#show());
    personal.addEventListener("change", () => this.#show());
    this.#show();
  }

  /** @param {boolean} open */
  set queueOpen(open) {
    this.#queue.setAttribute("aria-pressed", String(open));
  }

  #show() {
    const track = player.state?.track;
    this.classList.toggle("idle", !track);
    setText(this.#title, track?.title ?? "Nothing is playing");
    void this.#showCredits(track ?? null);
    showPicture(this.#image, track?.thumbnail_url, 96);
    this.#heart.show(this.#song?.id === track?.id ? this.#song : null, track?.title ?? "");
    showIcon(this.#toggle, player.state?.is_playing ? "pause" : "play", player.state?.is_playing ? "Pause" : "Play");
    document.title = track ? [track.title, track.artist].filter(Boolean).join(" · ") : "Waxwing";
  }

  /**
   * Shows artist and album as text at once, and as links when the catalog has replied.
   * @param {import("../core/types.js").Track | null} track
   */
  async #showCredits(track) {
    const now = JSON.stringify([track?.id, track?.artist, track?.album]);
    if (this.#shown === now) return;
    this.#shown = now;
    setText(this.#by, track ? [track.artist, track.album].filter(Boolean).join(" · ") : "Press play to start");
    const song = track && (await library.song(track.id).catch(() => null));
    if (!song || this.#shown !== now) return;
    this.#song = song;
    this.#heart.show(song, song.title);
    const [artists, album] = [artistLinks(song), albumLink(song)];
    fill(this.#by, ...artists, artists.length && album.length ? " · " : null, ...album);
  }
}

customElements.define("wax-now-bar", NowBar);
