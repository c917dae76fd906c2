// An element that listens to something only while it is in the document. A screen that is built and
// then not shown, or replaced by a newer one, leaves no listeners behind.

export class LiveElement extends HTMLElement {
  /** @type {((signal: AbortSignal) => void)[]} */
  #subscriptions = [];
  /** @type {AbortController | null} */
  #connection = null;

  connectedCallback() {
    this.#connection = new AbortController();
    for (const subscribe of this.#subscriptions) subscribe(this.#connection.signal);
  }

  disconnectedCallback() {
    this.#connection?.abort();
    this.#connection = null;
  }

  /**
   * Calls subscribe each time the element enters the document. The signal aborts when it leaves.
   * @param {(signal: AbortSignal) => void} subscribe
   */
  whileConnected(subscribe) {
    this.#subscriptions.push(subscribe);
    if (this.#connection) subscribe(this.#connection.signal);
  }
}

/**
 * An element without a look of its own that listens while it is in the document.
 * @param {(signal: AbortSignal) => void} subscribe
 */
export function liveElement(subscribe) {
  const element = /** @type {LiveElement} */ (document.createElement("wax-live"));
  element.whileConnected(subscribe);
  return element;
}

customElements.define("wax-live", class extends LiveElement {});
