// Buttons and pictures that many parts use.

import { h, fill } from "../core/dom.js";
import { cover } from "../core/format.js";
import { largeCover } from "../core/large-cover.js";
import { icon } from "./icons.js";

/** @typedef {import("./icons.js").IconName} IconName */

/**
 * A button with only an icon.
 * @param {IconName} name @param {string} label @param {(event: MouseEvent) => void} press
 * @param {Record<string, any>} [props]
 */
export function iconButton(name, label, press, props = {}) {
  const { class: extra = "", ...rest } = props;
  const className = `icon-button ${extra}`.trim();
  const all = { type: "button", class: className, "aria-label": label, title: label, onclick: press, ...rest };
  return h("button", all, icon(name));
}

/**
 * Changes icon and label of a button, if they differ.
 * @param {HTMLElement} button @param {IconName} name @param {string} label
 */
export function showIcon(button, name, label) {
  if (button.dataset.icon !== name) {
    button.dataset.icon = name;
    fill(button, icon(name));
  }
  if (button.title !== label) {
    button.title = label;
    button.setAttribute("aria-label", label);
  }
}

/**
 * A button with text.
 * @param {string} text @param {() => void} press
 * @param {{icon?: IconName, kind?: "primary" | "plain" | "danger", writes?: boolean,
 *   edits?: boolean, [attribute: string]: any}} [options] writes: hidden where playback cannot be
 *   controlled; edits: hidden where the catalog cannot be changed
 */
export function button(text, press, { icon: name, kind = "plain", writes = false, edits = false, ...props } = {}) {
  const className = `button ${kind}${writes ? " writes" : ""}${edits ? " edits" : ""}`;
  const all = { type: "button", class: className, onclick: press, ...props };
  return h("button", all, name && icon(name), h("span", null, text));
}

/**
 * A cover that fades in.
 * @param {string | null | undefined} url @param {96 | 300 | 600 | 1200} size
 */
export function picture(url, size) {
  const loading = size === 300 ? "lazy" : null;
  const image = h("img", { class: "cover", alt: "", decoding: "async", draggable: "false", loading });
  image.addEventListener("load", () => image.classList.add("loaded"));
  image.addEventListener("error", () => image.classList.remove("loaded"));
  showPicture(image, url, size);
  return image;
}

/**
 * @param {HTMLImageElement} image @param {string | null | undefined} url
 * @param {96 | 300 | 600 | 1200} size
 */
export function showPicture(image, url, size) {
  const source = cover(url, size);
  if ((image.dataset.target ?? image.getAttribute("src") ?? "") === source) return;
  image.classList.remove("loaded", "enlarged");
  delete image.dataset.target;
  if (!source) image.removeAttribute("src");
  else if (size > 300) void showEnlarged(image, cover(url, 96), source);
  else image.src = source;
  if (image.complete && image.naturalWidth) image.classList.add("loaded");
}

/**
 * Shows a thumbnail, which lists have loaded already, until the picture has arrived.
 * @param {HTMLImageElement} image @param {string} small @param {string} source
 */
async function showEnlarged(image, small, source) {
  image.dataset.target = source;
  image.classList.add("enlarged");
  image.src = small;
  const full = new Image();
  full.src = await largeCover(source);
  await full.decode().catch(() => undefined); // the picture itself shows what is wrong
  if (image.dataset.target !== source) return;
  image.classList.remove("enlarged");
  image.src = full.src;
}
