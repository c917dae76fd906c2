// Stores the queue of this browser on the device, so that it is there after a reload.

/** @typedef {import("./browser-output.js").Snapshot} Snapshot */

const queueKey = "waxwing.browser-queue"; // large, so it is written only when it changes
const stateKey = "waxwing.browser-output";
const interval = 3_000;
const maxItems = 2_000; // fits into the storage of a page

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {Snapshot & {volume: number, muted: boolean} | null} */
let newest = null;
/** @type {Snapshot["items"] | null} */
let written = null;

/** @returns {Snapshot & {volume: number, muted: boolean}} */
export function remembered() {
  const nothing = {
    items: [], index: 0, position: 0, shuffle: false, repeat: /** @type {const} */ ("off"), volume: 100, muted: false,
  };
  try {
    const items = JSON.parse(localStorage.getItem(queueKey) ?? "[]");
    return { ...nothing, ...JSON.parse(localStorage.getItem(stateKey) ?? "{}"), items };
  } catch {
    return nothing;
  }
}

/**
 * @param {Snapshot & {volume: number, muted: boolean}} snapshot
 * @param {number} [within] milliseconds
 */
export function rememberLater(snapshot, within = interval) {
  newest = snapshot;
  if (within === 0) return write();
  timer ??= setTimeout(write, within);
}

function write() {
  clearTimeout(timer);
  timer = undefined;
  if (!newest) return;
  const first = Math.max(0, Math.min(newest.index - maxItems / 2, newest.items.length - maxItems));
  const { items, ...state } = newest;
  try {
    if (items !== written || items.length > maxItems) {
      localStorage.setItem(queueKey, JSON.stringify(items.slice(first, first + maxItems)));
    }
    localStorage.setItem(stateKey, JSON.stringify({ ...state, index: newest.index - first }));
    written = items;
  } catch {
    localStorage.removeItem(queueKey); // no room: after a reload the queue is empty
  }
}
