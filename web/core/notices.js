// What the page has to tell people in passing. parts/toasts.js shows it.

export const notices = new EventTarget();

/**
 * @typedef {{label: string, run: () => void}} Action what can be done about it while it is shown
 * @typedef {{text: string, bad: boolean, action?: Action | undefined}} Notice
 */

/** @param {string} text @param {Action} [action] */
export function showNotice(text, action) {
  notices.dispatchEvent(new CustomEvent("notice", { detail: { text, bad: false, action } }));
}

/** @param {unknown} error */
export function showError(error) {
  const text = error instanceof Error ? error.message : String(error);
  notices.dispatchEvent(new CustomEvent("notice", { detail: { text, bad: true } }));
}
