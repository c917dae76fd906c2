// What surrounds every screen: navigation, search, the queue at the side and the bar at the bottom.

import { h, fill } from "../core/dom.js";
import { get } from "../core/http.js";
import { go } from "../core/router.js";
import { iconButton } from "./controls.js";
import { icon } from "./icons.js";
import { createPlaylist } from "./playlist-picker.js";
import { showHelp } from "./help.js";
import "./now-bar.js";
import "./pair-notice.js";
import "./queue-list.js";
import "./toasts.js";
import "./transport.js";

const wish = "waxwing.queue";

/** @typedef {[string, string, import("./icons.js").IconName]} Link */

/** @param {{search: (words: string) => void, queue: () => void}} actions */
export function frame({ search, queue }) {
  const links = /** @type {Link[]} */ ([["Home", "home", "home"], ["Songs", "songs", "songs"], ["Albums", "albums", "albums"], ["Artists", "artists", "artists"], ["Playlists", "playlists", "playlists"]]);
  const tabs = /** @type {Link[]} */ ([["Home", "home", "home"], ["Library", "library", "albums"], ["Now", "now", "now"], ["Queue", "queue", "queue"], ["Settings", "settings", "settings"]]);
  const link = (/** @type {Link} */ [text, name, symbol]) => h("li", null, h("a", { href: name === "home" ? "#/" : `#/${name}`, "data-name": name }, icon(symbol), h("span", null, text)));
  const own = h("ul", { class: "own-playlists", "aria-label": "Your playlists" });
  const create = async () => { const made = await createPlaylist(); if (made) go(`#/playlists/${made.id}`); };

  const nav = h("nav", { class: "side", "aria-label": "Library" },
    h("a", { class: "brand", href: "#/" }, h("img", { src: "/web/icon.svg", alt: "", width: 28, height: 28 }), "Waxwing"),
    h("ul", null, ...links.map(link)),
    h("div", { class: "own-head" }, h("h2", null, "Your playlists"), iconButton("plus", "New playlist", () => void create(), { class: "writes" })),
    own,
    h("ul", { class: "side-foot" }, h("li", { class: "looks-only" }, icon("lock"), "Read-only access"), link(["Settings", "settings", "settings"])));
  const field = h("input", { type: "search", placeholder: "Search songs, artists, albums", "aria-label": "Search", autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
  const main = h("main", { id: "main", class: "scroller", tabindex: -1 });
  const banner = h("p", { class: "banner", role: "status" });
  const status = h("p", { class: "sr", role: "status" });
  const bar = /** @type {HTMLElement & {queueOpen: boolean}} */ (document.createElement("wax-now-bar"));
  bar.addEventListener("queue", queue);
  const aside = h("aside", { class: "queue-side", "aria-label": "Queue" });
  const bottom = h("nav", { class: "tabs", "aria-label": "Screens" }, h("ul", null, ...tabs.map(link)));

  // What is read on the light must stay readable: it is dimmed once rows pass over it.
  main.addEventListener("scroll", () => main.parentElement?.classList.toggle("scrolled", main.scrollTop > 60), { passive: true });
  const followAddress = listenToSearch(field, main, search);
  const showQueue = (/** @type {boolean} */ open) => {
    fill(aside, open ? document.createElement("wax-queue") : null);
    document.body.classList.toggle("with-queue", open);
    bar.queueOpen = open;
    localStorage.setItem(wish, open ? "open" : "closed");
  };
  showQueue(localStorage.getItem(wish) !== "closed");

  return {
    main, banner, status,
    elements: [
      h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }, "Skip to content"),
      nav, h("div", { class: "centre" }, h("header", { class: "top" }, h("a", { class: "brand", href: "#/", "aria-label": "Home" }, h("img", { src: "/web/icon.svg", alt: "", width: 28, height: 28 })),
        h("form", { class: "search-field", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() }, icon("search"), field, h("kbd", { "aria-hidden": "true" }, "/")),
        iconButton("help", "Keyboard help", () => void showHelp(), { class: "help" })), banner, main),
      aside, bar, bottom, status, document.createElement("wax-pair"), document.createElement("wax-toasts"),
    ],
    /** Marks where one is. @param {string} name @param {string} words that are searched for */
    mark(name, words) {
      const [view = ""] = name.split("/");
      document.documentElement.dataset.view = view;
      for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-name]"))) {
        if (each.dataset.name === name) each.setAttribute("aria-current", "page");
        else if (each.dataset.name === "library" && links.some(([, listed]) => listed === view && listed !== "home")) each.setAttribute("aria-current", "true");
        else each.removeAttribute("aria-current");
      }
      followAddress(view === "search" ? words : null);
    },
    focusSearch() {
      field.focus();
      field.select();
    },
    toggleQueue: () => showQueue(!document.body.classList.contains("with-queue")),
    async refreshPlaylists() {
      const reply = await get("/api/users/me/playlists?limit=200").catch(() => null);
      const names = JSON.stringify(reply?.playlists.map((/** @type {import("../core/types.js").Playlist} */ { id, name }) => [id, name]));
      if (!reply || own.dataset.shown === names) return;
      own.dataset.shown = names;
      fill(own, ...reply.playlists.map((/** @type {import("../core/types.js").Playlist} */ { id, name }) => h("li", null, h("a", { href: `#/playlists/${id}`, "data-name": `playlists/${id}` }, name))));
    },
  };
}

/**
 * @param {HTMLInputElement} field @param {HTMLElement} main @param {(words: string) => void} search
 * @returns {(words: string | null) => void} shows in the field what the address searches for; null where it does not search
 */
function listenToSearch(field, main, search) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {string | null} what was typed and is searched for */
  let typed = null;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    typed = field.value.trim();
    search(typed);
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(send, 90);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur();
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    if (timer !== undefined) send();
    if (matchMedia("(hover: none)").matches) return field.blur(); // the keyboard on the screen covers what was found
    [.../** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll("button, a, [tabindex='0']"))].find((each) => each.checkVisibility())?.focus();
  });
  return (words) => {
    if (words === typed) return; // who types is ahead of the address
    clearTimeout(timer);
    timer = undefined;
    typed = words;
    field.value = words ?? "";
  };
}
