// A handful of songs as tiles, side by side where there is room.

import { h } from "../core/dom.js";
import { clock } from "../core/format.js";
import { player } from "../core/player.js";
import { iconButton, picture, showIcon } from "./controls.js";
import { playOnPress } from "./press.js";
import { songMenu } from "./song-menu.js";

/**
 * @param {import("../core/types.js").Song[]} songs @param {string} label @param {(index: number) => void} play @param {AbortSignal} signal
 */
export function songTiles(songs, label, play, signal) {
  const marks = /** @type {(() => void)[]} */ ([]);
  const tiles = songs.map((song, index) => {
    const isCurrent = () => song.id === player.state?.track?.id;
    const start = () => (isCurrent() ? void player.toggle() : play(index));
    const press = iconButton("play", `Play ${song.title}`, start, { class: "row-play" });
    const element = h("li", { class: "tile" },
      h("div", { class: "frame" }, picture(song.thumbnail_url, 96), h("span", { class: "bars", "aria-hidden": "true" }, h("i"), h("i"), h("i")), press),
      h("div", { class: "names" }, h("span", { class: "title", dir: "auto" }, song.title), h("span", { class: "by", dir: "auto" }, song.artist ?? "")),
      h("span", { class: "time" }, clock(song.duration)),
      iconButton("more", `More about ${song.title}`, (event) => songMenu(/** @type {Element} */ (event.currentTarget), song), { class: "row-more" }));
    playOnPress(element, start);
    element.addEventListener("contextmenu", (event) => { event.preventDefault(); songMenu({ x: event.clientX, y: event.clientY }, song); });
    marks.push(() => {
      const playing = isCurrent() && player.state?.is_playing === true;
      element.classList.toggle("current", isCurrent());
      element.classList.toggle("running", playing);
      showIcon(press, playing ? "pause" : "play", `${playing ? "Pause" : "Play"} ${song.title}`);
    });
    return element;
  });
  const mark = () => marks.forEach((each) => each());
  player.addEventListener("state", mark, { signal });
  mark();
  return h("ul", { class: "tiles", "aria-label": label }, ...tiles);
}
