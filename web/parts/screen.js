// The screen in the middle of the page: shows what a route names, and keeps it up to date.

import { catalog } from "../core/catalog.js";
import { fill, setText } from "../core/dom.js";
import { ResponseError, isAbort } from "../core/http.js";
import { player } from "../core/player.js";
import { visitKey } from "../core/router.js";
import { setTint } from "../core/tint.js";
import { isCatalogUnavailable, loadError, loading, notFound } from "./states.js";
import { updateInPlace } from "./update-in-place.js";

const loadingDelay = 120; // a screen that is ready sooner shows no placeholder
const retryAfter = 3_000; // while the catalog is unavailable

/**
 * @typedef {{path: string[], query: URLSearchParams, signal: AbortSignal}} Visit the signal aborts
 *   when the visit ends
 * @typedef {(visit: Visit) => Promise<HTMLElement>} View builds a screen
 * @typedef {{view: View | null, title: string, placeholder: "rows" | "cards" | "hero",
 *   showsCatalog?: boolean, noun?: string, path: string[], query: URLSearchParams}} Route view:
 *   null if there is no such screen; showsCatalog: it is updated when the catalog changes; noun:
 *   what it is about
 */

export class Screen {
  #main;
  #status;
  #visit = new AbortController();
  /** @type {Route | null} */
  #route = null;
  #hash = "";
  #key = "";
  /** @type {Map<string, number>} scroll positions by visit */
  #positions = new Map();

  /**
   * @param {HTMLElement} main where screens are shown
   * @param {HTMLElement} status for screen readers
   */
  constructor(main, status) {
    this.#main = main;
    this.#status = status;
    catalog.onChange(() => this.#update());
    player.addEventListener("connection", () => {
      if (player.connection === "online") this.#retry();
      if (player.connection === "denied") this.#visit.abort();
    });
  }

  /** Shows the screen of a route. @param {Route} route */
  async show(route) {
    const { signal, isSameScreen } = this.#begin(route);
    if (!route.view) return this.#showNotice(notFound("There is no such page", "Go to the start page", "#/"));
    const placeholder = setTimeout(() => {
      if (!signal.aborted && !isSameScreen) fill(this.#main, loading(route.placeholder));
    }, loadingDelay);
    try {
      const content = await route.view({ path: route.path, query: route.query, signal });
      if (signal.aborted) return;
      const hadFocus = this.#main.contains(document.activeElement);
      const focused = hadFocus ? document.activeElement?.id : "";
      fill(this.#main, content);
      if (!content.querySelector(".hero, .stage")) void setTint(null);
      this.#main.scrollTop = this.#positions.get(this.#key) ?? 0;
      if (!isSameScreen) this.#announce(content, route.title);
      else if (hadFocus) (focused && document.getElementById(focused) || this.#main).focus({ preventScroll: true });
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) this.#fail(error);
    } finally {
      clearTimeout(placeholder);
    }
  }

  /** Shows the screen again if it could not be shown. */
  #retry() {
    if (this.#route && this.#main.querySelector(".failure")) void this.show(this.#route);
  }

  /** @param {Route} route */
  #begin(route) {
    const isSameScreen = this.#hash !== "" && this.#hash.split("?")[0] === location.hash.split("?")[0];
    if (this.#main.firstElementChild?.matches(".view")) this.#positions.set(this.#key, this.#main.scrollTop);
    this.#route = route;
    this.#hash = location.hash || "#/";
    this.#key = visitKey();
    this.#visit.abort();
    this.#visit = new AbortController();
    return { signal: this.#visit.signal, isSameScreen };
  }

  /** Updates the screen after a change of the catalog. */
  async #update() {
    const [route, { signal }, shown] = [this.#route, this.#visit, this.#main.firstElementChild];
    if (shown?.matches(".failure")) return this.#retry();
    if (!route?.view || !route.showsCatalog || !(shown instanceof HTMLElement) || !shown.matches(".view")) return;
    try {
      const next = await route.view({ path: route.path, query: route.query, signal });
      if (signal.aborted) return;
      const { scrollTop } = this.#main;
      updateInPlace(shown, next);
      this.#main.scrollTop = scrollTop;
    } catch (error) {
      if (!signal.aborted && error instanceof ResponseError && error.status === 404) this.#fail(error);
    }
  }

  /** Explains why the screen cannot be shown. @param {unknown} error */
  #fail(error) {
    const { noun, path = [] } = this.#route ?? {};
    if (noun && path[1] && error instanceof ResponseError && [400, 404].includes(error.status)) {
      return this.#showNotice(notFound(`This ${noun} no longer exists`, `Show all ${noun}s`, `#/${path[0]}`));
    }
    this.#showNotice(loadError(error, () => this.#retry()));
    if (isCatalogUnavailable(error)) this.#retryLater(this.#visit.signal);
  }

  /** Tries again while the visit lasts and the page is visible. @param {AbortSignal} signal */
  #retryLater(signal) {
    setTimeout(() => {
      if (signal.aborted) return;
      if (document.hidden) this.#retryLater(signal);
      else this.#retry();
    }, retryAfter);
  }

  /**
   * Shows a notice instead of a screen. One that is there already keeps the focus.
   * @param {HTMLElement} notice
   */
  #showNotice(notice) {
    void setTint(null);
    const shown = this.#main.firstElementChild;
    if (shown?.matches(".failure") && shown.textContent === notice.textContent) return;
    fill(this.#main, notice);
    this.#announce(notice, notice.querySelector("h2")?.textContent ?? "");
  }

  /**
   * Tells screen readers that this is another screen.
   * @param {HTMLElement} content @param {string} title
   */
  #announce(content, title) {
    setText(this.#status, content.querySelector("h1")?.textContent ?? title);
    const focused = document.activeElement;
    if (!focused || focused === document.body || !focused.isConnected) this.#main.focus({ preventScroll: true });
  }
}
