// Short notices at the edge of the page, read aloud by screen readers.

import { h } from "../core/dom.js";
import { notices } from "../core/notices.js";

const shownFor = 6000;
const shownWithAction = 15_000; // long enough to notice the mistake and to get there by keys

class Toasts extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
    notices.addEventListener("notice", (event) => this.#show(/** @type {CustomEvent<import("../core/notices.js").Notice>} */ (event).detail));
  }

  /** @param {import("../core/notices.js").Notice} notice */
  #show({ text, bad, action }) {
    for (const old of this.children) if (old.firstChild?.textContent === text) old.remove();
    const act = action && h("button", { type: "button", onclick: () => action.run() }, action.label);
    const toast = h("div", { class: bad ? "toast bad" : "toast" }, h("span", null, text), act);
    toast.addEventListener("click", () => toast.remove());
    this.append(toast);
    while (this.children.length > 3) this.firstElementChild?.remove();
    const leave = () => {
      if (toast.matches(":hover, :focus-within")) setTimeout(leave, shownFor); // somebody is about to use it
      else toast.remove();
    };
    setTimeout(leave, action ? shownWithAction : shownFor);
  }
}

customElements.define("wax-toasts", Toasts);
