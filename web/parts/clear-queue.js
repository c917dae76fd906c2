// Empties the queue, and brings it back for who did not mean it.

import { plural } from "../core/format.js";
import { showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { confirm } from "./dialog.js";

const most = 2000; // ids that one request may name: a longer queue does not come back

export async function clearQueue() {
  const { queue, state } = player;
  const ids = queue.map(({ id }) => id);
  if (ids.length > most && !(await confirm("Clear the queue?", `All ${plural(ids.length, "song")} leave it. That is too many to bring them back.`, "Clear"))) return;
  const place = { index: Math.max(0, state?.current_index ?? 0), position: player.playhead.position, playing: state?.is_playing === true };
  if (!(await player.clear())) return;
  if (ids.length <= most) showNotice("The queue is empty.", { label: "Undo", run: () => void bringBack(ids, place) });
}

/** @param {string[]} ids @param {{index: number, position: number, playing: boolean}} place */
async function bringBack(ids, { index, position, playing }) {
  if (!(await player.command("/queue/replace", { track_ids: ids, index, play: false }))) return;
  if (position > 0) await player.seek(position);
  if (playing) await player.command("/play");
}
