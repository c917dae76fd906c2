// The web player: takes the token, follows the player, and shows a screen for every address.

import { fill, setText } from "./core/dom.js";
import { freshness } from "./core/freshness.js";
import { ResponseError, isAbort } from "./core/http.js";
import { addKeyboardShortcuts } from "./core/keyboard.js";
import { library } from "./core/library.js";
import { startMediaSession } from "./core/media-session.js";
import { player } from "./core/player.js";
import { go, here, replace, visitKey } from "./core/router.js";
import { forget, readTokenFromAddress, token } from "./core/token.js";
import { setTint } from "./core/tint.js";
import { showHelp } from "./parts/help.js";
import { isCatalogUnavailable, failed, loading, notFound } from "./parts/states.js";
import { frame } from "./parts/frame.js";
import { album, artist } from "./views/collections.js";
import { access } from "./views/access.js";
import { home } from "./views/home.js";
import { albums, artists, playlists, shelves, songs } from "./views/lists.js";
import { now, queue } from "./views/now.js";
import { playlist } from "./views/playlist.js";
import { search } from "./views/search.js";
import { settings } from "./views/settings.js";
import { claim, welcome } from "./views/welcome.js";

/**
 * @typedef {import("./core/router.js").Place & {signal: AbortSignal}} Visit what a screen is told; the signal ends with the visit
 * @typedef {(visit: Visit) => Promise<HTMLElement>} View
 */

/**
 * @typedef {{list: View, one?: View, ghost: "rows" | "cards" | "hero", title: string, renews?: boolean, noun?: string}} Screen
 *   renews: it shows what the catalog holds; noun: what one of the list is
 */

/** @type {Record<string, Screen>} */
const views = {
  home: { list: home, ghost: "rows", title: "Home", renews: true },
  search: { list: search, ghost: "rows", title: "Search", renews: true },
  songs: { list: songs, ghost: "rows", title: "Songs", renews: true },
  albums: { list: albums, one: album, ghost: "cards", title: "Albums", renews: true, noun: "album" },
  artists: { list: artists, one: artist, ghost: "cards", title: "Artists", renews: true, noun: "artist" },
  playlists: { list: playlists, one: playlist, ghost: "cards", title: "Playlists", renews: true, noun: "playlist" },
  library: { list: shelves, ghost: "rows", title: "Library" },
  now: { list: now, ghost: "hero", title: "Now playing" },
  queue: { list: queue, ghost: "rows", title: "Queue" },
  settings: { list: settings, one: access, ghost: "rows", title: "Settings" },
};

const retryAfter = 3_000; // while the catalog is away
const patience = 10_000; // with those who are busy on a screen that could be renewed

const page = frame({ search: onSearch, queue: toggleQueue });
let visit = new AbortController();
let shownHash = "";
let shownVisit = "";
/** @type {Map<string, number>} */
const places = new Map();

/** The screen of a place, if there is one. @param {string[]} path @returns {View | null} */
function viewOf(path) {
  const name = path[0] ?? "home";
  const screen = Object.hasOwn(views, name) ? views[name] : undefined;
  if (!screen || (name === "settings" && path[1] && path[1] !== "access")) return null;
  return (path[1] ? screen.one : screen.list) ?? null;
}

/** Shows the screen that the address names. */
async function show() {
  const { path, query } = here();
  const name = path[0] ?? "home";
  const sameScreen = shownHash.split("?")[0] === location.hash.split("?")[0] && shownHash !== "";
  if (page.main.firstElementChild?.matches(".view")) places.set(shownVisit, page.main.scrollTop);
  shownHash = location.hash || "#/";
  shownVisit = visitKey();
  visit.abort();
  visit = new AbortController();
  const { signal } = visit;
  page.mark(name === "playlists" && path[1] ? `${name}/${path[1]}` : name, query.get("q") ?? "");
  const view = viewOf(path);
  if (!view) return stop(notFound("There is no such page", "To the start", "#/"));
  const ghost = path[1] ? "hero" : views[name]?.ghost ?? "rows";
  const waiting = setTimeout(() => { if (!signal.aborted && !sameScreen) fill(page.main, loading(ghost)); }, 120);
  try {
    const content = await view({ path, query, signal });
    if (signal.aborted) return;
    const held = page.main.contains(document.activeElement);
    if (page.main.querySelector(".failure")) page.refreshPlaylists(); // they were missed too
    fill(page.main, content);
    if (!content.querySelector(".hero, .stage")) void setTint(null);
    page.main.scrollTop = places.get(shownVisit) ?? 0;
    if (!sameScreen) arrive(content, views[name]?.title ?? "");
    else if (held) page.main.focus({ preventScroll: true });
  } catch (error) {
    if (!signal.aborted && !isAbort(error)) fail(error, path, signal);
  } finally {
    clearTimeout(waiting);
  }
}

/** Says why a screen cannot be shown. @param {unknown} error @param {string[]} path @param {AbortSignal} signal */
function fail(error, path, signal) {
  const noun = views[path[0] ?? ""]?.noun;
  if (noun && path[1] && error instanceof ResponseError && [400, 404].includes(error.status)) {
    return stop(notFound(`This ${noun} is gone`, `To the ${noun}s`, `#/${path[0]}`));
  }
  stop(failed(error, () => void show()));
  if (isCatalogUnavailable(error)) againSoon(signal);
}

