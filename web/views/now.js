// The screens of the current track and of the queue.

import { h, fill, setText } from "../core/dom.js";
import { formatText } from "../core/format.js";
import { library } from "../core/library.js";
import { showError } from "../core/notices.js";
import { player } from "../core/player.js";
import { setTint } from "../core/tint.js";
import { button, iconButton, picture, showIcon, showPicture } from "../parts/controls.js";
import { albumLink, artistLinks } from "../parts/credits.js";
import { lyricsView } from "../parts/lyrics-view.js";
import { opinion } from "../parts/opinion.js";
import { outputButton } from "../parts/output-menu.js";
import { songMenu } from "../parts/song-menu.js";
import { empty } from "../parts/states.js";

const lyricsSetting = "waxwing.lyrics";

/** @param {import("../parts/screen.js").Visit} visit */
export async function now({ signal }) {
  const view = h("div", { class: "view now" });
  const image = picture("", 1200);
  const title = h("h1", { dir: "auto" });
  const artist = h("p", { class: "now-artist", dir: "auto" });
  const album = h("p", { class: "by", dir: "auto" });
  const format = h("p", { class: "by now-format" });
  const next = h("p", { class: "by now-next", dir: "auto" });
  const mine = opinion(null, "");
  const lyrics = lyricsButton(view);
  const stage = h("div", { class: "stage" },
    h("div", { class: "frame" }, image),
    h("div", { class: "stage-text" }, h("div", { class: "names" }, title, artist, album, format),
      iconButton("more", "More about this song", (event) => void openMenu(event), { "aria-haspopup": "menu" })),
    h("div", { class: "stage-tools" }, mine, lyrics.button, fullScreenButton(signal)),
    document.createElement("wax-seek"), document.createElement("wax-transport"),
    h("div", { class: "stage-more" }, document.createElement("wax-volume"), outputButton()), next);
  const idle = nothingPlaying();
  let shownId = "";
  const show = () => {
    const track = player.state?.track;
    const content = track ? [stage, lyrics.view] : [idle];
    if (view.firstChild !== content[0]) fill(view, ...content);
    setText(next, nextText());
    if (!track || track.id === shownId) return;
    shownId = track.id;
    setText(title, track.title);
    title.classList.toggle("long", track.title.length > 32);
    setText(artist, track.artist);
    setText(album, track.album);
    setText(format, "");
    mine.set(null, "");
    showPicture(image, track.cover_url, 1200);
    void setTint(track.cover_url);
    void library.song(track.id).then((song) => {
      if (shownId !== track.id) return;
      fill(artist, ...artistLinks(song));
      fill(album, ...albumLink(song));
      setText(format, formatText(song));
      mine.set(song, song.title);
    }, () => undefined); // without the catalog the names are no links
  };
  player.addEventListener("state", show, { signal });
  player.addEventListener("queue", show, { signal });
  show();
  return view;
}

/** What plays next, if its order is known here. */
function nextText() {
  const { state, queue } = player;
  if (!state?.track || state.shuffle) return "";
  const following = state.repeat === "one" ? state.current_index : state.current_index + 1;
  const item = queue[following] ?? (state.repeat === "off" ? undefined : queue[0]);
  return item ? `Next: ${[item.title, item.artist].filter(Boolean).join(" · ")}` : "";
}

/** The lyrics, and the button that shows them. @param {HTMLElement} view */
function lyricsButton(view) {
  const lyrics = lyricsView();
  let wanted = localStorage.getItem(lyricsSetting) !== "closed";
  let has = false;
  const press = iconButton("lyrics", "Lyrics", () => {
    wanted = !wanted;
    localStorage.setItem(lyricsSetting, wanted ? "open" : "closed");
    show();
  }, { class: "switch", "aria-pressed": "false" });
  const show = () => {
    view.classList.toggle("with-lyrics", has && wanted);
    press.disabled = !has;
    showIcon(press, "lyrics", has ? "Lyrics" : "No lyrics");
    press.setAttribute("aria-pressed", String(has && wanted));
  };
  lyrics.onLoad = (found) => { has = found; show(); };
  show();
  return { button: press, view: lyrics };
}

/** @param {AbortSignal} signal of the visit */
function fullScreenButton(signal) {
  const root = document.documentElement;
  const toggle = () => void (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen())
    .catch(showError);
  const press = iconButton("expand", "Full screen", toggle);
  press.hidden = !document.fullscreenEnabled;
  const show = () => {
    const on = document.fullscreenElement !== null;
    root.classList.toggle("full-screen", on);
    showIcon(press, on ? "shrink" : "expand", on ? "Leave full screen" : "Full screen");
  };
  document.addEventListener("fullscreenchange", show, { signal });
  signal.addEventListener("abort", () => {
    root.classList.remove("full-screen");
    if (document.fullscreenElement) void document.exitFullscreen();
  });
  return press;
}

/** @param {MouseEvent} event */
async function openMenu(event) {
  const at = /** @type {Element} */ (event.currentTarget);
  try {
    songMenu(at, await library.song(player.state?.track?.id ?? ""));
  } catch (error) {
    showError(error);
  }
}

function nothingPlaying() {
  const play = button("Play", () => void player.command("/play"), { kind: "primary", icon: "play", writes: true });
  const text = "Press play to start with the songs that are played most.";
  return h("div", { class: "stage-idle" }, h("h1", { class: "sr" }, "Now playing"),
    empty({ icon: "note", title: "Nothing is playing", text, action: play }));
}

export async function queue() {
  return h("div", { class: "view queue-view" }, document.createElement("wax-queue"));
}
