// Notices that the catalog has changed, so that what is shown of it renews itself. The player's events do not speak of the
// catalog, so this asks: one conditional request, which the catalog answers with an empty 304 before it looks at any song, every
// quarter of a minute and only while the page is seen, when it is seen again, and when the player is back. Nothing is asked twice
// at once, and a page in the background asks nothing at all.

import { getIfChanged } from "./http.js";
import { player } from "./player.js";

const calm = 15_000;
const soonest = 1_000; // between two looks, whatever happens

/** Tells "change" when the catalog is no longer what it was. */
class Freshness extends EventTarget {
  #tag = "";
  #looking = false;
  #lookedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  start() {
    const look = () => void this.#look();
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    player.addEventListener("connection", look);
  }

  async #look() {
    clearTimeout(this.#timer);
    if (document.hidden || player.connection !== "live") return; // the event that ends this looks again
    this.#timer = setTimeout(() => void this.#look(), calm);
    if (this.#looking || Date.now() - this.#lookedAt < soonest || document.querySelector(".drag-ghost")) return;
    this.#looking = true;
    try {
      const found = await getIfChanged("/api/songs?limit=1", this.#tag);
      const changed = found !== null && this.#tag !== "";
      if (found) this.#tag = found.tag;
      if (changed) this.dispatchEvent(new Event("change"));
    } catch {
      // The catalog is away or busy: the next look is soon enough.
    } finally {
      this.#looking = false;
      this.#lookedAt = Date.now();
    }
  }
}

export const freshness = new Freshness();