/** Tries again as long as one waits for it and looks. @param {AbortSignal} signal */
function againSoon(signal) {
  setTimeout(() => {
    if (signal.aborted) return;
    if (document.hidden) againSoon(signal);
    else void show();
  }, retryAfter);
}

/** Shows a notice in place of a screen, unless it is there already: what has the focus keeps it. @param {HTMLElement} notice */
function stop(notice) {
  void setTint(null);
  const shown = page.main.firstElementChild;
  if (shown?.matches(".failure") && shown.textContent === notice.textContent) return;
  fill(page.main, notice);
  arrive(notice, notice.querySelector("h2")?.textContent ?? "");
}

/**
 * Shows the screen as it would be now that the catalog has changed, if that is not what it shows already. Long lists renew
 * themselves; this is for all around them. Whoever is busy on the screen is not disturbed: it is renewed when they are done.
 */
async function renew() {
  library.outdated();
  page.refreshPlaylists();
  const { path, query } = here();
  const view = viewOf(path);
  const shown = page.main.firstElementChild;
  if (shown?.matches(".failure")) return void show();
  if (!view || !views[path[0] ?? "home"]?.renews || !shown?.matches(".view")) return;
  const { signal } = visit;
  if (document.querySelector("dialog[open], [role=menu]") || shown.contains(document.activeElement)) {
    setTimeout(() => { if (!signal.aborted) void renew(); }, patience);
    return;
  }
  const trial = new AbortController();
  try {
    const content = await view({ path, query, signal: trial.signal });
    if (signal.aborted || looks(content) === looks(shown)) return trial.abort();
    signal.addEventListener("abort", () => trial.abort());
    const { scrollTop } = page.main;
    fill(page.main, content);
    page.main.scrollTop = scrollTop;
  } catch {
    trial.abort(); // what is shown stays until the catalog answers
  }
}

/** What a screen says and shows outside of its long lists. @param {Element} screen */
function looks(screen) {
  const copy = /** @type {Element} */ (screen.cloneNode(true));
  for (const list of copy.querySelectorAll("wax-list, .scan-progress")) list.replaceChildren();
  return [copy.textContent, ...[...copy.querySelectorAll("img")].map((image) => image.getAttribute("src"))].join("\n");
}

/** Tells those who cannot see it that the screen is another one. @param {HTMLElement} content @param {string} title */
function arrive(content, title) {
  setText(page.status, content.querySelector("h1")?.textContent ?? title);
  const focused = document.activeElement;
  if (!focused || focused === document.body || !focused.isConnected) page.main.focus({ preventScroll: true });
}

/** What was typed goes into the address. @param {string} words */
function onSearch(words) {
  const hash = words ? `#/search?q=${encodeURIComponent(words)}` : "#/search";
  if (here().path[0] === "search") {
    replace(hash);
    void show();
  } else go(hash);
}

function toggleQueue() {
  if (here().path[0] === "queue") go("#/");
  else if (matchMedia("(max-width: 1099px)").matches) go("#/queue");
  else page.toggleQueue();
}

/** Whether the player is there, in words and on the whole page. */
function showConnection() {
  document.documentElement.dataset.connection = player.connection;
  setText(page.banner, player.connection === "away" ? "The player is away. Trying to reach it again…" : "");
  if (player.connection === "refused") {
    forget();
    turnAway(player.refusal?.status === 403 ? "This token may not read what plays. Open the page with another one." : "The token of this tab is not valid. Get a new one:");
  }
  if (player.connection === "live" && page.main.querySelector(".failure")) void show();
}

/** @param {string} [reason] */
function turnAway(reason) {
  visit.abort();
  document.documentElement.classList.remove("read-only");
  document.body.className = "turned-away";
  document.title = "Waxwing";
  fill(document.body, welcome(reason));
}

async function start() {
  // A link with a token that is opened in this very tab changes the fragment alone.
  addEventListener("hashchange", () => { if (/^#(token|claim)=/.test(location.hash)) location.reload(); });
  const { claim: id } = readTokenFromAddress();
  if (id) await claim(id).catch(() => false);
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/web/sw.js", { scope: "/" }).catch(() => undefined);
  if (!token()) return turnAway(id ? "This link was used before, or is too old." : undefined);
  document.body.prepend(...page.elements);
  addEventListener("hashchange", () => void show());
  player.addEventListener("connection", showConnection);
  player.addEventListener("permissions", () => document.documentElement.classList.toggle("read-only", !player.canWrite));
  library.addEventListener("playlists", () => page.refreshPlaylists());
  freshness.addEventListener("change", () => void renew());
  freshness.start();
  addKeyboardShortcuts({ search: page.focusSearch, help: () => void showHelp(), queue: toggleQueue });
  startMediaSession();
  page.refreshPlaylists();
  void show();
  await player.run(new AbortController().signal);
}

void start();
