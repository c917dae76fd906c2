// A long list that is read page by page, as far as it is looked at.

import { get } from "./http.js";

const perPage = 100;
const retryAfter = 2000;
const keptPages = 50; // enough to scroll back smoothly, little enough to forget the rest of a million

/** @template T */
export class Pages extends EventTarget {
  /** @type {Map<number, T[]>} */
  #pages = new Map();
  /** @type {Map<number, AbortController>} */
  #reading = new Map();
  total = 0;
  /** @type {unknown} */
  error = null;
  loaded = false;
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
  async #read(page) {
    const reading = new AbortController();
    this.#reading.set(page, reading);
    try {
      const separator = this.path.includes("?") ? "&" : "?";
      const reply = await get(`${this.path}${separator}page=${page}&limit=${perPage}`, reading.signal);
      this.#pages.delete(page);
      this.#pages.set(page, reply[this.field]);
      this.total = reply.total;
      this.loaded = true;
      this.error = null;
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= keptPages) break;
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
