// Songs as rows of a window list.

import { h, fill, setText } from "../core/dom.js";
import { clock } from "../core/format.js";
import { player } from "../core/player.js";
import { iconButton, picture, showIcon, showPicture } from "./controls.js";
import { artistLinks } from "./credits.js";
import { isMenuKey } from "./menu.js";
import { playOnPress } from "./press.js";
import { songMenu } from "./song-menu.js";
import "./window-list.js";

/**
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {{at: (index: number) => Song | undefined, total: number, want?: (first: number,
 *   last: number) => void}} Songs
 * @typedef {{songs: Songs, label: string, play: (index: number, song: Song) => void,
 *   numbered?: "index" | "track", album?: boolean, cover?: boolean, menu?: (index: number,
 *   song: Song) => import("./menu.js").Entry[], movable?: boolean, onKey?: (event: KeyboardEvent,
 *   index: number) => boolean}} Options
 */

/**
 * @param {Options} options
 * @returns {import("./window-list.js").WindowList} the caller calls its refresh() when songs have
 *   changed
 */
export function songRows(options) {
  const { songs, label, play } = options;
  const list = /** @type {import("./window-list.js").WindowList} */ (document.createElement("wax-list"));
  list.classList.add("songs");
  if (songs.total >= 10_000) list.classList.add("many");
  const start = (/** @type {number} */ index) => {
    const song = songs.at(index);
    if (!song?.available) return;
    if (song.id === player.state?.track?.id) void player.toggle();
    else play(index, song);
  };
  const menu = (/** @type {Element | {x: number, y: number}} */ at, /** @type {number} */ index) => {
    const song = songs.at(index);
    if (song) songMenu(at, song, options.menu?.(index, song));
  };
  list.source = {
    count: songs.total, label, height: () => 60, want: songs.want?.bind(songs),
    make: () => songRow(options, start, menu),
    onKey: (event, index) => {
      if (options.onKey?.(event, index)) return true;
      if (event.key === "Enter") start(index);
      else if (isMenuKey(event)) menu(list.elementAt(index) ?? list, index);
      else return false;
      return true;
    },
  };
  list.addEventListener("contextmenu", (event) => {
    const index = list.indexOf(event.target);
    if (index < 0) return;
    event.preventDefault();
    menu({ x: event.clientX, y: event.clientY }, index);
  });
  return list;
}

/**
 * @param {Options} options @param {(index: number) => void} start
 * @param {(at: Element, index: number) => void} menu
 * @returns {import("./window-list.js").Cell}
 */
function songRow({ songs, numbered, album = true, cover = true, movable = false }, start, menu) {
  let index = -1;
  const number = h("span", { class: "number" });
  const playing = h("span", { class: "bars", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const press = iconButton("play", "Play", () => start(index), { tabindex: -1, class: "row-play" });
  const image = cover ? picture("", 96) : null;
  const title = h("span", { class: "title", dir: "auto" });
  const badge = h("span", { class: "explicit", title: "Explicit" }, "E");
  const artist = h("span", { class: "by", dir: "auto" });
  const albumLink = h("a", { tabindex: -1 });
  const time = h("span");
  const openMenu = (/** @type {MouseEvent} */ event) => menu(/** @type {Element} */ (event.currentTarget), index);
  const more = iconButton("more", "More", openMenu, { tabindex: -1, class: "row-more" });
  const handle = movable ? h("span", { class: "handle", "aria-hidden": "true", title: "Drag to reorder" }) : null;
  if (handle) showIcon(handle, "handle", "Drag to reorder");
  handle?.removeAttribute("aria-label");
  const element = h("div", { class: `song${album ? "" : " no-album"}${movable ? " movable" : ""}` },
    h("div", { role: "gridcell", class: "lead" }, handle, number, playing, press),
    h("div", { role: "gridcell", class: "what" }, image,
      h("div", { class: "names" }, h("div", { class: "title-line" }, title, badge), artist)),
    album ? h("div", { role: "gridcell", class: "album" }, albumLink) : null,
    h("div", { role: "gridcell", class: "time" }, time),
    h("div", { role: "gridcell", class: "end" }, more));
  playOnPress(element, () => start(index));
  return {
    element,
    show(at) {
      index = at;
      const song = songs.at(at);
      element.classList.toggle("ghost-row", !song);
      const current = song !== undefined && song.id === player.state?.track?.id;
      const running = current && player.state?.is_playing === true;
      element.classList.toggle("current", current);
      element.classList.toggle("running", running);
      element.classList.toggle("missing", song?.available === false);
      if (image) showPicture(image, song?.thumbnail_url, 96);
      setText(title, song?.title ?? "");
      badge.hidden = !song?.explicit;
      fill(artist, ...artistLinks(song, { tabindex: -1 }));
      setText(albumLink, song?.album ?? "");
      if (song?.album_id) albumLink.href = `#/albums/${song.album_id}`;
      setText(time, song ? clock(song.duration) : "");
      if (numbered) setText(number, numbered === "track" ? String(song?.track_number ?? "–") : String(at + 1));
      showIcon(press, running ? "pause" : "play", `${running ? "Pause" : "Play"} ${song?.title ?? ""}`);
      more.setAttribute("aria-label", `More about ${song?.title ?? ""}`);
      element.setAttribute("aria-label", song ? rowLabel(song) : "Loading");
    },
  };
}

/** @param {Song} song */
function rowLabel({ title, artist, duration, available }) {
  return `${title}, ${artist ?? "unknown artist"}, ${clock(duration)}${available ? "" : ", not available"}`;
}

/**
 * Marks the row of the current track while a list is shown.
 * @param {import("./window-list.js").WindowList} list
 */
export function followPlayer(list) {
  let shown = "";
  const mark = () => {
    const now = `${player.state?.track?.id} ${player.state?.is_playing}`;
    if (now === shown) return;
    shown = now;
    list.refresh();
  };
  list.whileConnected((signal) => player.addEventListener("state", mark, { signal }));
}
