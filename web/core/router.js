// The address of the screen. It is in the fragment (#/albums/al_…), so that screens work offline
// and no server sees it.

/**
 * @typedef {{path: string[], query: URLSearchParams}} Address
 */

/** @returns {Address} */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const segments = (path ?? "").split("/").filter(Boolean).map(decodeSafely);
  return { path: segments, query: new URLSearchParams(query ?? "") };
}

/** @param {string} text */
function decodeSafely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} hash such as "#/albums" */
export function go(hash) {
  if (location.hash !== hash) location.hash = hash;
}

/**
 * Changes the address without a new entry in the history, and shows its screen.
 * @param {string} hash
 */
export function replace(hash) {
  history.replaceState(history.state, "", hash);
  dispatchEvent(new Event("hashchange"));
}

/**
 * Identifies an entry of the history, where the browser can. Going back returns to an entry, a link
 * creates one, so the same address can have several.
 */
export function visitKey() {
  const { navigation } = /** @type {{navigation?: {currentEntry?: {key: string} | null}}} */ (
    /** @type {unknown} */ (globalThis));
  return `${navigation?.currentEntry?.key ?? ""} ${location.hash}`;
}
