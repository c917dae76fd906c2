// The card of one pairing request: name and code of the app, to be compared and approved or
// refused.

import { h, setText } from "../core/dom.js";
import { day } from "../core/format.js";
import { post } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { button } from "./controls.js";

const pauseTime = 600; // in which a card that has just appeared or moved takes no clicks, in ms

export class PairCard {
  #request;
  #left = h("span", { class: "by", "aria-live": "off" });
  #trusted = h("input", { type: "checkbox" });
  #buttons;
  /** @type {"waiting" | "missing" | "ended"} missing: not in the last list; it may return */
  #state = "waiting";
  #endedAt = 0;
  #pausedUntil = 0;
  element;

  /** @param {import("../core/types.js").PairRequest} request */
  constructor(request) {
    this.#request = request;
    const { name, code, permissions } = request;
    const [reads, writes] = [permissions.includes("read"), permissions.includes("write")];
    const may = writes ? (reads ? "see and control playback" : "control playback") : "see what is playing";
    this.#buttons = [
      button("Refuse", () => void this.#refuse()),
      button("Approve", () => void this.#approve(), { kind: "primary" }),
    ];
    const trust = h("label", { class: "check" }, this.#trusted,
      h("span", null, "It is mine", h("small", null, "Let it also approve others and manage keys and tokens.")));
    const ends = player.accessEnds && h("p", { class: "by" },
      `Its access ends with that of this tab, on ${day(player.accessEnds)}. For longer: `,
      h("code", null, `waxwing pair approve ${code}`));
    this.element = h("div", { class: "pair-card" },
      h("p", null, h("strong", null, name), ` wants to ${may}. Approve it only if it shows this code:`),
      h("p", { class: "pair-code", "aria-label": code.split("").join(" ") }, code), this.#left,
      writes && trust, ends, h("footer", null, ...this.#buttons));
    this.pause();
    this.tick();
  }

  /** How long the card cannot be answered any more, in ms. */
  get endedFor() {
    return this.#state === "waiting" ? 0 : Date.now() - this.#endedAt;
  }

  /** Takes no clicks for a moment, because the card was not here before. */
  pause() {
    this.#pausedUntil = Date.now() + pauseTime;
    this.#enable();
    setTimeout(() => this.#enable(), pauseTime);
  }

  /** @param {boolean} waiting whether the server lists the request */
  setWaiting(waiting) {
    if (this.#state === "waiting" && !waiting) this.#end("missing", "It no longer waits.");
    else if (this.#state === "missing" && waiting) {
      this.#state = "waiting";
      this.element.classList.remove("ended");
      this.pause();
      this.tick();
    }
  }

  /** Updates the time that is left. */
  tick() {
    if (this.#state !== "waiting") return;
    const seconds = Math.ceil((Date.parse(this.#request.expires_at) - Date.now()) / 1000);
    if (seconds > 0) setText(this.#left, `${seconds} s left`);
    else this.#end("ended", "It has expired.");
  }

  async #approve() {
    const { name, permissions } = this.#request;
    const granted = this.#trusted.checked ? [...permissions, "keys"] : [];
    const reply = await this.#send("/pair/approve", { permissions: granted });
    if (!reply) return;
    this.#end("ended", "Approved.");
    showNotice(reply.expires_at ? `${name} is paired until ${day(reply.expires_at)}.` : `${name} is paired.`);
  }

  async #refuse() {
    if (!(await this.#send("/pair/deny", {}))) return;
    this.#end("ended", "Refused.");
    showNotice(`${this.#request.name} was refused.`);
  }

  /** @param {string} path @param {object} body */
  async #send(path, body) {
    const { request, code } = this.#request;
    this.#buttons.forEach((each) => { each.disabled = true; });
    try {
      return await post(path, { request, code, ...body });
    } catch (error) {
      showError(error);
      this.#enable();
      return null;
    }
  }

  /** @param {"missing" | "ended"} state @param {string} text */
  #end(state, text) {
    if (this.#state === "waiting") this.#endedAt = Date.now();
    this.#state = state;
    setText(this.#left, text);
    this.element.classList.add("ended");
    this.#enable();
  }

  #enable() {
    const disabled = this.#state !== "waiting" || Date.now() < this.#pausedUntil;
    for (const each of [...this.#buttons, this.#trusted]) each.disabled = disabled;
  }
}
