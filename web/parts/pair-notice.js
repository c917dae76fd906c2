// The pairing requests of apps. Each has a card of its own that never turns into that of another
// app: new cards are added below, and an answered or expired card stays in its place, disabled,
// until the pointer has left the list.

import { player } from "../core/player.js";
import { PairCard } from "./pair-card.js";

const keepTime = 3000; // for which an answered card stays at least, in ms

class PairNotice extends HTMLElement {
  /** @type {Map<string, PairCard>} by request, in the order of the page */
  #cards = new Map();
  #pointerInside = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  connectedCallback() {
    this.setAttribute("role", "alert");
    this.addEventListener("pointerenter", () => { this.#pointerInside = true; });
    this.addEventListener("pointerleave", () => { this.#pointerInside = false; });
    player.addEventListener("pairing", () => this.#update());
    this.#update();
  }

  #update() {
    for (const request of player.pairing) {
      if (this.#cards.has(request.request)) continue;
      const card = new PairCard(request);
      this.#cards.set(request.request, card);
      this.append(card.element);
    }
    const waiting = new Set(player.pairing.map(({ request }) => request));
    for (const [request, card] of this.#cards) card.setWaiting(waiting.has(request));
    if (this.#cards.size > 0) this.#timer ??= setInterval(() => this.#tick(), 1000);
  }

  #tick() {
    for (const card of this.#cards.values()) card.tick();
    if (!this.#pointerInside && !this.contains(document.activeElement)) this.#removeEnded();
    if (this.#cards.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #removeEnded() {
    let moved = false;
    for (const [request, card] of this.#cards) {
      if (card.endedFor >= keepTime) {
        card.element.remove();
        this.#cards.delete(request);
        moved = true;
      } else if (moved) card.pause();
    }
  }
}

customElements.define("wax-pair", PairNotice);
