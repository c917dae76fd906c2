// Shows how far the scan of the music folders is.

import { catalog } from "../core/catalog.js";
import { fill, h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { get } from "../core/http.js";
import { LiveElement } from "./live-element.js";

/** @typedef {import("../core/types.js").Scan} Scan */

const interval = 1_000; // between two requests while a scan runs

class ScanProgress extends LiveElement {
  #following = false;

  constructor() {
    super();
    this.whileConnected((signal) => {
      this.setAttribute("role", "status");
      catalog.onChange(async () => void this.#follow(signal), signal); // a scan has begun, perhaps
      void this.#follow(signal);
    });
  }

  /** Follows a running scan to its end. @param {AbortSignal} signal */
  async #follow(signal) {
    if (this.#following) return;
    this.#following = true;
    await this.#poll(signal);
    this.#following = false;
  }

  /** @param {AbortSignal} signal */
  async #poll(signal) {
    for (let ran = false; !signal.aborted; ran = true) {
      const scan = /** @type {Scan | null} */ ((await get("/api/scan", signal).catch(() => null))?.scan ?? null);
      if (signal.aborted) return;
      if (!scan?.running) {
        fill(this);
        if (ran) catalog.changed();
        return;
      }
      this.#show(scan);
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }

  /** @param {Scan} scan */
  #show({ files_found: found, files_done: done }) {
    const reading = `Reading your music: ${done.toLocaleString()} of ${plural(found, "file")}`;
    const bar = h("progress", { max: found || null, value: found ? done : null, "aria-label": "Scan" });
    fill(this, h("p", null, found ? reading : "Looking for music…"), bar);
  }
}

customElements.define("wax-scan-progress", ScanProgress);
