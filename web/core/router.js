// Which screen is shown. Addresses live in the fragment (#/albums/al_…), so every screen works offline and no server sees them.

/**
 * @typedef {{path: string[], query: URLSearchParams}} Place
 */

/** @returns {Place} */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: (path ?? "").split("/").filter(Boolean).map(decodeSafely), query: new URLSearchParams(query ?? "") };
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

/** What tells this visit from others, also of the same screen where the browser can: going back leads to a visit, a link begins one. */
export function visitKey() {
  const { navigation } = /** @type {{navigation?: {currentEntry?: {key: string} | null}}} */ (/** @type {unknown} */ (globalThis));
  return `${navigation?.currentEntry?.key ?? ""} ${location.hash}`;
}

/** Changes the address without a step in the history. @param {string} hash */
export function replace(hash) {
  history.replaceState(history.state, "", hash);
}
