// The page that creates the address of an overlay, with a preview.

import { fill, h, setText, setStyles } from "../core/dom.js";
import { followEvents } from "../core/event-stream.js";
import { day, days } from "../core/format.js";
import { ResponseError, get, post, request } from "../core/http.js";
import { Playhead } from "../core/playhead.js";
import { overlaySecret, token } from "../core/token.js";
import { button } from "../parts/controls.js";
import { pairRequest } from "../parts/pair-request.js";
import { showError, showNotice } from "../core/notices.js";
import { OverlayCard } from "./card.js";
import { defaults, positions, themes, writeOptions } from "./options.js";
import "../parts/toasts.js";

/** @typedef {import("../core/types.js").Token} Token */

const sample = {
  title: "A Song With a Title That Does Not Fit Into One Line at All", artist: "An Artist", album: "An Album",
  cover: "", playing: true, position: 83_000, duration: 214_000,
};

/** @type {import("./options.js").Options} */
const options = { ...defaults };
let secret = "";
/** @type {import("./card.js").Shown} */
let shown = sample;
const card = new OverlayCard();
const canvas = h("div", { class: "builder-canvas" });
const stage = h("div", { class: "builder-stage", "aria-label": "Preview", role: "img" }, canvas);
new ResizeObserver(() => setStyles(canvas, { "--fit": String(stage.clientWidth / 1920) })).observe(stage);
const address = h("input", { type: "text", id: "address", readonly: true, spellcheck: "false" });
const lifetime = h("p", { class: "by", role: "status" });
const actions = h("div", { class: "actions" });

function show() {
  canvas.dataset.position = options.position;
  card.options = options;
  card.show({ ...shown, line: options.lyrics ? shown.line ?? "A line of the lyrics" : "" });
  address.value = `${location.origin}/overlay${writeOptions(options)}#token=${secret || "…"}`;
}

/** @param {"theme" | "position"} name @param {string} label @param {[string, string][]} choices */
function choice(name, label, choices) {
  const select = h("select", { id: name }, ...choices.map(([key, text]) => h("option", { value: key }, text)));
  select.value = options[name];
  select.addEventListener("change", () => { options[name] = select.value; show(); });
  return h("div", { class: "field" }, h("label", { for: name }, label), select);
}

/**
 * @param {"width" | "scale" | "show"} name @param {string} label @param {number} min
 * @param {number} max @param {number} step @param {string} unit
 */
function slider(name, label, min, max, step, unit) {
  const input = h("input", { type: "range", id: name, min, max, step, value: options[name] });
  const value = h("output", { for: name });
  const update = () => {
    options[name] = input.valueAsNumber;
    setStyles(input, { "--done": `${(100 * (input.valueAsNumber - min)) / (max - min)}%` });
    setText(value, `${input.value} ${unit}`);
    input.setAttribute("aria-valuetext", value.textContent);
  };
  input.addEventListener("input", () => { update(); show(); });
  update();
  const head = h("div", { class: "field-head" }, h("label", { for: name }, label), value);
  return h("div", { class: "field" }, head, input);
}

/** @param {"cover" | "progress" | "hide" | "lyrics"} name @param {string} label */
function check(name, label) {
  const input = h("input", { type: "checkbox", checked: options[name] });
  input.addEventListener("change", () => { options[name] = input.checked; show(); });
  return h("label", { class: "check" }, input, label);
}

function colour() {
  const input = h("input", { type: "color", id: "accent", value: `#${options.accent}` });
  input.addEventListener("input", () => { options.accent = input.value.slice(1); show(); });
  return h("div", { class: "field" }, h("label", { for: "accent" }, "Accent colour"), input);
}

/** Uses the token of the last address again, or creates a read-only one. */
async function createAddress() {
  try {
    const last = await stored();
    if (last) return await showAddress(last);
    const created = await post("/tokens", { name: "Overlay", permissions: ["read"] });
    secret = created.secret;
    localStorage.setItem(overlaySecret, secret);
    await showAddress(created.token);
  } catch (error) {
    showError(error);
  }
}

/** @returns {Promise<Token | null>} the token of the last address, if it is still valid */
async function stored() {
  secret = localStorage.getItem(overlaySecret) ?? "";
  if (!secret) return null;
  try {
    return (await (await request("GET", "/token", undefined, { secret })).json()).token;
  } catch (error) {
    if (!(error instanceof ResponseError && error.status === 401)) throw error;
    secret = "";
    return null;
  }
}

