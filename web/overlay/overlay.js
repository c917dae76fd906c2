// The page for streaming software. It follows the player with a read-only token and shows nothing
// while it is offline.

import { fill, h } from "../core/dom.js";
import { followEvents } from "../core/event-stream.js";
import { Playhead } from "../core/playhead.js";
import { readTokenFromAddress, saveToken, token, useOverlayToken } from "../core/token.js";
import { OverlayCard } from "./card.js";
import { readOptions } from "./options.js";

/** @typedef {import("../core/types.js").State} State */

const query = new URLSearchParams(location.search);
const options = readOptions(query);
const card = new OverlayCard();
const playhead = new Playhead();
/** @type {State | null} */
let state = null;
let offline = true;

function draw() {
  const track = state?.track;
  const visible = track && !offline && !(options.hide && !state?.is_playing);
  card.classList.toggle("hidden", !visible);
  if (!track || !state) return;
  card.show({
    title: track.title, artist: track.artist, album: track.album, cover: track.cover_url, playing: state.is_playing,
    position: playhead.position, duration: track.duration,
  });
}

/** @param {string} text */
function showHelp(text) {
  const link = h("a", { href: "/overlay/new" }, "Create the address here.");
  fill(document.body, h("p", { class: "overlay-help" }, text, " ", link));
}

async function start() {
  useOverlayToken();
  readTokenFromAddress();
  const inQuery = query.get("access_token");
  if (inQuery) {
    saveToken(inQuery);
    query.delete("access_token");
    history.replaceState(null, "", query.size ? `${location.pathname}?${query}` : location.pathname);
  }
  if (!token()) return showHelp("This overlay needs a token.");
  document.body.dataset.position = options.position;
  document.body.append(card);
  card.options = options;
  card.classList.add("hidden");
  const timer = setInterval(() => { if (state?.rate && !document.hidden) draw(); }, 500);
  const denial = await followEvents({
    signal: new AbortController().signal,
    onOpen: () => playhead.reset(),
    onClose: () => { offline = true; draw(); },
    onEvent: ({ event, data }) => {
      if (event !== "state") return;
      state = data;
      offline = false;
      playhead.set(state);
      draw();
    },
  });
  clearInterval(timer);
  if (denial) showHelp("The token of this overlay is no longer valid.");
}

void start();
