// The status page of the player: it follows /events and sends three commands.
// @ts-check

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const token = takeToken();
/** @type {{position: number, rate: number, at: number, duration: number} | null} */
let playhead = null;
let coverShown = "";

/** The token comes in the fragment, which no server and no log ever sees, and is kept for this tab only. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("token");
}

/** @param {string} path @param {RequestInit} [options] */
function call(path, options = {}) {
  return fetch(path, { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } });
}

/** @param {string} text */
function notice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = text === "";
}

/** Follows the player until the connection ends; the token goes in a header, which EventSource cannot send. */
async function follow() {
  const reply = await call("/events");
  if (reply.status === 401 || reply.status === 403) {
    notice("Open this page with the link that “waxwing open” prints.");
    return false;
  }
  if (!reply.ok || !reply.body) throw new Error(`events: ${reply.status}`);
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data) show(JSON.parse(data.slice(6)));
    }
  }
}

/** @param {any} state */
function show(state) {
  notice(state.error ?? (state.track ? "" : "Nothing is loaded. Press play."));
  byId("controls").hidden = false;
  byId("toggle").textContent = state.is_playing ? "Pause" : "Play";
  byId("playing").hidden = !state.track;
  playhead = null;
  document.title = "Waxwing";
  if (!state.track) return;
  document.title = `${state.track.title} · ${state.track.artist}`;
  byId("title").textContent = state.track.title;
  byId("artist").textContent = state.track.artist;
  playhead = { position: state.position, rate: state.rate, at: Date.parse(state.timestamp), duration: state.track.duration };
  showCover(state.track.cover_url);
}

/** Covers come through this server, so that the page speaks to nobody else. @param {string} url */
async function showCover(url) {
  if (url === coverShown) return;
  coverShown = url;
  const { pathname, search } = new URL(url, location.href);
  const reply = await call(pathname + search).catch(() => null);
  const image = /** @type {HTMLImageElement} */ (byId("cover"));
  if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
  if (reply?.ok) image.src = URL.createObjectURL(await reply.blob());
  else image.removeAttribute("src");
}

/** @param {number} ms */
const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

function tick() {
  if (!playhead) return;
  const position = Math.min(playhead.duration, playhead.position + playhead.rate * Math.max(0, Date.now() - playhead.at));
  /** @type {HTMLProgressElement} */ (byId("progress")).value = playhead.duration ? position / playhead.duration : 0;
  byId("clock").textContent = `${clock(position)} / ${clock(playhead.duration)}`;
}

for (const button of document.querySelectorAll("button[data-command]")) {
  button.addEventListener("click", async () => {
    const reply = await call(/** @type {HTMLElement} */ (button).dataset.command ?? "", { method: "POST" }).catch(() => null);
    if (reply && !reply.ok) notice((await reply.json()).error);
  });
}
setInterval(tick, 500);
for (;;) {
  try {
    if (!(await follow())) break;
  } catch {
    // told below, in words
  }
  notice("The player is away. Trying again…");
  await new Promise((resolve) => setTimeout(resolve, 2000));
}
