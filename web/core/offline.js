// The service worker, which opens the pages of this server while the player is offline.

/**
 * Registers the worker. Each version of the page has a worker of its own.
 * @param {string} [query]
 */
export function registerWorker(query = "") {
  const script = /** @type {HTMLScriptElement | null} */ (document.querySelector("script[type=module]"));
  const folder = /^.*\/web\/(v-[^/]+\/)?/.exec(script?.src ?? "")?.[0];
  if (!folder || !("serviceWorker" in navigator)) return;
  navigator.serviceWorker.register(`${folder}sw.js${query}`, { scope: "/" }).catch(() => undefined);
}
