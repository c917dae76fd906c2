// A pairing request of an app: its name and code, to be compared and approved or refused.

import { h, fill, setText } from "../core/dom.js";
import { post } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { player } from "../core/player.js";
import { button } from "./controls.js";

class PairNotice extends HTMLElement {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;

  connectedCallback() {
    this.setAttribute("role", "alert");
    player.addEventListener("pairing", () => this.#show());
    this.#show();
  }

  #show() {
    clearInterval(this.#timer);
    const request = player.pairing[0];
    if (!request) {
      this.replaceChildren();
      return;
    }
    const { name, code, permissions, expires_at: expires } = request;
    const [reads, writes] = [permissions.includes("read"), permissions.includes("write")];
    const may = writes ? (reads ? "see and control playback" : "control playback") : "see what is playing";
    const left = h("span", { class: "by", "aria-live": "off" });
    const trusted = h("input", { type: "checkbox" });
    const send = async (/** @type {string} */ path, /** @type {object} */ body, /** @type {string} */ done) => {
      try {
        await post(path, { code, ...body });
        showNotice(done);
      } catch (error) {
        showError(error);
      }
    };
    const granted = () => ({ permissions: trusted.checked ? [...permissions, "keys"] : [] });
    const approve = () => send("/pair/approve", granted(), `${name} is paired.`);
    const refuse = () => send("/pair/deny", {}, `${name} was refused.`);
    const trust = h("label", { class: "check" }, trusted,
      h("span", null, "It is mine", h("small", null, "Let it also approve others and manage keys and tokens.")));
    fill(this, h("div", { class: "pair-card" },
      h("p", null, h("strong", null, name), ` wants to ${may}. Approve it only if it shows this code:`),
      h("p", { class: "pair-code", "aria-label": code.split("").join(" ") }, code), left,
      writes && trust,
      h("footer", null, button("Refuse", () => void refuse()),
        button("Approve", () => void approve(), { kind: "primary" }))));
    const tick = () => {
      const seconds = Math.ceil((Date.parse(expires) - Date.now()) / 1000);
      if (seconds <= 0) {
        clearInterval(this.#timer);
        this.replaceChildren();
      } else setText(left, `${seconds} s left`);
    };
    tick();
    this.#timer = setInterval(tick, 1000);
  }
}

customElements.define("wax-pair", PairNotice);