/** Fetches the token of an approved request. @param {string} id */
async function claimToken(id) {
  const reply = await request("POST", "/pair/claim", { id }, { secret: null });
  if (reply.status !== 200) return false;
  secret = (await reply.json()).token;
  localStorage.setItem(overlaySecret, secret);
  return true;
}

/** Shows the address, copies it, and says how long it works. @param {Token} created */
async function showAddress({ expires_at: expires, idle_expires_in: idle }) {
  show();
  const end = expires ? `It works until ${day(expires)}, ${new Date(expires).toLocaleTimeString()}.` : "";
  setText(lifetime, [end, idle ? `It ends if no overlay uses it for ${days(idle)}.` : ""].filter(Boolean).join(" "));
  try {
    await navigator.clipboard.writeText(address.value);
    showNotice("The address is copied. Paste it as a browser source.");
  } catch {
    address.select();
    showNotice("The address is ready. Copy it from the field.");
  }
}

/** Shows what plays now, until the player denies access. */
async function follow() {
  const playhead = new Playhead();
  /** @type {import("../core/types.js").State | null} */
  let state = null;
  /** @type {{track: string | null, text: string | undefined}} */
  let line = { track: null, text: undefined };
  const update = () => {
    if (!state?.track) shown = sample;
    else {
      const { id, title, artist, album, cover_url: cover, duration } = state.track;
      shown = {
        title, artist, album, cover, duration, playing: state.is_playing, position: playhead.position,
        line: line.track === id ? line.text : undefined,
      };
    }
    show();
  };
  const timer = setInterval(() => { if (state?.rate) update(); }, 500);
  await followEvents({
    signal: new AbortController().signal,
    onOpen: () => playhead.reset(),
    onClose: () => undefined,
    onEvent: ({ event, data }) => {
      if (event === "lyric") line = { track: data.track_id, text: data.text ?? undefined };
      if (event === "state") {
        state = data;
        playhead.set(data);
      }
      update();
    },
  });
  clearInterval(timer);
}

/** Offers the button that this browser may use: one that is not signed in requests a token. */
async function showActions() {
  const own = token() === null ? null : await get("/token").catch(() => null);
  if (own?.token.permissions.includes("keys")) {
    return fill(actions, button("Create the address", () => void createAddress(), { kind: "primary", icon: "link" }));
  }
  const last = await stored().catch(() => null);
  if (last) {
    return fill(actions, button("Copy the address", () => void showAddress(last), { kind: "primary", icon: "link" }));
  }
  const wanted = () => ({ name: "Overlay", permissions: ["read"] });
  const claimed = async () => {
    const claimedToken = await stored();
    if (claimedToken) await showAddress(claimedToken);
    await showActions();
  };
  fill(actions,
    h("p", { class: "by" }, own
      ? "This browser may not create tokens. Request one, and approve it where Waxwing is open:"
      : "This browser is not signed in. Request a token, and approve it where Waxwing is open:"),
    pairRequest("Request a token", wanted, claimToken, () => void claimed().catch(showError)));
}

const intro = "A card with the current track, for OBS and other streaming software. Choose how it looks, then use the "
  + "address as a browser source.";
const fields = [
  choice("theme", "Theme", themes), choice("position", "Position", positions),
  slider("width", "Width", 240, 900, 10, "px"), slider("scale", "Size", 60, 200, 5, "%"),
  slider("show", "Visible after a change (0: always)", 0, 60, 1, "s"), colour(),
  h("div", { class: "checks" },
    check("cover", "Cover"), check("progress", "Progress"), check("hide", "Hide while paused"),
    check("lyrics", "Lyrics")),
];
fill(document.body, h("main", { class: "builder" },
  h("header", null, h("a", { href: "/", class: "button" }, "Back to the player"), h("h1", null, "Overlay"),
    h("p", { class: "by" }, intro)),
  stage,
  h("div", { class: "builder-form" }, ...fields),
  h("div", { class: "builder-address" }, h("label", { for: "address" }, "Address"), address, lifetime, actions),
  document.createElement("wax-toasts")));
canvas.append(card);
show();
void showActions();
if (token() !== null) void follow();
