// Several rows of a list, selected to be played, queued or added to a playlist together.

import { fill, h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { showNotice } from "../core/notices.js";
import { personal } from "../core/personal.js";
import { player } from "../core/player.js";
import { button, iconButton } from "./controls.js";
import { addToPlaylist } from "./playlist-picker.js";
import { enqueue } from "./song-menu.js";

/**
 * @typedef {import("../core/types.js").Song} Song
 * @typedef {{at: (index: number) => Song | undefined, total: number,
 *   around?: (index: number, before: number, after: number) => Promise<unknown>}} Songs
 * @typedef {{label: string, icon: import("./icons.js").IconName,
 *   run: (rows: [number, Song][]) => void}} Action
 */

const most = 2000; // ids that one request may have

export class RowSelection {
  /** @type {Map<number, Song>} */
  #rows = new Map();
  #anchor = 0;
  #bar = h("div", { class: "selection-bar", role: "region", "aria-label": "Selection" });
  #songs;
  #actions;
  #refresh;

  /**
   * @param {Songs} songs @param {() => void} refresh called after each change
   * @param {Action[]} actions besides those that every list has
   */
  constructor(songs, refresh, actions) {
    this.#songs = songs;
    this.#refresh = refresh;
    this.#actions = actions;
  }

  get size() {
    return this.#rows.size;
  }

  /** @param {number} index */
  has(index) {
    return this.#rows.has(index);
  }

  /** The selected songs, in the order of the list. */
  get rows() {
    return [...this.#rows].sort(([a], [b]) => a - b);
  }

  get ids() {
    return this.rows.filter(([, song]) => song.available).map(([, song]) => song.id);
  }

  clear() {
    if (this.#rows.size === 0) return;
    this.#rows.clear();
    this.#show();
  }

  /** @param {number} index */
  toggle(index) {
    const song = this.#songs.at(index);
    if (!song) return;
    this.#anchor = index;
    if (!this.#rows.delete(index)) this.#rows.set(index, song);
    this.#show();
  }

  /** Selects from the row that was toggled last to another one. @param {number} to */
  async extend(to) {
    const [first, last] = [Math.min(this.#anchor, to), Math.max(this.#anchor, to)];
    await this.#add(first, Math.min(last, first + most - 1));
  }

  async all() {
    if (this.#songs.total > most) showNotice(`The first ${plural(most, "song")} are selected.`);
    await this.#add(0, Math.min(this.#songs.total, most) - 1);
  }

  /** @param {number} first @param {number} last */
  async #add(first, last) {
    await this.#songs.around?.(first, 0, last - first);
    for (let i = first; i <= last; i++) {
      const song = this.#songs.at(i);
      if (song) this.#rows.set(i, song);
    }
    this.#show();
  }

  /** Removes rows that are other songs now. */
  verify() {
    for (const [index, song] of this.#rows) {
      const now = this.#songs.at(index);
      if (index >= this.#songs.total || (now && now.id !== song.id)) this.#rows.delete(index);
    }
    this.#show();
  }

  /** Hides the bar when the list leaves the page. */
  end() {
    this.#rows.clear();
    this.#bar.remove();
  }

  #show() {
    this.#refresh();
    if (this.#rows.size === 0) return this.#bar.remove();
    const selection = () => ({ track_ids: this.ids });
    const name = plural(this.#rows.size, "song");
    const done = (/** @type {() => void} */ run) => () => { run(); this.clear(); };
    const like = async () => { for (const [, song] of this.rows) await personal.like(song, true); };
    const press = (/** @type {string} */ text, /** @type {import("./icons.js").IconName} */ icon,
      /** @type {() => void} */ run) => button(text, done(run), { icon });
    fill(this.#bar, h("strong", { role: "status" }, `${name} selected`),
      ...(player.canControl ? [
        press("Play", "play", () => void player.start(selection())),
        press("Play next", "next", () => void enqueue(selection(), "next", name)),
        press("Add to queue", "queue", () => void enqueue(selection(), "end", name)),
      ] : []),
      ...(player.canWrite ? [
        press("Add to playlist", "playlists", () => void addToPlaylist(this.rows.map(([, song]) => song.id))),
        press("Like", "heart", () => void like()),
        ...this.#actions.map(({ label, icon, run }) => {
          const rows = () => run(this.rows);
          return press(label, icon, rows);
        }),
      ] : []), iconButton("close", "Clear the selection", () => this.clear()));
    if (!this.#bar.isConnected) document.body.append(this.#bar);
  }
}

/**
 * The keys and clicks that select rows.
 * @param {import("./window-list.js").WindowList} list @param {RowSelection} selection
 */
export function selectByPointer(list, selection) {
  list.addEventListener("click", (event) => {
    const index = list.indexOf(event.target);
    if (index < 0 || !(event instanceof MouseEvent)) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      getSelection()?.removeAllRanges();
      void (event.shiftKey ? selection.extend(index) : selection.toggle(index));
    } else if (selection.size > 0 && matchMedia("(hover: none)").matches) {
      event.preventDefault();
      event.stopPropagation();
      selection.toggle(index);
    } else if (!(event.target instanceof Element && event.target.closest("button, a"))) selection.clear();
  }, { capture: true });
}

/**
 * @param {KeyboardEvent} event @param {number} index @param {number} total
 * @param {RowSelection} selection @param {import("./window-list.js").WindowList} list
 * @returns {boolean} whether the key was used
 */
export function selectByKey(event, index, total, selection, list) {
  const { key, ctrlKey, metaKey, shiftKey } = event;
  if ((ctrlKey || metaKey) && key === "a") void selection.all();
  else if ((key === "x" || (ctrlKey && key === " "))) selection.toggle(index);
  else if (key === "Escape" && selection.size > 0) selection.clear();
  else if (shiftKey && (key === "ArrowDown" || key === "ArrowUp")) {
    const to = Math.max(0, Math.min(total - 1, index + (key === "ArrowDown" ? 1 : -1)));
    if (selection.size === 0) selection.toggle(index);
    void selection.extend(to);
    list.focusItem(to);
  } else return false;
  return true;
}
