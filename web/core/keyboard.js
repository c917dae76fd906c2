// Keyboard shortcuts that work everywhere except in text fields.

import { acceptsText } from "./dom.js";
import { player } from "./player.js";
import { go } from "./router.js";

const storageKey = "waxwing.single-keys";

/**
 * Shortcuts that are a single character. They disturb speech input, so they can be turned off;
 * space and arrows remain.
 */
export const singleKeySetting = {
  get enabled() {
    return localStorage.getItem(storageKey) !== "no";
  },
  set enabled(on) {
    localStorage.setItem(storageKey, on ? "yes" : "no");
    applySetting();
  },
};

function applySetting() {
  document.documentElement.classList.toggle("no-single-keys", !singleKeySetting.enabled);
}

/** @param {{search: () => void, help: () => void, queue: () => void}} actions */
export function addKeyboardShortcuts({ search, help, queue }) {
  /** @type {Record<string, () => void>} */
  const plain = {
    " ": player.toggle, ArrowLeft: () => player.seekBy(-5000), ArrowRight: () => player.seekBy(5000),
    ArrowUp: () => changeVolume(5), ArrowDown: () => changeVolume(-5),
    m: player.mute, s: player.shuffle, r: player.repeat, "/": search, "?": help, q: queue, n: () => go("#/now"),
  };
  /** @type {Record<string, () => void>} */
  const shifted = { ArrowLeft: player.previous, ArrowRight: player.next, "?": help };
  applySetting();
  addEventListener("keydown", (event) => {
    if (undoes(event)) {
      event.preventDefault();
      void player.undo();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || acceptsText(event.target)) return;
    if (document.querySelector("dialog[open], [popover]:popover-open")) return;
    if (!singleKeySetting.enabled && event.key.length === 1 && event.key !== " ") return;
    const action = (event.shiftKey ? shifted : plain)[event.key];
    if (!action || pressesControl(event) || !player.state) return;
    event.preventDefault();
    action();
  });
}

/** @param {KeyboardEvent} event */
function undoes({ key, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented, target }) {
  return key === "z" && (ctrlKey || metaKey) && !shiftKey && !altKey && !defaultPrevented && !acceptsText(target)
    && !document.querySelector("dialog[open]");
}

/** @param {KeyboardEvent} event */
function pressesControl({ key, target }) {
  return key === " " && target instanceof Element && target.closest("button, a, input, summary") !== null;
}

/** @param {number} by */
function changeVolume(by) {
  if (player.state) void player.volume((player.state.muted ? 0 : player.state.volume) + by);
}
