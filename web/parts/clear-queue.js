// Clears the queue, and restores it on “Undo”.

import { plural } from "../core/format.js";
import { showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { confirm } from "./dialog.js";

const maxRestored = 2000; // ids that one request may have: a longer queue cannot be restored

export async function clearQueue() {
  const { queue, state } = player;
  const ids = queue.map(({ id }) => id);
  const warning = `All ${plural(ids.length, "song")} are removed. That is too many for an undo.`;
  if (ids.length > maxRestored && !(await confirm("Clear the queue?", warning, "Clear"))) return;
  const { position } = player.playhead;
  const before = { index: Math.max(0, state?.current_index ?? 0), position, playing: state?.is_playing === true };
  if (!(await player.clear()) || ids.length > maxRestored) return;
  showNotice("The queue is empty.", { label: "Undo", run: () => void restore(ids, before) });
}

/** @param {string[]} ids @param {{index: number, position: number, playing: boolean}} before */
async function restore(ids, { index, position, playing }) {
  if (!(await player.command("/queue/replace", { track_ids: ids, index, play: false }))) return;
  if (position > 0) await player.seek(position);
  if (playing) await player.command("/play");
}
