// Pictures above 300 pixels on the page of a catalog. They need the key, which an image element
// cannot send.

import { request } from "./http.js";
import { isCatalogPage } from "./server.js";

const maxKept = 12;
/** @type {Map<string, Promise<string>>} addresses of loaded pictures; the one used last is last */
const kept = new Map();

/**
 * The address from which an image element can load a picture in its full size.
 * @param {string} source address of a cover
 */
export async function largeCover(source) {
  if (!isCatalogPage) return source;
  const known = kept.get(source) ?? load(source);
  kept.delete(source);
  kept.set(source, known);
  known.catch(() => kept.delete(source));
  for (const [old, address] of kept) {
    if (kept.size <= maxKept) break;
    kept.delete(old);
    void address.then((url) => URL.revokeObjectURL(url), () => undefined);
  }
  return known.catch(() => source);
}

/** @param {string} source */
async function load(source) {
  const reply = await request("GET", source, undefined, { accept: "image/*" });
  return URL.createObjectURL(await reply.blob());
}
