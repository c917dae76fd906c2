// A long list that is read page by page, as far as it is looked at.

import { getIfChanged } from "./http.js";

const perPage = 100;
const retryAfter = 2000;
const maxPages = 50; // enough to scroll back smoothly, little enough to forget the rest of a million

/** @template T */
export class Pages extends EventTarget {
  /** @type {Map<number, T[]>} */
  #pages = new Map();
  /** @type {Map<number, string>} */
  #tags = new Map();
  /** @type {Map<number, AbortController>} */
  #reading = new Map();
  total = 0;
  /** @type {unknown} */
  error = null;
  loaded = false;
  watchers = 0; // how many screens show it
  #patience = 0; // until when a list that could not be read is left alone

  /** @param {string} path of the list @param {string} field that holds the rows */
  constructor(path, field) {
    super();
    this.path = path;
    this.field = field;
  }

  /** Reads the first page. It throws what the server refused with. */
  async open() {
    if (!this.loaded) await this.#read(1);
    if (this.error && !this.loaded) throw this.error;
    return this;
  }

  /** @param {number} index @returns {T | undefined} */
  at(index) {
    return this.#pages.get(Math.floor(index / perPage) + 1)?.[index % perPage];
  }

  /** How many rows from the first one on are here. */
  get known() {
    let page = 1;
    while (this.#pages.has(page)) page++;
    return Math.min(this.total, (page - 1) * perPage);
  }

  /**
   * Rows around one of them, without a gap; those that cannot be read now are left out.
   * @param {number} index @param {number} before @param {number} after @returns {Promise<{rows: T[], at: number}>} and where that one is
   */
  async around(index, before, after) {
    const missing = [];
    const last = Math.floor(Math.min(this.total - 1, index + after) / perPage) + 1;
    for (let page = Math.floor(Math.max(0, index - before) / perPage) + 1; page <= last; page++) if (!this.#pages.has(page)) missing.push(page);
    await Promise.all(missing.map(async (page) => {
      const reply = await getIfChanged(this.#url(page)).catch(() => null);
      if (reply) this.#keep(page, reply);
    }));
    const rows = [];
    let first = index;
    while (first > Math.max(0, index - before) && this.at(first - 1) !== undefined) first--;
    for (let i = first, row = this.at(i); row !== undefined && i <= index + after; row = this.at(++i)) rows.push(row);
    return { rows, at: index - first };
  }

  /** Sees to it that rows are there soon; what is wanted no longer is not waited for. @param {number} first @param {number} last */
  want(first, last) {
    const from = Math.floor(first / perPage) + 1;
    const to = Math.floor(Math.max(first, last - 1) / perPage) + 1;
    for (const [page, reading] of this.#reading) if (page < from || page > to) reading.abort();
    for (let page = from; page <= to; page++) {
      if (!this.#pages.has(page) && !this.#reading.has(page) && Date.now() >= this.#patience) void this.#read(page);
    }
  }

  /** Forgets everything but the place, and reads again. */
  async refresh() {
    for (const reading of this.#reading.values()) reading.abort();
    const shown = [...this.#pages.keys()];
    this.#pages.clear();
    await Promise.all(shown.slice(-3).map((page) => this.#read(page)));
    if (!this.#pages.size) await this.#read(1);
  }

  /**
   * Reads again what was looked at last, leaves the rows in place meanwhile, and then swaps all of them at once. Pages that are
   * as they were cost one short answer each. A list that cannot be read stays as it is until the next time.
   * @param {(swap: () => void) => void} around is given the swap, and can see the list before and after it
   */
  async renew(around) {
    const kept = [...this.#pages.keys()].slice(-3);
    if (!this.loaded || this.#reading.size > 0) return;
    const replies = await Promise.all(kept.map((page) => getIfChanged(this.#url(page), this.#tags.get(page)))).catch(() => []);
    if (replies.every((reply) => reply === null)) return;
    around(() => {
      for (const page of [...this.#pages.keys()]) if (!kept.includes(page)) this.#pages.delete(page);
      replies.forEach((reply, i) => { if (reply) this.#keep(/** @type {number} */ (kept[i]), reply); });
      this.dispatchEvent(new Event("change"));
    });
  }

  /** @param {number} from @param {number} to */
  move(from, to) {
    const rows = this.#all();
    if (!rows) return;
    const [moved] = rows.splice(from, 1);
    if (moved) rows.splice(to, 0, moved);
    for (const page of this.#pages.keys()) this.#pages.set(page, rows.slice((page - 1) * perPage, page * perPage));
    this.dispatchEvent(new Event("change"));
  }

  /** All rows if they are all here. */
  #all() {
    const rows = [];
    for (let i = 0; i < this.total; i++) {
      const row = this.at(i);
      if (!row) return null;
      rows.push(row);
    }
    return rows;
  }

  /** @param {number} page */
  #url(page) {
    return `${this.path}${this.path.includes("?") ? "&" : "?"}page=${page}&limit=${perPage}`;
  }

  /** @param {number} page @param {{tag: string, body: any}} reply */
  #keep(page, { tag, body }) {
    this.#pages.delete(page); // what was read last stands last
    this.#pages.set(page, body[this.field]);
    this.#tags.set(page, tag);
    this.total = body.total;
  }

  /** @param {number} page */
  async #read(page) {
    const reading = new AbortController();
    this.#reading.set(page, reading);
    try {
      const reply = await getIfChanged(this.#url(page), undefined, reading.signal);
      if (reply) this.#keep(page, reply);
      this.loaded = true;
      this.error = null;
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= maxPages) break;
        this.#pages.delete(old);
      }
    } catch (error) {
      if (reading.signal.aborted) return;
      this.error = error;
      this.#patience = Date.now() + retryAfter;
      setTimeout(() => this.dispatchEvent(new Event("change")), retryAfter + 10);
    } finally {
      if (this.#reading.get(page) === reading) this.#reading.delete(page);
    }
    this.dispatchEvent(new Event("change"));
  }
}
