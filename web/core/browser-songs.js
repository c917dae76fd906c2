// What this browser needs to know of songs to play them: their data, and an address of their audio
// in a format that it can play.

import { ResponseError, get } from "./http.js";
import { maxQueue } from "./browser-queue.js";

/**
 * @typedef {import("./types.js").Song} Song
 * @typedef {import("./types.js").QueueItem} QueueItem
 * @typedef {{track_gain: number | null, track_peak: number | null, album_gain: number | null,
 *   album_peak: number | null}} Gain
 * @typedef {{song: Song, gain?: Gain}} SongReply
 */

/** @type {Record<string, string>} by the format that the catalog reports */
const types = {
  mp3: "audio/mpeg", flac: "audio/flac", wav: "audio/wav", vorbis: 'audio/ogg; codecs="vorbis"',
  opus: 'audio/ogg; codecs="opus"', aac: 'audio/mp4; codecs="mp4a.40.2"', alac: 'audio/mp4; codecs="alac"',
};
const pageSize = 200;
const maxKnown = 60;
const maxListed = 5_000;
const atOnce = 6; // requests
const maxTries = 30; // of a request that the rate limit refuses

/** @type {Map<string, QueueItem>} from lists */
const listed = new Map();

/** @type {Map<string, Promise<SongReply>>} the one used last is the last */
const known = new Map();

/** @param {string} id @returns {Promise<SongReply>} */
export function readSong(id) {
  const reply = known.get(id) ?? get(`/api/songs/${encodeURIComponent(id)}?with=gain`);
  known.delete(id);
  known.set(id, reply);
  reply.catch(() => known.delete(id));
  if (known.size > maxKnown) known.delete(/** @type {string} */ (known.keys().next().value));
  return reply;
}

/**
 * The format to which the server must convert a song for this browser; "" if it plays the file.
 * @param {HTMLAudioElement} audio @param {string} format
 */
export function conversion(audio, format) {
  const type = types[format];
  return type && audio.canPlayType(type) ? "" : lossless(audio);
}

/** The format of conversions. @param {HTMLAudioElement} audio */
export function lossless(audio) {
  return audio.canPlayType("audio/flac") ? "flac" : "wav";
}

/**
 * A signed link, because an audio element cannot send a header. It leads to this server.
 * @param {string} id @param {string} format "" for the file itself
 */
export async function audioURL(id, format) {
  const { url } = await get(`/api/songs/${encodeURIComponent(id)}/link${format && `?format=${format}`}`);
  return url.slice(url.indexOf("/media/songs/"));
}

/** @param {Song} song @returns {QueueItem} */
function itemOf({ id, title, artist, duration, cover_url, thumbnail_url }) {
  return { id, title, artist: artist ?? "", duration: duration / 1000, cover_url, thumbnail_url };
}

/**
 * Reads what a command of a player names.
 * @param {{track_ids?: string[], album_id?: string, artist_id?: string, playlist_id?: string,
 *   songs?: string}} selection songs: a query
 * @returns {Promise<QueueItem[]>}
 */
export async function readSelection({ track_ids: ids, album_id, artist_id, playlist_id, songs }) {
  if (ids) return readItems(ids);
  if (songs !== undefined) return readList(`/api/songs?${songs && `${songs}&`}`);
  const [kind, id] = album_id ? ["albums", album_id] : artist_id ? ["artists", artist_id] : ["playlists", playlist_id];
  return readList(`/api/${kind}/${encodeURIComponent(id ?? "")}/songs?`);
}

/**
 * Reads all pages of a list.
 * @param {string} path with a query to which more can be added
 * @returns {Promise<QueueItem[]>}
 */
async function readList(path) {
  const read = async (/** @type {number} */ page) => patiently(() => get(`${path}page=${page}&limit=${pageSize}`));
  const first = await read(1);
  const pages = [first];
  const last = Math.ceil(Math.min(first.total, maxQueue) / pageSize);
  await inParallel(last - 1, async (i) => { pages[i + 1] = await read(i + 2); });
  return pages.flatMap((page) => page.songs).filter(({ available }) => available).map(itemOf);
}

/** @param {number} count @param {(index: number) => Promise<void>} work */
async function inParallel(count, work) {
  let next = 0;
  const worker = async () => { for (let i = next++; i < count; i = next++) await work(i); };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/**
 * Waits where the rate limit refuses a request.
 * @template T @param {() => Promise<T>} send @returns {Promise<T>}
 */
async function patiently(send) {
  for (let tries = 0; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (tries === maxTries || !(error instanceof ResponseError) || error.status !== 429) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** The songs that play if nothing was chosen. @returns {Promise<QueueItem[]>} */
export async function readTrending() {
  return (await get("/api/songs/trending?limit=50")).songs.map(itemOf);
}

/** @param {string[]} ids @returns {Promise<QueueItem[]>} */
async function readItems(ids) {
  const items = /** @type {QueueItem[]} */ (new Array(ids.length));
  await inParallel(ids.length, async (i) => {
    const id = ids[i] ?? "";
    items[i] = listed.get(id) ?? itemOf((await patiently(() => get(`/api/songs/${encodeURIComponent(id)}`))).song);
  });
  return items;
}

/** Remembers songs that a list has shown: those that are played next. @param {Song[]} songs */
export function rememberSongs(songs) {
  for (const song of songs) {
    listed.delete(song.id);
    listed.set(song.id, itemOf(song));
  }
  for (const id of listed.keys()) {
    if (listed.size <= maxListed) break;
    listed.delete(id);
  }
}

/**
 * The factor for samples by ReplayGain, as a player computes it: it never raises the loudest sample
 * above full scale.
 * @param {Gain | undefined} gain @param {boolean} album whether the songs of an album play in order
 */
export function gainFactor(gain, album) {
  if (!gain) return 1;
  const useAlbum = (album || gain.track_gain === null) && gain.album_gain !== null;
  const [decibels, peak] = useAlbum ? [gain.album_gain, gain.album_peak] : [gain.track_gain, gain.track_peak];
  if (decibels === null) return 1;
  return Math.min(10 ** (decibels / 20), peak ? 1 / peak : 1);
}
