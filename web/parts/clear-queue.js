// Clears the queue, and restores it on “Undo”.

import { player } from "../core/player.js";

export async function clearQueue() {
  if (await player.clear()) player.offerUndo("The queue is empty.");
}
