// Keeps the files of the web player, so that its page opens while the player is away. It keeps nothing that a token opened:
// only what anybody may have, the files and the covers.

const sw = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const filesName = "waxwing-files";
const coversName = "waxwing-covers";
const maxCovers = 400;
const pages = ["/", "/overlay", "/overlay/new"];

sw.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const { files } = await (await fetch("/web/files.json", { cache: "no-cache" })).json();
    const cache = await caches.open(filesName);
    await cache.addAll([...pages, ...files].map((path) => new Request(path, { cache: "no-cache" })));
    await sw.skipWaiting();
  })());
});

sw.addEventListener("activate", (event) => event.waitUntil(sw.clients.claim()));

sw.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== sw.location.origin) return;
  if (url.pathname.startsWith("/media/covers/")) event.respondWith(picture(request));
  else if (pages.includes(url.pathname) || url.pathname.startsWith("/web/")) event.respondWith(file(request, url.pathname));
});

/** The newest file while the server is there, else the one that was kept. @param {Request} request @param {string} path */
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

/** Covers are named by their content, so one that was kept is right for ever. @param {Request} request */
async function picture(request) {
  const cache = await caches.open(coversName);
  const kept = await cache.match(request.url);
  if (kept) return kept;
  const reply = await fetch(request).catch(() => Response.error());
  if (reply.ok) {
    await cache.put(request.url, reply.clone());
    const keys = await cache.keys();
    if (keys.length > maxCovers) await Promise.all(keys.slice(0, keys.length - maxCovers).map((key) => cache.delete(key)));
  }
  return reply;
}
