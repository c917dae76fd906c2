// The parts that surround every screen: navigation, search, the queue at the side and the bar at
// the bottom.

import { h, fill } from "../core/dom.js";
import { go, here } from "../core/router.js";
import { connectionBanner } from "./connection-banner.js";
import { iconButton } from "./controls.js";
import { showHelp } from "./help.js";
import { icon } from "./icons.js";
import { overlayNotice } from "./overlay-notice.js";
import { ownPlaylists } from "./own-playlists.js";
import { createPlaylist } from "./playlist-picker.js";
import { SearchBox } from "./search-box.js";
import { soundBanner } from "./sound-banner.js";
import "./now-bar.js";
import "./pair-notice.js";
import "./queue-list.js";
import "./toasts.js";
import "./transport.js";

const queueSetting = "waxwing.queue";
const tintLimit = 60; // px of scrolling after which the tint is dimmed, so that text stays readable

/** @typedef {[string, string, import("./icons.js").IconName]} Link */

/** @type {Link[]} */
const links = [
  ["Home", "home", "home"], ["Songs", "songs", "songs"], ["Albums", "albums", "albums"],
  ["Artists", "artists", "artists"], ["Genres", "genres", "genres"], ["Playlists", "playlists", "playlists"],
  ["Liked", "liked", "heart"], ["History", "history", "history"],
];
/** @type {Link[]} */
const tabs = [
  ["Home", "home", "home"], ["Library", "library", "albums"], ["Now", "now", "now"], ["Queue", "queue", "queue"],
  ["Settings", "settings", "settings"],
];

export function frame() {
  const main = h("main", { id: "main", class: "scroller", tabindex: -1 });
  const search = new SearchBox(main);
  const status = h("p", { class: "sr", role: "status" });
  const bar = /** @type {HTMLElement & {queueOpen: boolean}} */ (document.createElement("wax-now-bar"));
  const aside = h("aside", { class: "queue-side", "aria-label": "Queue" });
  main.addEventListener("scroll", () => {
    main.parentElement?.classList.toggle("scrolled", main.scrollTop > tintLimit);
  }, { passive: true });
  const showQueue = (/** @type {boolean} */ open) => {
    fill(aside, open ? document.createElement("wax-queue") : null);
    document.body.classList.toggle("with-queue", open);
    localStorage.setItem(queueSetting, open ? "open" : "closed");
    markQueue();
  };
  const narrow = matchMedia("(max-width: 1099px)"); // where the queue is a screen of its own
  const markQueue = () => {
    const isOpen = !narrow.matches && document.body.classList.contains("with-queue");
    bar.queueOpen = here().path[0] === "queue" || isOpen;
  };
  narrow.addEventListener("change", markQueue);
  showQueue(localStorage.getItem(queueSetting) !== "closed");
  const toggleQueue = () => {
    if (here().path[0] === "queue") go("#/");
    else if (narrow.matches) go("#/queue");
    else showQueue(!document.body.classList.contains("with-queue"));
  };
  bar.addEventListener("queue", toggleQueue);
  return {
    main, status, toggleQueue,
    focusSearch: () => search.focus(),
    elements: [
      skipLink(main), sideNavigation(),
      h("div", { class: "centre" }, h("header", { class: "top" },
        h("a", { class: "brand", href: "#/", "aria-label": "Home" }, logo()), search.element,
        iconButton("help", "Keyboard help", () => void showHelp(), { class: "help" })), connectionBanner(),
        soundBanner(), overlayNotice(), main),
      aside, bar,
      h("nav", { class: "tabs", "aria-label": "Screens" }, h("ul", null, ...tabs.map(navigationLink))),
      status, document.createElement("wax-pair"), document.createElement("wax-toasts"),
    ],
    /**
     * Marks the current screen in the navigation and fills the search field.
     * @param {import("../core/router.js").Address} address
     */
    showAddress({ path, query }) {
      const [view = "home", id] = path;
      document.documentElement.dataset.view = view;
      markQueue();
      markCurrent(view, view === "playlists" && id ? `${view}/${id}` : view);
      search.show(view === "search" ? query.get("q") ?? "" : null);
    },
  };
}

function sideNavigation() {
  const create = async () => {
    const created = await createPlaylist();
    if (created) go(`#/playlists/${created.id}`);
  };
  return h("nav", { class: "side", "aria-label": "Library" },
    h("a", { class: "brand", href: "#/" }, logo(), "Waxwing"),
    h("ul", null, ...links.map(navigationLink)),
    h("div", { class: "own-head" }, h("h2", null, "Your playlists"),
      iconButton("plus", "New playlist", () => void create(), { class: "edits" })),
    ownPlaylists(),
    h("ul", { class: "side-foot" }, h("li", { class: "read-only-note" }, icon("lock"), "Read-only access"),
      navigationLink(["Settings", "settings", "settings"])));
}

/** @param {Link} link */
function navigationLink([text, name, symbol]) {
  const href = name === "home" ? "#/" : `#/${name}`;
  return h("li", null, h("a", { href, "data-name": name }, icon(symbol), h("span", null, text)));
}

function logo() {
  return h("img", { src: "/web/icon.svg", alt: "", width: 28, height: 28 });
}

/** @param {HTMLElement} main */
function skipLink(main) {
  const skip = (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); };
  return h("a", { class: "skip", href: "#main", onclick: skip }, "Skip to content");
}

/** @param {string} view @param {string} name of its link */
function markCurrent(view, name) {
  const inLibrary = links.some(([, listed]) => listed === view && listed !== "home");
  for (const link of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-name]"))) {
    if (link.dataset.name === name) link.setAttribute("aria-current", "page");
    else if (link.dataset.name === "library" && inLibrary) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
