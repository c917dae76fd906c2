// Links to the artists and the album of a song.

import { h } from "../core/dom.js";

/** @typedef {import("../core/types.js").Song} Song */

/**
 * @param {Song | undefined} song @param {Record<string, any>} [props] of each link
 * @returns {(Node | string)[]}
 */
export function artistLinks(song, props = {}) {
  const artists = song?.artists ?? [];
  if (artists.length === 0) return song?.artist ? [song.artist] : [];
  return artists.flatMap(({ id, name }, i) => {
    const link = h("a", { href: `#/artists/${id}`, ...props }, name);
    return i ? [", ", link] : [link];
  });
}

/** @param {Song | undefined} song @returns {(Node | string)[]} */
export function albumLink(song) {
  if (!song?.album) return [];
  return [song.album_id ? h("a", { href: `#/albums/${song.album_id}` }, song.album) : song.album];
}
