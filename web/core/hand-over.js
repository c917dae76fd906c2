// Moves playback between the player's machine and this browser: the other side goes on with the
// same queue at the same position.

import { browserOutput } from "./browser-output.js";
import { get, post } from "./http.js";
import { showError } from "./notices.js";
import { player } from "./player.js";
import { isCatalogPage } from "./server.js";

const storageKey = "waxwing.plays-here"; // the choice stays on this device
const maxIds = 2_000; // that one request may have
const loadTimeout = 60_000; // the server may have to convert a long song first
const ahead = 400; // ms that pass until the other side starts; what it loads then is loaded already

let busy = false;

export function startOutput() {
  if (!isCatalogPage && localStorage.getItem(storageKey) === "yes") setOutput(true);
  document.documentElement.dataset.output = player.playsHere ? "browser" : "machine";
  player.addEventListener("connection", () => { if (player.connection === "denied") browserOutput.stop(); });
}

/** @param {boolean} here */
function setOutput(here) {
  localStorage.setItem(storageKey, here ? "yes" : "no");
  document.documentElement.dataset.output = here ? "browser" : "machine";
  player.setOutput(here);
}

/** One at a time; shows its error. @param {() => Promise<void>} move */
async function handOver(move) {
  if (busy) return;
  busy = true;
  document.documentElement.classList.add("handing-over");
  try {
    await move();
  } catch (error) {
    showError(error);
  } finally {
    busy = false;
    document.documentElement.classList.remove("handing-over");
  }
}

/** Call this during a click: browsers let a page play only then. */
export function playHere() {
  if (player.playsHere) return;
  browserOutput.unlock();
  void handOver(takeOver);
}

/** The machine plays until this browser has loaded the song. */
async function takeOver() {
  const { state, queue, playhead } = player.machine;
  if (!state || queue.length === 0) return setOutput(true);
  const { current_index: index, shuffle, repeat } = state;
  if (state.stream) throw new Error("This browser cannot play a stream of the web. Choose a song first.");
  browserOutput.adopt({ items: queue, index, shuffle, repeat, position: playhead.position });
  if (!state.is_playing) return setOutput(true);
  await browserOutput.load(playhead.position + ahead, AbortSignal.timeout(loadTimeout));
  const position = await pauseMachine(state.track?.id);
  if (position === null) return handOverAgain();
  browserOutput.seek(position);
  await browserOutput.play();
  setOutput(true);
}

/** The machine has begun another song meanwhile. */
function handOverAgain() {
  busy = false;
  void handOver(takeOver);
}

/**
 * Pauses the machine, unless this page may only read.
 * @param {string | undefined} id of the track that was playing
 * @returns {Promise<number | null>} where it paused; null if it plays another track
 */
async function pauseMachine(id) {
  if (!player.canWrite) return player.machine.state?.track?.id === id ? player.machine.playhead.position : null;
  if (player.machine.state?.track?.id !== id) return null;
  await post("/pause");
  const { track } = await get("/current-track");
  if (track?.id === id) return track.position;
  await post("/play"); // it changed at the last moment
  return null;
}

/** @param {string} [output] id of an output of the machine */
export function playOnMachine(output) {
  void handOver(() => giveBack(output));
}

/** This browser plays until the machine has the queue. @param {string | undefined} output */
async function giveBack(output) {
  if (!player.canWrite) return setOutput(false); // the machine plays what it plays
  const { items, index, shuffle, repeat } = browserOutput.snapshot;
  if (output) await post("/outputs", { id: output });
  if (items.length === 0) return setOutput(false);
  const playing = browserOutput.state.is_playing;
  await giveQueue(items, index, { shuffle, repeat });
  if (playing) await post("/seek", { position: Math.round(browserOutput.playhead.position + ahead) });
  browserOutput.pause();
  try {
    await post("/seek", { position: Math.round(browserOutput.playhead.position) });
    if (playing) await post("/play");
  } catch (error) {
    if (playing) await browserOutput.play();
    throw error;
  }
  setOutput(false);
}

/**
 * Makes a queue that of the machine, which pauses.
 * @param {import("./types.js").QueueItem[]} items @param {number} index
 * @param {{shuffle: boolean, repeat: import("./types.js").Repeat}} modes
 */
async function giveQueue(items, index, { shuffle, repeat }) {
  const { state, queue } = player.machine;
  const same = state?.current_index === index && items.length === queue.length
    && items.every(({ id }, i) => id === queue[i]?.id);
  if (state?.shuffle !== shuffle) await post("/shuffle", { shuffle });
  if (state?.repeat !== repeat) await post("/repeat", { repeat });
  if (same) {
    if (state.is_playing) await post("/pause");
    return;
  }
  const ids = items.map(({ id }) => id);
  const first = Math.min(Math.max(0, index - maxIds / 2), Math.max(0, ids.length - maxIds)); // around the current one
  await post("/queue/replace", { track_ids: ids.slice(first, first + maxIds), index: index - first, play: false });
  for (let next = first + maxIds; next < ids.length; next += maxIds) {
    await post("/queue/add", { track_ids: ids.slice(next, next + maxIds), at: "end" });
  }
}
