// Tints the page in the colour of a cover.

import { setStyles } from "./dom.js";
import { cover } from "./format.js";

const defaultTint = "30 10%";
/** @type {Map<string, Promise<string>>} */
const cache = new Map();
const maxCached = 200;

/**
 * The dominant colour of a picture, muted enough for text on top of it.
 * @param {string | null | undefined} url
 * @returns {Promise<string>} "h s%", without the lightness
 */
function tint(url) {
  const source = cover(url, 96);
  let found = cache.get(source);
  if (!found) {
    found = measure(source).catch(() => defaultTint);
    cache.set(source, found);
    if (cache.size > maxCached) cache.delete(/** @type {string} */ (cache.keys().next().value));
  }
  return found;
}

/**
 * Tints the screen in the colour of a picture; null removes the tint.
 * @param {string | null} url
 */
export async function setTint(url) {
  const centre = document.querySelector(".centre");
  if (!(centre instanceof HTMLElement)) return;
  centre.dataset.tint = url ?? "";
  if (!url) return;
  const colour = await tint(url);
  if (centre.dataset.tint === url) setStyles(centre, { "--tint": colour });
}

/** @param {string} source */
async function measure(source) {
  if (!source) return defaultTint;
  const image = new Image();
  image.src = source;
  await image.decode();
  const side = 16;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return defaultTint;
  context.drawImage(image, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  return dominant(data);
}

/** The most common hue, without greys. @param {Uint8ClampedArray} data */
function dominant(data) {
  const bins = Array.from({ length: 12 }, () => ({ weight: 0, x: 0, y: 0, saturation: 0 }));
  for (let i = 0; i < data.length; i += 4) {
    const { hue, saturation, lightness } = hsl(data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0);
    const weight = saturation * Math.max(0, 1 - Math.abs(lightness - 0.5) * 1.8);
    const bin = bins[Math.floor(hue / 30) % 12];
    if (!bin) continue;
    bin.weight += weight;
    bin.x += weight * Math.cos((hue * Math.PI) / 180);
    bin.y += weight * Math.sin((hue * Math.PI) / 180);
    bin.saturation += weight * saturation;
  }
  const best = bins.reduce((a, b) => (b.weight > a.weight ? b : a));
  if (best.weight < 4) return defaultTint;
  const hue = ((Math.atan2(best.y, best.x) * 180) / Math.PI + 360) % 360;
  return `${Math.round(hue)} ${Math.round(Math.min(0.55, best.saturation / best.weight) * 100)}%`;
}

/** @param {number} red @param {number} green @param {number} blue */
function hsl(red, green, blue) {
  const [r, g, b] = [red / 255, green / 255, blue / 255];
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const [lightness, spread] = [(most + least) / 2, most - least];
  if (spread === 0) return { hue: 0, saturation: 0, lightness };
  const hue = most === r ? ((g - b) / spread + 6) % 6 : most === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  return { hue: hue * 60, saturation: spread / (1 - Math.abs(2 * lightness - 1) || 1), lightness };
}
