// The names below a song's title, each of which leads somewhere.

import { h } from "../core/dom.js";

/** @typedef {import("../core/types.js").Song} Song */

/** @param {Song | undefined} song @param {Record<string, any>} [props] of each link @returns {(Node | string)[]} */
export function artistLinks(song, props = {}) {
  const known = song?.artists ?? [];
  if (known.length === 0) return song?.artist ? [song.artist] : [];
  return known.flatMap(({ id, name }, i) => [...(i ? [", "] : []), h("a", { href: `#/artists/${id}`, ...props }, name)]);
}

/** @param {Song | undefined} song @returns {(Node | string)[]} */
export function albumLink(song) {
  if (!song?.album) return [];
  return [song.album_id ? h("a", { href: `#/albums/${song.album_id}` }, song.album) : song.album];
}
