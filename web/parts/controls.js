// Small controls that many parts use.

import { h, fill } from "../core/dom.js";
import { cover } from "../core/format.js";
import { icon } from "./icons.js";

/** @typedef {import("./icons.js").IconName} IconName */

/**
 * A button that shows an icon alone.
 * @param {IconName} name @param {string} label @param {(event: MouseEvent) => void} press @param {Record<string, any>} [props]
 */
export function iconButton(name, label, press, props = {}) {
  const { class: extra = "", ...rest } = props;
  return h("button", { type: "button", class: `icon-button ${extra}`.trim(), "aria-label": label, title: label, onclick: press, ...rest }, icon(name));
}

/** Changes what an icon button shows, if it differs. @param {HTMLElement} button @param {IconName} name @param {string} label */
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
 * A button with words. One that writes is not shown to a token that may only look.
 * @param {string} text @param {() => void} press @param {{icon?: IconName, kind?: "primary" | "plain" | "danger", writes?: boolean, [attribute: string]: any}} [options]
 */
export function button(text, press, { icon: name, kind = "plain", writes = false, ...props } = {}) {
  return h("button", { type: "button", class: `button ${kind}${writes ? " writes" : ""}`, onclick: press, ...props }, name && icon(name), h("span", null, text));
}

/** A cover that fades in; one that cannot be had leaves its place empty. @param {string | null | undefined} url @param {96 | 300 | 600 | 1200} size */
export function picture(url, size) {
  const image = h("img", { class: "cover", alt: "", decoding: "async", draggable: "false", loading: size > 96 ? "lazy" : null });
  image.addEventListener("load", () => image.classList.add("here"));
  image.addEventListener("error", () => image.classList.remove("here"));
  showPicture(image, url, size);
  return image;
}

/** @param {HTMLImageElement} image @param {string | null | undefined} url @param {96 | 300 | 600 | 1200} size */
export function showPicture(image, url, size) {
  const source = cover(url, size);
  if (image.getAttribute("src") === source) return;
  image.classList.remove("here");
  if (source) image.src = source;
  else image.removeAttribute("src");
  if (image.complete && image.naturalWidth) image.classList.add("here");
}
