// What the page has to tell people in passing. parts/toasts.js shows it.

export const notices = new EventTarget();

/** @typedef {{text: string, bad: boolean}} Notice */

/** @param {string} text */
export function tell(text) {
  notices.dispatchEvent(new CustomEvent("notice", { detail: { text, bad: false } }));
}

/** @param {unknown} error */
export function complain(error) {
  const text = error instanceof Error ? error.message : String(error);
  notices.dispatchEvent(new CustomEvent("notice", { detail: { text, bad: true } }));
}
