// The queue, in an order that can be changed.

import { h, fill, setStyles, setText } from "../core/dom.js";
import { clock, plural } from "../core/format.js";
import { showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { library } from "../core/library.js";
import { clearQueue } from "./clear-queue.js";
import { button, iconButton, picture, showIcon, showPicture } from "./controls.js";
import { acceptDrop } from "./drag.js";
import { openMenu, isMenuKey } from "./menu.js";
import { playOnPress } from "./press.js";
import { songMenu } from "./song-menu.js";
import { moveRowByKey, makeReorderable } from "./reorder.js";
import { empty } from "./states.js";
import { createPlaylist } from "./playlist-picker.js";
import "./window-list.js";

const maxSaved = 1000; // ids that one request may have

class QueueList extends HTMLElement {
  #count = h("span", { class: "by" });
  #body = h("div", { class: "queue-body scroller", tabindex: -1 });
  /** @type {import("./window-list.js").WindowList | null} */
  #list = null;
  #ending = new AbortController();
  #revealed = "";

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.replaceChildren(h("header", null, h("h2", null, "Queue"), this.#count,
      iconButton("save", "Save as playlist", () => void this.#save(), { class: "edits" }),
      iconButton("trash", "Clear the queue", () => void clearQueue(), { class: "writes" })), this.#body);
    this.#acceptDrop();
    player.addEventListener("queue", () => this.#show(), { signal });
    player.addEventListener("state", () => this.#mark(), { signal });
    this.#list = null;
    this.#show();
  }

  disconnectedCallback() {
    this.#ending.abort();
  }

  /** Inserts what is dropped where the line is. */
  #acceptDrop() {
    const line = h("div", { class: "drop-line", "aria-hidden": "true" });
    const place = (/** @type {DragEvent} */ { clientY }) => this.#list?.gapAt(clientY) ?? { index: 0, y: 0 };
    acceptDrop(this.#body, {
      over: (event) => {
        if (!this.#list) return;
        const { left, width } = this.#list.getBoundingClientRect();
        setStyles(line, { left: `${left}px`, width: `${width}px`, transform: `translateY(${place(event).y}px)` });
        if (!line.isConnected) document.body.append(line);
      },
      leave: () => line.remove(),
      drop: async ({ selection, name }, event) => {
        const reply = await player.command("/queue/add", { ...selection, index: place(event).index });
        if (!reply) return;
        const what = reply.added === 1 ? `“${name}” is` : `${plural(reply.added, "song")} are`;
        showNotice(`${what} in the queue.`);
      },
    });
  }

  async #save() {
    const created = await createPlaylist(player.queue.slice(0, maxSaved).map(({ id }) => id));
    if (created) showNotice(`“${created.name}” is created with ${plural(created.song_count, "song")}.`);
  }

  #show() {
    const { queue } = player;
    const total = queue.reduce((sum, { duration }) => sum + duration, 0);
    setText(this.#count, queue.length ? `${plural(queue.length, "song")} · ${clock(total * 1000)}` : "");
    this.classList.toggle("is-empty", queue.length === 0);
    if (queue.length === 0) {
      this.#list = null;
      fill(this.#body, emptyQueue());
      return;
    }
    if (this.#list) {
      this.#list.refresh(queue.length);
    } else {
      this.#list = queueRows();
      fill(this.#body, this.#list);
    }
    this.#mark();
  }

  /** Marks the current track, and scrolls to it when it changes. */
  #mark() {
    this.#list?.refresh();
    const { current_index: index = -1, track } = player.state ?? {};
    const now = `${track?.id} ${index}`;
    if (now === this.#revealed || !this.#list) return;
    this.#revealed = now;
    if (!this.contains(document.activeElement)) requestAnimationFrame(() => this.#list?.reveal(index));
  }
}

function emptyQueue() {
  const play = () => void player.command("/play");
  return empty({
    icon: "queue", title: "The queue is empty",
    text: "Press play to let Waxwing choose, or pick something from the library.",
    action: button("Play something", play, { kind: "primary", icon: "play", writes: true }),
  });
}

function queueRows() {
  const list = /** @type {import("./window-list.js").WindowList} */ (document.createElement("wax-list"));
  list.classList.add("queue-rows");
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    const item = player.queue[from];
    if (!item) return;
    void player.move(from, to, item.id);
    showNotice(`“${item.title}” is now number ${to + 1}.`);
  };
  list.source = {
    count: player.queue.length, label: "Queue", height: () => 56, make: queueRow,
    onKey: (event, index) => {
      const item = player.queue[index];
      if (!item) return false;
      const moveTo = (/** @type {number} */ to) => { move(index, to); list.focusItem(to); };
      if (moveRowByKey(event, index, player.queue.length, moveTo)) return true;
      if (event.key === "Enter") void player.jump(index, item.id);
      else if (isMenuKey(event)) void queueMenu(list.elementAt(index) ?? list, index);
      else if (event.key === "Delete" || event.key === "Backspace") void player.remove(index, item.id);
      else return false;
      return true;
    },
  };
  list.addEventListener("contextmenu", (event) => {
    const index = list.indexOf(event.target);
    if (index < 0) return;
    event.preventDefault();
    void queueMenu({ x: event.clientX, y: event.clientY }, index);
  });
  makeReorderable(list, { count: () => player.queue.length, move });
  return list;
}

/**
 * Opens the menu of an item. Without the catalog it has fewer entries.
 * @param {Element | {x: number, y: number}} at @param {number} index
 */
async function queueMenu(at, index) {
  const item = player.queue[index];
  if (!item) return;
  const run = () => void player.remove(index, item.id);
  /** @type {import("./menu.js").Entry[]} */
  const own = player.canControl ? [{ label: "Remove from the queue", icon: "close", run }] : [];
  const song = await library.song(item.id).catch(() => null);
  if (song) songMenu(at, song, own);
  else openMenu(at, own, `“${item.title}”`);
}

function queueRow() {
  let index = -1;
  const image = picture("", 96);
  const title = h("span", { class: "title", dir: "auto" });
  const artist = h("span", { class: "by", dir: "auto" });
  const time = h("span", { class: "time" });
  const item = () => player.queue[index];
  const isCurrent = () => player.state?.current_index === index;
  const start = () => {
    const shown = item();
    if (shown) void (isCurrent() ? player.toggle() : player.jump(index, shown.id));
  };
  const handle = h("span", { class: "handle", "aria-hidden": "true" });
  showIcon(handle, "handle", "Drag to reorder");
  handle.removeAttribute("aria-label");
  const press = iconButton("play", "Play", start, { tabindex: -1, class: "row-play" });
  const removeItem = () => {
    const shown = item();
    if (shown) void player.remove(index, shown.id);
  };
  const remove = iconButton("close", "Remove", removeItem, { tabindex: -1, class: "row-more" });
  const element = h("div", { class: "queue-row" },
    h("div", { role: "gridcell" }, handle),
    h("div", { role: "gridcell", class: "frame" }, image,
      h("span", { class: "bars", "aria-hidden": "true" }, h("i"), h("i"), h("i")), press),
    h("div", { role: "gridcell", class: "names" }, title, artist),
    h("div", { role: "gridcell", class: "end" }, time, remove));
  playOnPress(element, start);
  return {
    element,
    /** @param {number} at */
    show(at) {
      index = at;
      const shown = item();
      const current = isCurrent();
      const running = current && player.state?.is_playing === true;
      element.classList.toggle("current", current);
      element.classList.toggle("running", running);
      element.classList.toggle("past", at < (player.state?.current_index ?? -1) && !player.state?.shuffle);
      showPicture(image, shown?.thumbnail_url, 96);
      setText(title, shown?.title ?? "");
      setText(artist, shown?.artist ?? "");
      setText(time, shown ? clock(shown.duration * 1000) : "");
      showIcon(press, running ? "pause" : "play", `${running ? "Pause" : "Play"} ${shown?.title ?? ""}`);
      remove.setAttribute("aria-label", `Remove ${shown?.title ?? ""}`);
      const label = [`${at + 1}: ${shown?.title ?? ""}`, shown?.artist, current && "playing now"];
      element.setAttribute("aria-label", label.filter(Boolean).join(", "));
    },
  };
}

customElements.define("wax-queue", QueueList);
