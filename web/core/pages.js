// A long list that is read page by page, as far as it is scrolled to.

import { rememberSongs } from "./browser-songs.js";
import { catalog } from "./catalog.js";
import { getIfChanged } from "./http.js";

const perPage = 100;
const retryAfter = 2000;
const maxPages = 50; // enough to scroll back smoothly, a small part of a million songs
const updatedPages = 3; // how many of the pages read last an update reads again
const maxAge = 5 * 60_000; // of a list from a catalog that does not report its changes

/** @template {{id: string}} T */
export class Pages extends EventTarget {
  /** @type {Map<number, {rows: T[], etag: string}>} the page read last is the last one */
  #pages = new Map();
  /** @type {Map<number, AbortController>} */
  #reading = new Map();
  total = 0;
  /** @type {unknown} */
  error = null;
  loaded = false;
  /**
   * The list that shows these rows sets this while it is in the document: it carries out an
   * exchange of the rows without moving what is visible.
   * @type {((exchange: () => void) => void) | null}
   */
  keepPosition = null;
  #generation = -1;
  #updatedAt = 0;
  #retryAt = 0; // when a list that could not be read may be tried again

  /** @param {string} path of the list @param {string} field that holds the rows */
  constructor(path, field) {
    super();
    this.path = path;
    this.field = field;
  }

  /**
   * Reads the first page, or updates a list that is out of date. It throws if the list cannot be
   * read.
   */
  async open() {
    if (!this.loaded) await this.#read(1);
    else if (this.#isOutdated) await this.update();
    if (this.error && !this.loaded) throw this.error;
    return this;
  }

  /** Like open, for a list that changes without a change of the catalog, such as the history. */
  async openNewest() {
    if (this.loaded) await this.update();
    return this.open();
  }

  get #isOutdated() {
    if (this.#generation !== catalog.generation) return true;
    return catalog.revision === null && Date.now() - this.#updatedAt > maxAge;
  }

  /** @param {number} index @returns {T | undefined} */
  at(index) {
    return this.#pages.get(pageOf(index))?.rows[index % perPage];
  }

  /** How many rows from the first one on have been read. */
  get known() {
    let page = 1;
    while (this.#pages.has(page)) page++;
    return Math.min(this.total, (page - 1) * perPage);
  }

  /**
   * Rows around one of them, without a gap; rows that cannot be read now are left out.
   * @param {number} index @param {number} before @param {number} after
   * @returns {Promise<{rows: T[], at: number}>} at: the index of that row in rows
   */
  async around(index, before, after) {
    const missing = [];
    const last = pageOf(Math.min(this.total - 1, index + after));
    for (let page = pageOf(Math.max(0, index - before)); page <= last; page++) {
      if (!this.#pages.has(page)) missing.push(page);
    }
    await Promise.all(missing.map(async (page) => {
      const reply = await getIfChanged(this.#url(page)).catch(() => null);
      if (reply) this.#store(page, reply);
    }));
    const rows = [];
    let first = index;
    while (first > Math.max(0, index - before) && this.at(first - 1) !== undefined) first--;
    for (let i = first, row = this.at(i); row !== undefined && i <= index + after; row = this.at(++i)) rows.push(row);
    return { rows, at: index - first };
  }

  /**
   * Starts to read the rows that are missing, and cancels requests for others.
   * @param {number} first @param {number} last
   */
  want(first, last) {
    const from = pageOf(first);
    const to = pageOf(Math.max(first, last - 1));
    for (const [page, reading] of this.#reading) if (page < from || page > to) reading.abort();
    for (let page = from; page <= to; page++) {
      if (!this.#pages.has(page) && !this.#reading.has(page) && Date.now() >= this.#retryAt) void this.#read(page);
    }
  }

  /**
   * Reads again what was scrolled to last, leaves the rows as they are meanwhile, and then
   * exchanges all of them at once. A list that cannot be read stays as it is.
   * @param {{force?: boolean}} [options] force: also pages that the server would call unchanged
   */
  async update({ force = false } = {}) {
    const { generation } = catalog;
    const interrupted = [...this.#reading.values()];
    for (const reading of interrupted) reading.abort(); // their pages are read anew if they are still wanted
    const numbers = [...this.#pages.keys()].slice(-updatedPages);
    const etag = (/** @type {number} */ page) => (force ? "" : this.#pages.get(page)?.etag);
    const requests = numbers.map((page) => getIfChanged(this.#url(page), etag(page)));
    const replies = await Promise.all(requests).catch(() => null);
    if (replies) [this.#generation, this.#updatedAt] = [generation, Date.now()];
    if (!replies || replies.every((reply) => reply === null)) {
      if (interrupted.length > 0) this.dispatchEvent(new Event("change"));
      return;
    }
    const exchange = () => {
      for (const page of [...this.#pages.keys()]) if (!numbers.includes(page)) this.#pages.delete(page);
      numbers.forEach((page, i) => { if (replies[i]) this.#store(page, replies[i]); });
      this.dispatchEvent(new Event("change"));
    };
    if (this.keepPosition) this.keepPosition(exchange);
    else exchange();
  }

  /**
   * Moves a row here at once. The server is told by the caller.
   * @param {number} from @param {number} to
   */
  move(from, to) {
    const rows = [];
    for (let i = 0; i < this.total; i++) {
      const row = this.at(i);
      if (!row) return; // only a list that has been read whole can be reordered
      rows.push(row);
    }
    const [moved] = rows.splice(from, 1);
    if (moved) rows.splice(to, 0, moved);
    for (const [page, stored] of this.#pages) stored.rows = rows.slice((page - 1) * perPage, page * perPage);
    this.dispatchEvent(new Event("change"));
  }

  /** @param {number} page */
  #url(page) {
    return `${this.path}${this.path.includes("?") ? "&" : "?"}page=${page}&limit=${perPage}`;
  }

  /** @param {number} page @param {{etag: string, body: any}} reply */
  #store(page, { etag, body }) {
    this.#pages.delete(page);
    this.#pages.set(page, { rows: body[this.field], etag });
    if (this.field === "songs") rememberSongs(body.songs);
    this.total = body.total;
  }

  /** @param {number} page */
  async #read(page) {
    const reading = new AbortController();
    const { generation } = catalog;
    this.#reading.set(page, reading);
    try {
      const reply = await getIfChanged(this.#url(page), "", reading.signal);
      if (reply) this.#store(page, reply);
      if (!this.loaded) [this.#generation, this.#updatedAt] = [generation, Date.now()];
      this.loaded = true;
      this.error = null;
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= maxPages) break;
        this.#pages.delete(old);
      }
    } catch (error) {
      if (reading.signal.aborted) return;
      this.error = error;
      this.#retryAt = Date.now() + retryAfter;
      setTimeout(() => this.dispatchEvent(new Event("change")), retryAfter + 10);
    } finally {
      if (this.#reading.get(page) === reading) this.#reading.delete(page);
    }
    this.dispatchEvent(new Event("change"));
  }
}

/** The page of a row, counted from 1. @param {number} index */
function pageOf(index) {
  return Math.floor(index / perPage) + 1;
}
