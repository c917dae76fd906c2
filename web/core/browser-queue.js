// The queue of this browser: the list and the order in which it is played. It behaves as the queue
// of a player.

/**
 * @typedef {import("./types.js").QueueItem} QueueItem
 * @typedef {import("./types.js").Repeat} Repeat
 */

export const maxQueue = 20_000;

export class BrowserQueue {
  /** @type {QueueItem[]} each entry is an object of its own, also for the same song */
  items = [];
  /** @type {Repeat} */
  repeat = "off";
  shuffle = false;
  /** @type {QueueItem[]} */
  #order = [];
  #at = -1;
  /** @type {QueueItem[] | null} the order of the next round, once it is known */
  #round = null;

  get current() {
    return this.#order[this.#at] ?? null;
  }

  /** The index of the current entry in the list; -1 in an empty queue. */
  get index() {
    const { current } = this;
    return current ? this.items.indexOf(current) : -1;
  }

  /** @param {QueueItem[]} items @param {number} index of the entry that becomes current */
  replace(items, index) {
    this.items = items.slice(0, maxQueue).map((item) => ({ ...item }));
    this.#order = [...this.items];
    this.#at = Math.min(Math.max(index, 0), this.items.length - 1);
    this.#arrange();
  }

  /**
   * @param {QueueItem[]} added @param {"next" | "end" | number} where or at which index
   * @returns {number} how many found room
   */
  add(added, where) {
    const entries = added.slice(0, maxQueue - this.items.length).map((item) => ({ ...item }));
    if (!this.current) { // an empty queue
      this.replace(entries, 0);
      return entries.length;
    }
    const { current } = this;
    const index = where === "next" ? this.index + 1 : where === "end" ? this.items.length : where;
    this.items = this.items.toSpliced(index, 0, ...entries);
    this.#round = null;
    if (!this.shuffle) [this.#order, this.#at] = [[...this.items], this.items.indexOf(current)];
    else if (where === "next") this.#order.splice(this.#at + 1, 0, ...entries);
    else for (const entry of entries) this.#order.splice(randomBetween(this.#at + 1, this.#order.length), 0, entry);
    return entries.length;
  }

  /**
   * Removes an entry. If it was the current one, the next becomes current, or the first at the end.
   * @param {number} index
   * @returns {{wasCurrent: boolean, ended: boolean}}
   */
  remove(index) {
    const entry = this.items[index];
    const at = entry ? this.#order.indexOf(entry) : -1;
    if (at < 0) return { wasCurrent: false, ended: false };
    const wasCurrent = at === this.#at;
    this.items = this.items.toSpliced(index, 1);
    this.#order.splice(at, 1);
    this.#round = null;
    if (at < this.#at) this.#at--;
    const ended = this.#at >= this.#order.length;
    if (ended) this.#at = this.#order.length > 0 ? 0 : -1;
    return { wasCurrent, ended };
  }

  /** @param {number} from @param {number} to */
  move(from, to) {
    const { current } = this;
    const moved = this.items[from];
    if (!moved || !current) return;
    this.items = this.items.toSpliced(from, 1).toSpliced(to, 0, moved);
    if (this.shuffle) return;
    this.#order = [...this.items];
    this.#at = this.#order.indexOf(current);
    this.#round = null;
  }

  /** @param {number} index */
  jump(index) {
    const entry = this.items[index];
    if (entry) this.#at = this.#order.indexOf(entry);
  }

  /** Moves in the order of playback, beyond its ends too. @param {number} by */
  step(by) {
    const { length } = this.#order;
    if (length > 0) this.#at = (((this.#at + by) % length) + length) % length;
  }

  /** The entry that follows the end of the current one; null if playback ends then. */
  get upcoming() {
    if (!this.current || this.repeat === "one") return this.current;
    const next = this.#order[this.#at + 1];
    if (next) return next;
    if (this.repeat === "off") return null;
    this.#round ??= this.#newRound();
    return this.#round[0] ?? null;
  }

  /** Makes the upcoming entry current. @returns {boolean} false if there is none */
  advance() {
    if (!this.upcoming) return false;
    if (this.repeat === "one") return true;
    if (this.#at + 1 < this.#order.length) this.#at++;
    else [this.#order, this.#round, this.#at] = [this.#round ?? [], null, 0];
    return true;
  }

  /** Begins again with the first entry in the order of playback. */
  rewind() {
    this.#at = this.#order.length > 0 ? 0 : -1;
  }

  /** What replace, remove or clear must be given to undo them. */
  get memory() {
    return { items: this.items, order: [...this.#order], at: this.#at };
  }

  /** @param {BrowserQueue["memory"]} memory */
  recall({ items, order, at }) {
    [this.items, this.#order, this.#at, this.#round] = [items, order, at, null];
  }

  /** @param {boolean} on */
  setShuffle(on) {
    this.shuffle = on;
    this.#arrange();
  }

  /** Orders the entries anew; the current one stays current. */
  #arrange() {
    const { current } = this;
    this.#round = null;
    if (!current) return;
    const others = this.items.filter((item) => item !== current);
    this.#order = this.shuffle ? [current, ...shuffled(others)] : [...this.items];
    this.#at = this.#order.indexOf(current);
  }

  /** A random round does not begin with the entry that was played last. */
  #newRound() {
    if (!this.shuffle) return [...this.items];
    const round = shuffled(this.items);
    if (round.length > 1 && round[0] === this.current) round.push(...round.splice(0, 1));
    return round;
  }
}

/** @template T @param {T[]} items @returns {T[]} */
function shuffled(items) {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = randomBetween(0, i);
    [out[i], out[j]] = [/** @type {T} */ (out[j]), /** @type {T} */ (out[i])];
  }
  return out;
}

/** @param {number} low @param {number} high inclusive */
function randomBetween(low, high) {
  return low + Math.floor(Math.random() * (high - low + 1));
}
