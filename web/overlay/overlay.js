// The page that streaming software shows. It follows the player with a read-only token and says nothing while that is away.

import { fill, h } from "../core/dom.js";
import { Playhead } from "../core/clock.js";
import { follow } from "../core/follow.js";
import { keep, readTokenFromAddress, token, useOverlayToken } from "../core/token.js";
import { OverlayCard } from "./card.js";
import { read } from "./options.js";

/** @typedef {import("../core/types.js").State} State */

const query = new URLSearchParams(location.search);
const options = read(query);
const card = new OverlayCard();
const playhead = new Playhead();
/** @type {State | null} */
let state = null;
let away = true;

function draw() {
  const track = state?.track;
  const visible = track && !away && !(options.hide && !state?.is_playing);
  card.classList.toggle("hidden", !visible);
  if (!track || !state) return;
  card.show({ title: track.title, artist: track.artist, album: track.album, cover: track.cover_url, playing: state.is_playing, position: playhead.position, duration: track.duration });
}

/** @param {string} text */
function explain(text) {
  fill(document.body, h("p", { class: "overlay-help" }, text, " ", h("a", { href: "/overlay/new" }, "Build the address here.")));
}

async function start() {
  useOverlayToken();
  readTokenFromAddress();
  const inQuery = query.get("access_token");
  if (inQuery) {
    keep(inQuery);
    query.delete("access_token");
    history.replaceState(null, "", query.size ? `${location.pathname}?${query}` : location.pathname);
  }
  if (!token()) return explain("This overlay needs a token.");
  document.body.dataset.position = options.position;
  document.body.append(card);
  card.options = options;
  card.classList.add("hidden");
  const timer = setInterval(() => { if (state?.rate && !document.hidden) draw(); }, 500);
  const refusal = await follow({
    signal: new AbortController().signal,
    onOpen: () => playhead.forget(),
    onLost: () => { away = true; draw(); },
    onEvent: ({ event, data }) => {
      if (event !== "state") return;
      state = data;
      away = false;
      playhead.set(state);
      draw();
    },
  });
  clearInterval(timer);
  if (refusal) explain("The token of this overlay is no longer valid.");
}

void start();
