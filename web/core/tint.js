// The colour of a cover, for the light that it throws on the page.

import { setStyles } from "./dom.js";
import { cover } from "./format.js";

const plain = "30 10%";
/** @type {Map<string, Promise<string>>} */
const known = new Map();

/**
 * A colour of the picture that is strong enough to be seen and calm enough to be read on: "h s%", to be completed by a lightness.
 * @param {string | null | undefined} url
 * @returns {Promise<string>}
 */
function tint(url) {
  const source = cover(url, 96);
  let found = known.get(source);
  if (!found) {
    found = measure(source).catch(() => plain);
    known.set(source, found);
    if (known.size > 200) known.delete(/** @type {string} */ (known.keys().next().value));
  }
  return found;
}

/** Lights the screen in the colour of a picture, or puts the light out. @param {string | null} url */
export async function setTint(url) {
  const centre = document.querySelector(".centre");
  if (!(centre instanceof HTMLElement)) return;
  centre.dataset.light = url ?? "";
  if (!url) return;
  const colour = await tint(url);
  if (centre.dataset.light === url) setStyles(centre, { "--tint": colour });
}

/** @param {string} source */
async function measure(source) {
  if (!source) return plain;
  const image = new Image();
  image.src = source;
  await image.decode();
  const side = 16;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return plain;
  context.drawImage(image, 0, 0, side, side);
  const { data } = context.getImageData(0, 0, side, side);
  return strongest(data);
}

/** The hue that most of the picture agrees on, greys left aside. @param {Uint8ClampedArray} data */
function strongest(data) {
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
  if (best.weight < 4) return plain;
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
