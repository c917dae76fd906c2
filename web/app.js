// The web player: shows the screen that the address names.

import { catalog } from "./core/catalog.js";
import { startOutput } from "./core/hand-over.js";
import { addKeyboardShortcuts } from "./core/keyboard.js";
import { startMediaSession } from "./core/media-session.js";
import { player } from "./core/player.js";
import { here } from "./core/router.js";
import { applyTheme } from "./core/theme.js";
import { loadTypeface } from "./core/typeface.js";
import { frame } from "./parts/frame.js";
import { showHelp } from "./parts/help.js";
import { Screen } from "./parts/screen.js";
import { startSession } from "./parts/session.js";
import { access } from "./views/access.js";
import { apps } from "./views/apps.js";
import { genres, history, liked } from "./views/browse.js";
import { album, artist } from "./views/collections.js";
import { home } from "./views/home.js";
import { albums, artists, libraryLinks, playlists, songs } from "./views/lists.js";
import { now, queue } from "./views/now.js";
import { playlist } from "./views/playlist.js";
import { search } from "./views/search.js";
import { settings } from "./views/settings.js";

/**
 * @typedef {import("./parts/screen.js").View} View
 * @typedef {import("./parts/screen.js").Route} Route
 * @typedef {Pick<Route, "title" | "placeholder" | "showsCatalog" | "noun"> & {list: View,
 *   one?: View}} Entry list: the screen at #/name; one: the screen at #/name/id
 */

/** @type {Record<string, View>} */
const settingsPages = { access, apps };

/** @type {Record<string, Entry>} */
const routes = {
  home: { list: home, placeholder: "rows", title: "Home", showsCatalog: true },
  search: { list: search, placeholder: "rows", title: "Search", showsCatalog: true },
  songs: { list: songs, placeholder: "rows", title: "Songs", showsCatalog: true },
  albums: { list: albums, one: album, placeholder: "cards", title: "Albums", showsCatalog: true, noun: "album" },
  artists: { list: artists, one: artist, placeholder: "cards", title: "Artists", showsCatalog: true, noun: "artist" },
  playlists: {
    list: playlists, one: playlist, placeholder: "cards", title: "Playlists", showsCatalog: true, noun: "playlist",
  },
  genres: { list: genres, placeholder: "rows", title: "Genres and years", showsCatalog: true },
  liked: { list: liked, placeholder: "rows", title: "Liked", showsCatalog: true },
  history: { list: history, placeholder: "rows", title: "History", showsCatalog: true },
  library: { list: libraryLinks, placeholder: "rows", title: "Library" },
  now: { list: now, placeholder: "hero", title: "Now playing" },
  queue: { list: queue, placeholder: "rows", title: "Queue" },
  settings: { list: settings, placeholder: "rows", title: "Settings" },
};

const typefaceDelay = 1000; // ms in which the first screen is loaded

/** @returns {Route} */
function currentRoute() {
  const { path, query } = here();
  const [name = "home", id] = path;
  const entry = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (!entry) return { view: null, title: "", placeholder: "rows", path, query };
  const one = name === "settings" && id && Object.hasOwn(settingsPages, id) ? settingsPages[id] : entry.one;
  const placeholder = id ? "hero" : entry.placeholder;
  return { ...entry, view: (id ? one : entry.list) ?? null, placeholder, path, query };
}

async function start() {
  applyTheme();
  if (!(await startSession())) return;
  startOutput();
  const page = frame();
  const screen = new Screen(page.main, page.status);
  const route = () => {
    const next = currentRoute();
    page.showAddress(next);
    void screen.show(next);
  };
  for (const part of document.querySelectorAll(".skeleton")) part.remove();
  document.body.prepend(...page.elements);
  addEventListener("hashchange", route);
  catalog.start();
  addKeyboardShortcuts({ search: page.focusSearch, help: () => void showHelp(), queue: page.toggleQueue });
  startMediaSession();
  route();
  setTimeout(() => void loadTypeface(), typefaceDelay);
  await player.run(new AbortController().signal);
}

void start();
