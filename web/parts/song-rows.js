// Songs as rows of a window list.

import { h, fill, setText } from "../core/dom.js";
import { clock } from "../core/format.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { iconButton, picture, showIcon, showPicture } from "./controls.js";
import { artistLinks } from "./credits.js";
import { makeDraggable } from "./drag.js";
import { isMenuKey } from "./menu.js";
import { heartButton, starText } from "./opinion.js";
import { playOnPress } from "./press.js";
import { RowSelection, selectByKey, selectByPointer } from "./row-selection.js";
import { songMenu } from "./song-menu.js";
import "./window-list.js";

/**
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {{at: (index: number) => Song | undefined, total: number, want?: (first: number,
 *   last: number) => void}} Songs
 * @typedef {{songs: Songs, label: string, play: (index: number, song: Song) => void,
 *   pages?: EventTarget & import("./row-selection.js").Songs, numbered?: "index" | "track",
 *   album?: boolean, cover?: boolean, note?: (index: number) => string,
 *   menu?: (index: number, song: Song) => import("./menu.js").Entry[], movable?: boolean,
 *   onKey?: (event: KeyboardEvent, index: number) => boolean,
 *   actions?: import("./row-selection.js").Action[]}} Options pages: where all songs can be read,
 *   so that a range can be selected; note: what is shown instead of the album; actions: for
 *   selected rows
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
    if (!song) return;
    /** @type {import("./menu.js").Entry} */
    const select = { label: "Select", icon: "select", run: () => selection.toggle(index) };
    songMenu(at, song, [select, ...(options.menu?.(index, song) ?? [])]);
  };
  const selection = new RowSelection(options.pages ?? songs, () => list.refresh(), options.actions ?? []);
  list.source = {
    count: songs.total, label, height: () => 60, want: songs.want?.bind(songs),
    make: () => songRow(options, start, menu, selection),
    onKey: (event, index) => {
      if (options.onKey?.(event, index)) return true;
      if (selectByKey(event, index, songs.total, selection, list)) return true;
      const song = songs.at(index);
      if (event.key === "Enter") start(index);
      else if (isMenuKey(event)) menu(list.elementAt(index) ?? list, index);
      else if (event.key === "l" && song && player.canWrite) void personal.like(song);
      else if (/^[0-5]$/.test(event.key) && song && player.canWrite) void personal.rate(song, Number(event.key));
      else return false;
      return true;
    },
  };
  list.setAttribute("aria-multiselectable", "true");
  selectByPointer(list, selection);
  makeDraggable(list, (target) => {
    const index = list.indexOf(target);
    const song = songs.at(index);
    if (!song?.available) return null;
    if (!selection.has(index)) return { selection: { track_ids: [song.id] }, name: song.title };
    return { selection: { track_ids: selection.ids }, name: `${selection.size} songs` };
  });
  list.whileConnected((signal) => {
    personal.addEventListener("change", () => list.refresh(), { signal });
    options.pages?.addEventListener("change", () => selection.verify(), { signal });
    signal.addEventListener("abort", () => selection.end());
  });
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
 * @param {(at: Element, index: number) => void} menu @param {RowSelection} selection
 * @returns {import("./window-list.js").Cell}
 */
function songRow({ songs, numbered, album = true, cover = true, movable = false, note }, start, menu, selection) {
  let index = -1;
  const number = h("span", { class: "number" });
  const playing = h("span", { class: "bars", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const press = iconButton("play", "Play", () => start(index), { tabindex: -1, class: "row-play" });
  const image = cover ? picture("", 96) : null;
  const title = h("span", { class: "title", dir: "auto" });
  const badge = h("span", { class: "explicit", title: "Explicit" }, "E");
  const artist = h("span", { class: "by", dir: "auto" });
  const albumLink = note ? h("span") : h("a", { tabindex: -1, draggable: "false" });
  const heart = heartButton({ tabindex: -1 });
  const rating = h("span", { class: "rating", "aria-hidden": "true" });
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
    h("div", { role: "gridcell", class: "mine" }, rating, heart.element),
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
      fill(artist, ...artistLinks(song, { tabindex: -1, draggable: "false" }));
      setText(albumLink, note ? note(at) : song?.album ?? "");
      if (song?.album_id && albumLink instanceof HTMLAnchorElement) albumLink.href = `#/albums/${song.album_id}`;
      heart.show(song, song?.title ?? "");
      setText(rating, song ? starText(personal.of(song).rating) : "");
      element.draggable = song?.available === true && matchMedia("(hover: hover)").matches;
      element.classList.toggle("selected", selection.has(at));
      element.setAttribute("aria-selected", String(selection.has(at)));
      setText(time, song ? clock(song.duration) : "");
      if (numbered) setText(number, numbered === "track" ? String(song?.track_number ?? "–") : String(at + 1));
      showIcon(press, running ? "pause" : "play", `${running ? "Pause" : "Play"} ${song?.title ?? ""}`);
      more.setAttribute("aria-label", `More about ${song?.title ?? ""}`);
      element.setAttribute("aria-label", song ? rowLabel(song) : "Loading");
    },
  };
}

/** @param {Song} song */
function rowLabel(song) {
  const { liked, rating } = personal.of(song);
  return [
    song.title, song.artist ?? "unknown artist", clock(song.duration), !song.available && "not available",
    liked && "liked", rating > 0 && `rated ${rating} of 5`,
  ].filter(Boolean).join(", ");
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
