// Drags songs, albums, artists and playlists to the queue and to playlists. Menus do the same for
// keyboard and touch.

import { catalog } from "../core/catalog.js";
import { h } from "../core/dom.js";
import { player } from "../core/player.js";

/** @typedef {{selection: import("../core/player.js").Selection, name: string}} Dragged */

const type = "application/x-waxwing";
/** @type {Dragged | null} the browser hides the data from the element below until the drop */
let current = null;

/**
 * @param {HTMLElement} element
 * @param {(target: EventTarget | null) => Dragged | null} what is dragged; null: nothing
 */
export function makeDraggable(element, what) {
  element.addEventListener("dragstart", (event) => {
    const dragged = player.canControl || player.canWrite ? what(event.target) : null;
    if (!dragged || !event.dataTransfer) return;
    current = dragged;
    const label = h("div", { class: "drag-label", "aria-hidden": "true" }, dragged.name);
    document.body.append(label);
    event.dataTransfer.setData(type, dragged.name);
    event.dataTransfer.effectAllowed = "copy";
    event.dataTransfer.setDragImage(label, -12, 12);
    document.documentElement.classList.add("dragging");
    const release = catalog.hold();
    setTimeout(() => label.remove());
    addEventListener("dragend", () => {
      current = null;
      document.documentElement.classList.remove("dragging");
      release();
    }, { once: true });
  });
}

/**
 * @param {HTMLElement} element that things are dropped on
 * @param {{over?: (event: DragEvent) => void, leave?: () => void,
 *   drop: (dragged: Dragged, event: DragEvent) => void}} target
 */
export function acceptDrop(element, { over, leave, drop }) {
  const stop = () => { element.classList.remove("drop-here"); leave?.(); };
  element.addEventListener("dragover", (event) => {
    if (!current) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    element.classList.add("drop-here");
    over?.(event);
  });
  element.addEventListener("dragleave", (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) stop();
  });
  element.addEventListener("drop", (event) => {
    const dragged = current;
    stop();
    if (!dragged) return;
    event.preventDefault();
    drop(dragged, event);
  });
}
