// Numbers and times in the form people read.

/** @param {number} ms */
export function clock(ms) {
  const total = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  const tail = `${String(seconds).padStart(2, "0")}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** @param {number} ms */
export function spoken(ms) {
  const total = Math.round(ms / 1000);
  const minutes = Math.floor(total / 60);
  return minutes ? `${plural(minutes, "minute")} ${plural(total % 60, "second")}` : plural(total, "second");
}

/** @param {number} ms */
export function long(ms) {
  const minutes = Math.max(1, Math.round(ms / 60000));
  const hours = Math.floor(minutes / 60);
  return hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

const numbers = new Intl.NumberFormat();

/** @param {number} n @param {string} one @param {string} [many] */
export function plural(n, one, many = `${one}s`) {
  return `${numbers.format(n)} ${n === 1 ? one : many}`;
}

/** @param {string | null} time */
export function ago(time) {
  if (!time) return "never";
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (seconds < 90) return "just now";
  /** @type {[number, Intl.RelativeTimeFormatUnit][]} */
  const steps = [[86400 * 30, "month"], [86400, "day"], [3600, "hour"], [60, "minute"]];
  const [size, unit] = steps.find(([size]) => seconds >= size) ?? [60, "minute"];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.round(seconds / size), unit);
}

/** @param {string} time */
export function day(time) {
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

/**
 * The address of a cover on this server: the page talks to no other.
 * @param {string | null | undefined} url @param {96 | 300 | 600 | 1200} size
 */
export function cover(url, size) {
  if (!url) return "";
  const { pathname } = new URL(url, location.href);
  return `${pathname}?size=${size}`;
}

/** A period in hours or days. @param {number} seconds */
export function days(seconds) {
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

/** @type {Record<string, string>} */
const formatNames = { vorbis: "Ogg Vorbis", opus: "Opus", wavpack: "WavPack", musepack: "Musepack", speex: "Speex" };

/** Format and quality of a song's file. @param {import("./types.js").Song} song */
export function formatText({ format, bitrate, file }) {
  const { sample_rate: rate, bit_depth: bits, channels } = file ?? {};
  return [
    formatNames[format] ?? format.toUpperCase(), rate && `${rate / 1000} kHz`, bits && `${bits} bit`,
    bitrate && `${bitrate} kbit/s`, channels === 1 ? "mono" : channels && channels > 2 && `${channels} channels`,
  ].filter(Boolean).join(" · ");
}
