// Plays everything that a selection names, not only what this page has loaded.

import { maxQueue } from "./browser-queue.js";
import { showNotice } from "./notices.js";
import { player } from "./player.js";

/** @typedef {import("./player.js").Selection} Selection */

/** @param {string} query as of GET /api/songs @param {number} [index] */
export function playSongs(query, index = 0) {
  return player.start({ songs: query }, index);
}

/** @param {string} query @param {number} total how many songs it selects */
export async function shuffleSongs(query, total) {
  if (total > maxQueue) showNotice(`The queue has ${maxQueue.toLocaleString()} of ${total.toLocaleString()} songs.`);
  await shuffle({ songs: query }, total);
}

/**
 * Shuffling keeps the first song first, so a random one is chosen here.
 * @param {Selection} selection @param {number} count how many songs it has
 */
export async function shuffle(selection, count) {
  if (!player.state?.shuffle) await player.shuffle();
  await player.start(selection, Math.floor(Math.random() * Math.min(count, maxQueue)));
}
