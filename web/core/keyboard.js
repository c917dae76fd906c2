// Keys that work everywhere but where somebody types.

import { acceptsText } from "./dom.js";
import { player } from "./player.js";
import { go } from "./router.js";

const wish = "waxwing.single-keys";

/** Keys that type a character. Who speaks to the computer, or hits keys unawares, turns them off; space and arrows stay. */
export const singleKeySetting = {
  get wanted() {
    return localStorage.getItem(wish) !== "no";
  },
  set wanted(yes) {
    localStorage.setItem(wish, yes ? "yes" : "no");
    applySetting();
  },
};

function applySetting() {
  document.documentElement.classList.toggle("no-single-keys", !singleKeySetting.wanted);
}

/** @param {{search: () => void, help: () => void, queue: () => void}} actions */
export function addKeyboardShortcuts({ search, help, queue }) {
  /** @type {Record<string, () => void>} */
  const plain = {
    " ": player.toggle, ArrowLeft: () => player.nudge(-5000), ArrowRight: () => player.nudge(5000),
    ArrowUp: () => louder(5), ArrowDown: () => louder(-5), m: player.mute, s: player.shuffle, r: player.repeat,
    "/": search, "?": help, q: queue, n: () => go("#/now"),
  };
  /** @type {Record<string, () => void>} */
  const shifted = { ArrowLeft: player.previous, ArrowRight: player.next, "?": help };
  applySetting();
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || acceptsText(event.target)) return;
    if (document.querySelector("dialog[open], [popover]:popover-open")) return;
    const pressesButton = event.key === " " && event.target instanceof Element && event.target.closest("button, a, input, summary");
    if (!singleKeySetting.wanted && event.key.length === 1 && event.key !== " ") return;
    const action = (event.shiftKey ? shifted : plain)[event.key];
    if (!action || pressesButton || !player.state) return;
    event.preventDefault();
    action();
  });
}

/** @param {number} by */
function louder(by) {
  if (player.state) void player.volume((player.state.muted ? 0 : player.state.volume) + by);
}
