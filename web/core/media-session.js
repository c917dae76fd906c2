// Media keys and lock screen of the device that shows this page. Browsers lend them only to a page that makes sound itself, so
// where the person wishes it, silence is played.

import { cover } from "./format.js";
import { player } from "./player.js";

const wish = "waxwing.media-keys";
/** @type {HTMLAudioElement | null} */
let silence = null;

export const mediaKeySetting = {
  get wanted() {
    return localStorage.getItem(wish) === "yes";
  },
  set wanted(yes) {
    localStorage.setItem(wish, yes ? "yes" : "no");
    hold();
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
    ["seekbackward", ({ seekOffset }) => player.nudge(-(seekOffset ?? 10) * 1000)], ["seekforward", ({ seekOffset }) => player.nudge((seekOffset ?? 10) * 1000)],
  ];
  for (const [action, handler] of handlers) session.setActionHandler(action, handler);
  let shown = "";
  player.addEventListener("state", () => {
    const { track, is_playing: playing = false } = player.state ?? {};
    session.playbackState = track ? (playing ? "playing" : "paused") : "none";
    if (track && track.duration > 0) session.setPositionState({ duration: track.duration / 1000, position: player.playhead.position / 1000, playbackRate: 1 });
    hold();
    if (shown === (track?.id ?? "")) return;
    shown = track?.id ?? "";
    session.metadata = track ? new MediaMetadata({
      title: track.title, artist: track.artist, album: track.album,
      artwork: [{ src: cover(track.cover_url, 300), sizes: "300x300" }, { src: cover(track.cover_url, 600), sizes: "600x600" }],
    }) : null;
  });
  addEventListener("pointerdown", hold);
}

/** Plays silence or not. Before the first touch of the page a browser refuses; the next touch tries again. */
function hold() {
  const should = mediaKeySetting.wanted && player.state?.is_playing === true;
  if (!silence && !should) return;
  silence ??= Object.assign(new Audio(URL.createObjectURL(quietSecond())), { loop: true });
  if (should && silence.paused) silence.play().catch(() => undefined);
  if (!should && !silence.paused) silence.pause();
}

/** A second of silence as a WAV file. */
function quietSecond() {
  const rate = 8000;
  const file = new DataView(new ArrayBuffer(44 + rate));
  const text = (/** @type {number} */ at, /** @type {string} */ word) => [...word].forEach((letter, i) => file.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF"); file.setUint32(4, 36 + rate, true); text(8, "WAVEfmt "); file.setUint32(16, 16, true); file.setUint16(20, 1, true);
  file.setUint16(22, 1, true); file.setUint32(24, rate, true); file.setUint32(28, rate, true); file.setUint16(32, 1, true); file.setUint16(34, 8, true);
  text(36, "data"); file.setUint32(40, rate, true);
  for (let i = 0; i < rate; i++) file.setUint8(44 + i, 128);
  return new Blob([file], { type: "audio/wav" });
}
