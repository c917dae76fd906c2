// Short notices at the edge of the page, read aloud by screen readers.

import { h } from "../core/dom.js";
import { notices } from "../core/notices.js";

const shownFor = 6000;

class Toasts extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
    notices.addEventListener("notice", (event) => {
      const { text, bad } = /** @type {CustomEvent<import("../core/notices.js").Notice>} */ (event).detail;
      for (const old of this.children) if (old.textContent === text) old.remove();
      const toast = h("p", { class: bad ? "toast bad" : "toast" }, text);
      toast.addEventListener("click", () => toast.remove());
      this.append(toast);
      while (this.children.length > 3) this.firstElementChild?.remove();
      setTimeout(() => toast.remove(), shownFor);
    });
  }
}

customElements.define("wax-toasts", Toasts);
