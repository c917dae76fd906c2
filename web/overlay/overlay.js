// The page for streaming software. It follows the player with a read-only token. On every failure
// it is transparent: the audience never sees an error. The web player tells the owner instead.

import { followEvents } from "../core/event-stream.js";
import { request } from "../core/http.js";
import { registerWorker } from "../core/offline.js";
import { Playhead } from "../core/playhead.js";
import { readTokenFromAddress, saveToken, token, useOverlayToken } from "../core/token.js";
import { OverlayCard } from "./card.js";
import { readOptions } from "./options.js";

/** @typedef {import("../core/types.js").State} State */

const reportEvery = 60_000; // ms, while the overlay cannot work
const reportsPerTry = 10; // then the token may be valid again, for instance after a restored backup

const query = new URLSearchParams(location.search);
const options = readOptions(query);
const card = new OverlayCard();
const playhead = new Playhead();
/** @type {State | null} */
let state = null;
let offline = true;
/** @type {{track: string | null, text: string}} of the lyrics */
let line = { track: null, text: "" };
let changedAt = 0;
let shown = "";

function draw() {
  const track = state?.track;
  const key = JSON.stringify([state?.current_item_id, track?.title, track?.artist]);
  if (track && key !== shown) [shown, changedAt] = [key, Date.now()];
  const elapsed = options.show > 0 && Date.now() - changedAt > 1000 * options.show;
  const visible = track && !offline && !elapsed && !(options.hide && !state?.is_playing);
  card.classList.toggle("hidden", !visible);
  if (!track || !state) return;
  card.show({
    title: track.title, artist: track.artist, album: track.album, cover: track.cover_url, playing: state.is_playing,
    position: playhead.position, duration: track.duration,
    line: options.lyrics && line.track === track.id ? line.text : "",
  });
}

/** Follows the player until it denies access. */
async function follow() {
  const timer = setInterval(() => { if ((state?.rate || options.show) && !document.hidden) draw(); }, 500);
  await followEvents({
    signal: new AbortController().signal,
    onOpen: () => { document.title = "Waxwing overlay"; playhead.reset(); },
    onClose: () => { offline = true; draw(); },
    onEvent: ({ event, data }) => {
      if (event === "lyric") line = { track: data.track_id, text: data.text ?? "" };
      if (event === "state") {
        state = data;
        offline = false;
        playhead.set(data);
      }
      draw();
    },
  });
  clearInterval(timer);
  offline = true;
  draw();
}

/** Tells the owner for a while, never the audience. @param {"no_token" | "refused"} problem */
async function report(problem) {
  const text = problem === "no_token" ? "the address has no token" : "the token is not valid";
  document.title = `Waxwing overlay: ${text}; create another address at /overlay/new`;
  for (let reports = 0; reports < reportsPerTry; reports++) {
    await request("POST", "/overlay/problem", { problem }, { secret: null }).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, reportEvery));
  }
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
  addEventListener("hashchange", () => location.reload()); // another token was pasted
  registerWorker();
  document.body.dataset.position = options.position;
  document.body.append(card);
  card.options = options;
  card.classList.add("hidden");
  for (;;) {
    if (token()) await follow();
    await report(token() ? "refused" : "no_token");
  }
}

void start();
