// Short messages to the person. parts/toasts.js shows them.

export const notices = new EventTarget();

/**
 * @typedef {{label: string, run: () => void}} Action a button beside the message
 * @typedef {{text: string, isError: boolean, action?: Action | undefined}} Notice
 */

/** @param {string} text @param {Action} [action] */
export function showNotice(text, action) {
  notices.dispatchEvent(new CustomEvent("notice", { detail: { text, isError: false, action } }));
}

/** @param {unknown} error */
export function showError(error) {
  const text = error instanceof Error ? error.message : String(error);
  notices.dispatchEvent(new CustomEvent("notice", { detail: { text, isError: true } }));
}
