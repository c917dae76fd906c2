// The page that creates the address of an overlay, with a preview.

import { fill, h, setText, setStyles } from "../core/dom.js";
import { post } from "../core/http.js";
import { token } from "../core/token.js";
import { button } from "../parts/controls.js";
import { showError, showNotice } from "../core/notices.js";
import { OverlayCard } from "./card.js";
import { defaults, positions, themes, writeOptions } from "./options.js";
import "../parts/toasts.js";

const sample = {
  title: "A Song With a Title That Does Not Fit Into One Line at All", artist: "An Artist", album: "An Album",
  cover: "", playing: true, position: 83_000, duration: 214_000,
};

/** @type {import("./options.js").Options} */
const options = { ...defaults };
let secret = "";
const card = new OverlayCard();
const stage = h("div", { class: "builder-stage", "aria-label": "Preview", role: "img" });
const address = h("input", { type: "text", id: "address", readonly: true, spellcheck: "false" });

function show() {
  stage.dataset.position = options.position;
  card.options = options;
  card.show(sample);
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
 * @param {"width" | "scale"} name @param {string} label @param {number} min @param {number} max
 * @param {number} step @param {string} unit
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

/** @param {"cover" | "progress" | "hide"} name @param {string} label */
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

/** Creates a read-only token for this overlay. */
async function createToken() {
  try {
    ({ secret } = await post("/tokens", { name: "Overlay", permissions: ["read"] }));
    show();
    await copy();
  } catch (error) {
    showError(error);
  }
}

async function copy() {
  try {
    await navigator.clipboard.writeText(address.value);
    showNotice("The address is copied. Paste it as a browser source.");
  } catch {
    address.select();
    showNotice("The address is ready. Copy it from the field.");
  }
}

const intro = "A card with the current track, for OBS and other streaming software. Choose how it looks, then use the "
  + "address as a browser source.";
const fields = [
  choice("theme", "Theme", themes), choice("position", "Position", positions),
  slider("width", "Width", 240, 900, 10, "px"), slider("scale", "Size", 60, 200, 5, "%"), colour(),
  h("div", { class: "checks" },
    check("cover", "Cover"), check("progress", "Progress"), check("hide", "Hide while paused")),
];
const withToken = () => h("div", { class: "actions" },
  button("Create the address", () => void createToken(), { kind: "primary", icon: "link" }));
const withoutToken = () => h("p", { class: "by" }, "This tab has no token. Put one in place of the dots: ",
  h("code", null, "waxwing token create --name overlay --permission read"));
fill(document.body, h("main", { class: "builder" },
  h("header", null, h("a", { href: "/", class: "button" }, "Back to the player"), h("h1", null, "Overlay"),
    h("p", { class: "by" }, intro)),
  stage,
  h("div", { class: "builder-form" }, ...fields),
  h("div", { class: "builder-address" }, h("label", { for: "address" }, "Address"), address,
    token() === null ? withoutToken() : withToken()),
  document.createElement("wax-toasts")));
stage.append(card);
show();
