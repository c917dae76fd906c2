// The screens of the current track and of the queue.

import { h, fill, setText } from "../core/dom.js";
import { library } from "../core/library.js";
import { showError } from "../core/notices.js";
import { player } from "../core/player.js";
import { setTint } from "../core/tint.js";
import { button, iconButton, picture, showPicture } from "../parts/controls.js";
import { albumLink, artistLinks } from "../parts/credits.js";
import { outputButton } from "../parts/output-menu.js";
import { songMenu } from "../parts/song-menu.js";
import { empty } from "../parts/states.js";

/** @param {import("../parts/screen.js").Visit} visit */
export async function now({ signal }) {
  const view = h("div", { class: "view now" });
  const image = picture("", 1200);
  const title = h("h1", { dir: "auto" });
  const artist = h("p", { class: "now-artist", dir: "auto" });
  const album = h("p", { class: "by", dir: "auto" });
  const stage = h("div", { class: "stage" },
    h("div", { class: "frame" }, image),
    h("div", { class: "stage-text" }, h("div", { class: "names" }, title, artist, album),
      iconButton("more", "More about this song", (event) => void openMenu(event), { "aria-haspopup": "menu" })),
    document.createElement("wax-seek"), document.createElement("wax-transport"),
    h("div", { class: "stage-more" }, document.createElement("wax-volume"), outputButton()));
  const idle = nothingPlaying();
  let shownId = "";
  const show = () => {
    const track = player.state?.track;
    const content = track ? stage : idle;
    if (view.firstChild !== content) fill(view, content);
    if (!track || track.id === shownId) return;
    shownId = track.id;
    setText(title, track.title);
    title.classList.toggle("long", track.title.length > 32);
    setText(artist, track.artist);
    setText(album, track.album);
    showPicture(image, track.cover_url, 1200);
    void setTint(track.cover_url);
    void library.song(track.id).then((song) => {
      if (shownId !== track.id) return;
      fill(artist, ...artistLinks(song));
      fill(album, ...albumLink(song));
    }, () => undefined); // without the catalog the names are no links
  };
  player.addEventListener("state", show, { signal });
  show();
  return view;
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
