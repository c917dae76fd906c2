// A few songs as tiles, side by side where there is room.

import { h } from "../core/dom.js";
import { clock } from "../core/format.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { iconButton, picture, showIcon } from "./controls.js";
import { makeDraggable } from "./drag.js";
import { LiveElement } from "./live-element.js";
import { heartButton } from "./opinion.js";
import { playOnPress } from "./press.js";
import { songMenu } from "./song-menu.js";

/** @typedef {import("../core/types.js").Song} Song */

class SongTiles extends LiveElement {}
customElements.define("wax-tiles", SongTiles);

/** @param {Song[]} songs @param {string} label @param {(index: number) => void} play */
export function songTiles(songs, label, play) {
  const element = /** @type {SongTiles} */ (document.createElement("wax-tiles"));
  const tiles = songs.map((song, index) => songTile(song, () => play(index)));
  const mark = () => tiles.forEach((tile) => tile.mark());
  element.dataset.content = songs.map(({ id }) => id).join(" ");
  element.append(h("ul", { class: "tiles", "aria-label": label }, ...tiles.map((tile) => tile.element)));
  element.whileConnected((signal) => {
    player.addEventListener("state", mark, { signal });
    personal.addEventListener("change", mark, { signal });
    mark();
  });
  mark();
  return element;
}

/**
 * @param {Song} song @param {() => void} play
 * @returns {{element: HTMLElement, mark: () => void}} mark shows whether it is playing
 */
function songTile(song, play) {
  const isCurrent = () => song.id === player.state?.track?.id;
  const start = () => (isCurrent() ? void player.toggle() : play());
  const press = iconButton("play", `Play ${song.title}`, start, { class: "row-play" });
  const openMenu = (/** @type {MouseEvent} */ event) => songMenu(/** @type {Element} */ (event.currentTarget), song);
  const heart = heartButton();
  const draggable = matchMedia("(hover: hover)").matches ? "true" : null;
  const element = h("li", { class: "tile", draggable },
    h("div", { class: "frame" }, picture(song.thumbnail_url, 96),
      h("span", { class: "bars", "aria-hidden": "true" }, h("i"), h("i"), h("i")), press),
    h("div", { class: "names" },
      h("span", { class: "title", dir: "auto" }, song.title),
      h("span", { class: "by", dir: "auto" }, song.artist ?? "")),
    heart.element, h("span", { class: "time" }, clock(song.duration)),
    iconButton("more", `More about ${song.title}`, openMenu, { class: "row-more" }));
  playOnPress(element, start);
  makeDraggable(element, () => ({ selection: { track_ids: [song.id] }, name: song.title }));
  element.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    songMenu({ x: event.clientX, y: event.clientY }, song);
  });
  return {
    element,
    mark() {
      const playing = isCurrent() && player.state?.is_playing === true;
      heart.show(song, song.title);
      element.classList.toggle("current", isCurrent());
      element.classList.toggle("running", playing);
      showIcon(press, playing ? "pause" : "play", `${playing ? "Pause" : "Play"} ${song.title}`);
    },
  };
}
