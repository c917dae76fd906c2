// The options of an overlay, as they are in its address.

/**
 * @typedef {{theme: string, position: string, accent: string, width: number, scale: number,
 *   cover: boolean, progress: boolean, hide: boolean, show: number, lyrics: boolean}} Options
 *   show: seconds for which the card is visible after a change; 0: always
 */

/** @type {[string, string][]} */
export const themes = [
  ["glass", "Glass"], ["solid", "Dark"], ["light", "Light"], ["minimal", "Text only"], ["vinyl", "Vinyl"],
  ["shade", "Shade"],
];
/** @type {[string, string][]} */
export const positions = [
  ["bottom-left", "Bottom left"], ["bottom", "Bottom centre"], ["bottom-right", "Bottom right"],
  ["top-left", "Top left"], ["top", "Top centre"], ["top-right", "Top right"],
];

/** @type {Options} */
export const defaults = {
  theme: "glass", position: "bottom-left", accent: "f5b547", width: 460, scale: 100, cover: true, progress: true,
  hide: false, show: 0, lyrics: false,
};

/**
 * An invalid value means the default: a typing error must not blank a stream.
 * @param {URLSearchParams} query
 * @returns {Options}
 */
export function readOptions(query) {
  /** @param {"theme" | "position"} name @param {[string, string][]} choices */
  const word = (name, choices) => choices.find(([key]) => key === query.get(name))?.[0] ?? defaults[name];
  /** @param {"width" | "scale" | "show"} name @param {number} min @param {number} max */
  const number = (name, min, max) => {
    const given = Number(query.get(name) ?? NaN);
    return Number.isFinite(given) ? Math.min(max, Math.max(min, given)) : defaults[name];
  };
  const accent = (query.get("accent") ?? "").replace(/^#/, "").toLowerCase();
  return {
    theme: word("theme", themes), position: word("position", positions),
    accent: /^([0-9a-f]{3}|[0-9a-f]{6})$/.test(accent) ? accent : defaults.accent,
    width: number("width", 200, 1600), scale: number("scale", 50, 300),
    cover: query.get("cover") !== "off", progress: query.get("progress") !== "off",
    hide: query.get("hide") === "paused", show: number("show", 0, 600), lyrics: query.get("lyrics") === "on",
  };
}

/** Says only what differs from the defaults. @param {Options} options @returns {string} */
export function writeOptions(options) {
  const query = new URLSearchParams();
  if (options.theme !== defaults.theme) query.set("theme", options.theme);
  if (options.position !== defaults.position) query.set("position", options.position);
  if (options.accent !== defaults.accent) query.set("accent", options.accent);
  if (options.width !== defaults.width) query.set("width", String(options.width));
  if (options.scale !== defaults.scale) query.set("scale", String(options.scale));
  if (!options.cover) query.set("cover", "off");
  if (!options.progress) query.set("progress", "off");
  if (options.hide) query.set("hide", "paused");
  if (options.show) query.set("show", String(options.show));
  if (options.lyrics) query.set("lyrics", "on");
  const text = query.toString();
  return text ? `?${text}` : "";
}
