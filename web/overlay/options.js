// How an overlay looks, as its address says it.

/** @typedef {{theme: string, position: string, accent: string, width: number, scale: number, cover: boolean, progress: boolean, hide: boolean}} Options */

export const themes = /** @type {[string, string][]} */ ([["glass", "Glass"], ["solid", "Dark"], ["light", "Light"], ["minimal", "Text only"], ["vinyl", "Vinyl"]]);
export const positions = /** @type {[string, string][]} */ ([["bottom-left", "Bottom left"], ["bottom", "Bottom centre"], ["bottom-right", "Bottom right"], ["top-left", "Top left"], ["top", "Top centre"], ["top-right", "Top right"]]);

/** @type {Options} */
export const usual = { theme: "glass", position: "bottom-left", accent: "f5b547", width: 460, scale: 100, cover: true, progress: true, hide: false };

/** What is not understood stays as usual: a typing mistake must not blank a stream. @param {URLSearchParams} query @returns {Options} */
export function read(query) {
  const word = (/** @type {string} */ name, /** @type {[string, string][]} */ known, /** @type {string} */ otherwise) => known.find(([key]) => key === query.get(name))?.[0] ?? otherwise;
  const number = (/** @type {string} */ name, /** @type {number} */ least, /** @type {number} */ most, /** @type {number} */ otherwise) => {
    const given = Number(query.get(name) ?? NaN);
    return Number.isFinite(given) ? Math.min(most, Math.max(least, given)) : otherwise;
  };
  const accent = (query.get("accent") ?? "").replace(/^#/, "").toLowerCase();
  return {
    theme: word("theme", themes, usual.theme), position: word("position", positions, usual.position),
    accent: /^([0-9a-f]{3}|[0-9a-f]{6})$/.test(accent) ? accent : usual.accent,
    width: number("width", 200, 1600, usual.width), scale: number("scale", 50, 300, usual.scale),
    cover: query.get("cover") !== "off", progress: query.get("progress") !== "off", hide: query.get("hide") === "paused",
  };
}

/** Says only what differs from the usual. @param {Options} options @returns {string} */
export function write(options) {
  const query = new URLSearchParams();
  if (options.theme !== usual.theme) query.set("theme", options.theme);
  if (options.position !== usual.position) query.set("position", options.position);
  if (options.accent !== usual.accent) query.set("accent", options.accent);
  if (options.width !== usual.width) query.set("width", String(options.width));
  if (options.scale !== usual.scale) query.set("scale", String(options.scale));
  if (!options.cover) query.set("cover", "off");
  if (!options.progress) query.set("progress", "off");
  if (options.hide) query.set("hide", "paused");
  const text = query.toString();
  return text ? `?${text}` : "";
}
