// Albums, artists and playlists as cards, in long grids and on shelves.

import { h, setText } from "../core/dom.js";
import { plural } from "../core/format.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { go } from "../core/router.js";
import { iconButton, picture, showPicture } from "./controls.js";
import { makeDraggable } from "./drag.js";
import { liveElement } from "./live-element.js";
import { isMenuKey } from "./menu.js";
import { heartButton } from "./opinion.js";
import { collectionMenu } from "./song-menu.js";
import "./window-list.js";

/**
 * @typedef {{href: string, image: string, title: string, by: string, round?: boolean,
 *   selection: import("../core/player.js").Selection,
 *   thing: import("../core/personal.js").Rated}} Card
 */

/** @param {import("../core/types.js").Album} album @returns {Card} */
export const albumCard = (album) => ({
  href: `#/albums/${album.id}`, image: album.cover_url, title: album.title, selection: { album_id: album.id },
  thing: album,
  by: [album.artist ?? (album.compilation ? "Various artists" : ""), album.year].filter(Boolean).join(" · "),
});

/** @param {import("../core/types.js").Artist} artist @returns {Card} */
export const artistCard = (artist) => ({
  href: `#/artists/${artist.id}`, image: artist.image_url, title: artist.name, by: plural(artist.song_count, "song"),
  round: true, selection: { artist_id: artist.id }, thing: artist,
});

/** @param {import("../core/types.js").Playlist} playlist @returns {Card} */
export const playlistCard = (playlist) => ({
  href: `#/playlists/${playlist.id}`, image: playlist.cover_url, title: playlist.name,
  by: `${plural(playlist.song_count, "song")} · ${playlist.owner.name}`, selection: { playlist_id: playlist.id },
  thing: playlist,
});

/** @param {Element | {x: number, y: number}} at @param {Card} card */
function cardMenu(at, { selection, title, href, thing }) {
  /** @type {import("./menu.js").Entry[]} */
  const first = player.canControl ? [{ label: "Play", icon: "play", run: () => void player.start(selection) }] : [];
  collectionMenu(at, selection, title, {
    first, thing, more: [null, { label: "Open", icon: "right", run: () => go(href) }],
  });
}

/** @param {boolean} inGrid whether the grid cell is focused instead of the link */
function cardElement(inGrid) {
  /** @type {Card | null} */
  let shown = null;
  const image = picture("", 300);
  const title = h("a", { class: "card-title", dir: "auto", draggable: "false", tabindex: inGrid ? -1 : null });
  const by = h("span", { class: "by", dir: "auto" });
  const play = () => { if (shown) void player.start(shown.selection); };
  const press = iconButton("play", "Play", play, { tabindex: -1, class: "card-play" });
  const content = [h("div", { class: "frame" }, image, press), h("div", { class: "names" }, title, by)];
  const element = inGrid
    ? h("div", { class: "card" }, h("div", { role: "gridcell" }, content))
    : h("li", { class: "card" }, content);
  element.addEventListener("click", (event) => {
    if (shown && !(event.target instanceof Element && event.target.closest("a, button"))) go(shown.href);
  });
  const heart = heartButton({ tabindex: -1, class: "card-heart" });
  content[0]?.append(heart.element);
  makeDraggable(element, () => (shown ? { selection: shown.selection, name: shown.title } : null));
  element.addEventListener("contextmenu", (event) => {
    if (!shown || !(event instanceof MouseEvent)) return;
    event.preventDefault();
    cardMenu({ x: event.clientX, y: event.clientY }, shown);
  });
  return {
    element,
    /** @param {Card | null} card */
    show(card) {
      shown = card;
      element.classList.toggle("ghost-card", !card);
      element.classList.toggle("round", card?.round === true);
      showPicture(image, card?.image, 300);
      setText(title, card?.title ?? "");
      title.href = card?.href ?? "#/";
      setText(by, card?.by ?? "");
      press.setAttribute("aria-label", `Play ${card?.title ?? ""}`);
      heart.show(card?.thing, card?.title ?? "");
      element.draggable = card !== null && matchMedia("(hover: hover)").matches;
      if (inGrid) element.setAttribute("aria-label", card ? `${card.title}, ${card.by}` : "Loading");
    },
  };
}

/**
 * @template T
 * @param {{at: (index: number) => T | undefined, total: number, want?: (first: number,
 *   last: number) => void}} items
 * @param {(item: T) => Card} card @param {string} label
 */
export function cardGrid(items, card, label) {
  const list = /** @type {import("./window-list.js").WindowList} */ (document.createElement("wax-list"));
  list.classList.add("cards");
  list.source = {
    count: items.total, label, gap: 20, want: items.want?.bind(items),
    columns: (width) => Math.max(2, Math.floor((width + 20) / (width > 1500 ? 236 : 188))),
    height: (width) => width + 66,
    make: () => {
      const { element, show } = cardElement(true);
      const showItem = (/** @type {number} */ index) => {
        const item = items.at(index);
        show(item === undefined ? null : card(item));
      };
      return { element, show: showItem };
    },
    onKey: (event, index) => {
      const item = items.at(index);
      if (item === undefined) return false;
      if (event.key === "Enter") go(card(item).href);
      else if (isMenuKey(event)) cardMenu(list.elementAt(index) ?? list, card(item));
      else return false;
      return true;
    },
  };
  list.whileConnected((signal) => personal.addEventListener("change", () => list.refresh(), { signal }));
  return list;
}

/**
 * A row of cards that scrolls sideways.
 * @param {string} title @param {Card[]} cards @param {string} [all] link to all of them
 * @param {HTMLElement} [action]
 */
export function shelf(title, cards, all, action) {
  const shown = cards.map((card) => ({ card, ...cardElement(false) }));
  const update = () => shown.forEach(({ card, show }) => show(card));
  const list = liveElement((signal) => { personal.addEventListener("change", update, { signal }); update(); });
  list.append(h("ul", { class: "shelf-cards" }, ...shown.map(({ element }) => element)));
  update();
  const link = all && h("a", { href: all, "aria-label": `Show all ${title.toLowerCase()}` }, "Show all");
  return h("section", { class: "shelf" }, h("header", null, h("h2", null, title), action, link), list);
}
