// Caches the files of the web player, so that its page opens while the player is offline. It caches
// only what needs no token: files and covers.

const sw = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const filesName = "waxwing-files";
const coversName = "waxwing-covers";
const maxCovers = 400;
const pages = sw.location.search === "?catalog" ? ["/"] : ["/", "/overlay", "/overlay/new"];

sw.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const files = await listed();
    const cache = await caches.open(filesName);
    await cache.addAll([...pages.map((path) => new Request(path, { cache: "no-cache" })), ...files]);
    await sw.skipWaiting();
  })());
});

sw.addEventListener("activate", (event) => event.waitUntil((async () => {
  await sw.clients.claim();
  await removeOtherVersions().catch(() => undefined); // without the server: next time
})()));

/** @returns {Promise<string[]>} the files that the pages load */
async function listed() {
  return (await (await fetch("/web/files.json", { cache: "no-cache" })).json()).files;
}

async function removeOtherVersions() {
  const keep = new Set([...pages, ...await listed()]);
  const cache = await caches.open(filesName);
  const old = (await cache.keys()).filter(({ url }) => !keep.has(new URL(url).pathname));
  await Promise.all(old.map((request) => cache.delete(request)));
}

sw.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== sw.location.origin) return;
  if (url.pathname.startsWith("/media/covers/")) event.respondWith(picture(request));
  else if (pages.includes(url.pathname) || url.pathname.startsWith("/web/")) {
    event.respondWith(file(request, url.pathname));
  }
});

/**
 * The file from the server if it is reachable, else the cached one. The browser itself stores the
 * files whose path is named by their content.
 * @param {Request} request @param {string} path
 */
async function file(request, path) {
  const cache = await caches.open(filesName);
  try {
    const reply = await fetch(request);
    if (reply.ok) await cache.put(path, reply.clone());
    return reply;
  } catch {
    return (await cache.match(path)) ?? Response.error();
  }
}

/** Covers are named by their content, so a cached one never changes. @param {Request} request */
async function picture(request) {
  const cache = await caches.open(coversName);
  const cached = await cache.match(request.url);
  if (cached) return cached;
  const reply = await fetch(request).catch(() => Response.error());
  if (reply.ok) {
    await cache.put(request.url, reply.clone());
    const keys = await cache.keys();
    await Promise.all(keys.slice(0, Math.max(0, keys.length - maxCovers)).map((key) => cache.delete(key)));
  }
  return reply;
}
