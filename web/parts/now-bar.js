// The bar at the bottom of every screen: what plays, and all that steers it.

import { h, say } from "../core/dom.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { iconButton, picture, showIcon, showPicture } from "./controls.js";
import { outputButton } from "./transport.js";
import "./seek-bar.js";

class NowBar extends HTMLElement {
  #image = picture("", 96);
  #title = h("a", { href: "#/now", class: "title" });
  #artist = h("span", { class: "by" });
  #toggle = iconButton("play", "Play", player.toggle, { class: "play small" });
  #queue = iconButton("queue", "Queue", () => this.dispatchEvent(new Event("queue", { bubbles: true })), { class: "switch", "aria-pressed": "false" });

  connectedCallback() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Now playing");
    const what = h("div", { class: "now-what" }, h("a", { href: "#/now", class: "now-cover", tabindex: -1, "aria-hidden": "true" }, this.#image), h("div", { class: "names" }, this.#title, this.#artist));
    what.addEventListener("click", (event) => { if (!(event.target instanceof Element && event.target.closest("a"))) go("#/now"); });
    this.replaceChildren(
      what,
      h("div", { class: "now-controls" }, document.createElement("wax-transport"), document.createElement("wax-seek")),
      h("div", { class: "now-more" }, outputButton(), document.createElement("wax-volume"), this.#queue),
      h("div", { class: "now-mini" }, this.#toggle, iconButton("next", "Next", player.next)));
    player.addEventListener("state", () => this.#show());
    this.#show();
  }

  /** @param {boolean} open */
  set queueOpen(open) {
    this.#queue.setAttribute("aria-pressed", String(open));
  }

  #show() {
    const track = player.state?.track;
    this.classList.toggle("idle", !track);
    say(this.#title, track?.title ?? "Nothing is playing");
    say(this.#artist, track?.artist ?? "Press play to start");
    showPicture(this.#image, track?.thumbnail_url, 96);
    showIcon(this.#toggle, player.state?.is_playing ? "pause" : "play", player.state?.is_playing ? "Pause" : "Play");
    document.title = track ? `${track.title} · ${track.artist}` : "Waxwing";
  }
}

customElements.define("wax-now-bar", NowBar);
