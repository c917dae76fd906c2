// Media keys and lock screen of the device that shows this page. Browsers give them only to a page
// that plays audio itself, so the page plays silence where the person has enabled this.

import { cover } from "./format.js";
import { player } from "./player.js";
import { silenceURL } from "./silence.js";

const storageKey = "waxwing.media-keys";
/** @type {HTMLAudioElement | null} */
let silence = null;

export const mediaKeySetting = {
  get enabled() {
    return localStorage.getItem(storageKey) === "yes";
  },
  set enabled(on) {
    localStorage.setItem(storageKey, on ? "yes" : "no");
    updateSilence();
  },
};

export function startMediaSession() {
  const session = navigator.mediaSession;
  if (!session) return;
  /** @type {[MediaSessionAction, MediaSessionActionHandler][]} */
  const handlers = [
    ["play", () => void player.command("/play")], ["pause", () => void player.command("/pause")],
    ["nexttrack", () => void player.next()], ["previoustrack", () => void player.previous()],
    ["seekto", ({ seekTime }) => { if (seekTime !== undefined) void player.seek(seekTime * 1000); }],
    ["seekbackward", ({ seekOffset }) => player.seekBy(-(seekOffset ?? 10) * 1000)],
    ["seekforward", ({ seekOffset }) => player.seekBy((seekOffset ?? 10) * 1000)],
  ];
  for (const [action, handler] of handlers) session.setActionHandler(action, handler);
  let shownId = "";
  player.addEventListener("state", () => {
    const { track, is_playing: playing = false } = player.state ?? {};
    session.playbackState = track ? (playing ? "playing" : "paused") : "none";
    if (track && track.duration > 0) {
      const position = player.playhead.position / 1000;
      session.setPositionState({ duration: track.duration / 1000, position, playbackRate: 1 });
    }
    updateSilence();
    if (shownId === (track?.id ?? "")) return;
    shownId = track?.id ?? "";
    session.metadata = track ? metadata(track) : null;
  });
  addEventListener("pointerdown", updateSilence);
}

/** @param {import("./types.js").Track} track */
function metadata({ title, artist, album, cover_url: url }) {
  const sizes = /** @type {const} */ ([300, 600]);
  const artwork = sizes.map((size) => ({ src: cover(url, size), sizes: `${size}x${size}` }));
  return new MediaMetadata({ title, artist, album, artwork });
}

/**
 * Starts or stops the silence. A browser refuses to play before the first touch of the page; each
 * touch tries again.
 */
function updateSilence() {
  const should = mediaKeySetting.enabled && !player.playsHere && player.state?.is_playing === true;
  if (!silence && !should) return;
  silence ??= Object.assign(new Audio(silenceURL()), { loop: true });
  if (should && silence.paused) silence.play().catch(() => undefined);
  if (!should && !silence.paused) silence.pause();
}
