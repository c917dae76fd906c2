// Says loudly that nobody can hear the music, and offers what helps.

import { fill, h } from "../core/dom.js";
import { playHere } from "../core/hand-over.js";
import { get } from "../core/http.js";
import { player } from "../core/player.js";
import { button } from "./controls.js";

const recheck = 15_000; // while there is no output: one may be plugged in

/** @typedef {import("../core/types.js").Output} Output */

export function soundBanner() {
  const banner = h("div", { class: "banner loud", role: "alert" });
  let silent = false; // whether the output has no sound
  let checked = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const check = async () => {
    clearTimeout(timer);
    const reply = await get("/outputs").catch(() => null);
    if (reply) silent = (/** @type {Output[]} */ (reply.outputs)).every(({ id, active }) => !active || id === "null");
    show();
    if (silent) timer = setTimeout(() => void check(), recheck);
  };
  const show = () => fill(banner, ...content(silent));
  player.addEventListener("output", show);
  player.addEventListener("state", () => {
    if (player.playsHere) return show();
    const now = `${player.state?.is_playing} ${player.state?.output}`;
    if (now !== checked && player.state?.is_playing) void check();
    checked = now;
    show();
  });
  return banner;
}

/** @param {boolean} silent @returns {Node[]} nothing if somebody can hear the music */
function content(silent) {
  const { state } = player;
  if (!state?.is_playing || player.playsHere) return [];
  if (silent) {
    const text = "Connect speakers or start the sound server of the computer that plays, then choose an output below.";
    return [message("Nobody can hear the music: the player has no sound output.", text),
      button("Play in this browser", playHere, { icon: "headphones" })];
  }
  if (state.muted) {
    return [message("Nobody can hear the music: the player is muted."), action("Unmute", () => void player.mute())];
  }
  if (state.volume > 0) return [];
  return [message("Nobody can hear the music: the volume is 0."), action("Turn it up", () => void player.volume(50))];
}

/** @param {string} text @param {string} [more] */
function message(text, more) {
  return h("p", null, h("strong", null, text), more && ` ${more}`);
}

/** @param {string} label @param {() => void} run */
function action(label, run) {
  return button(label, run, { writes: true });
}
