// Shows notices at the edge of the page. Screen readers read them aloud.

import { h } from "../core/dom.js";
import { notices } from "../core/notices.js";

const duration = 6000;
const durationWithAction = 15_000; // long enough to reach the button with the keyboard

class Toasts extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
    notices.addEventListener("notice", (event) => {
      this.#show(/** @type {CustomEvent<import("../core/notices.js").Notice>} */ (event).detail);
    });
  }

  /** @param {import("../core/notices.js").Notice} notice */
  #show({ text, isError, action }) {
    for (const old of this.children) if (old.firstChild?.textContent === text) old.remove();
    const act = action && h("button", { type: "button", onclick: () => action.run() }, action.label);
    const toast = h("div", { class: isError ? "toast error" : "toast" }, h("span", null, text), act);
    toast.addEventListener("click", () => toast.remove());
    this.append(toast);
    while (this.children.length > 3) this.firstElementChild?.remove();
    const hide = () => {
      if (toast.matches(":hover, :focus-within")) setTimeout(hide, duration); // it may be about to be used
      else toast.remove();
    };
    setTimeout(hide, action ? durationWithAction : duration);
  }
}

customElements.define("wax-toasts", Toasts);
