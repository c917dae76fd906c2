// The fields of a smart playlist's rules, their comparisons, and the inputs for their values.

import { h } from "../core/dom.js";

/** @typedef {"text" | "number" | "minutes" | "flag" | "time"} Kind */

/** @type {Record<string, [string, Kind]>} */
const fields = {
  title: ["Title", "text"], artist: ["Artist", "text"], album: ["Album", "text"], genre: ["Genre", "text"],
  year: ["Year", "number"], rating: ["Rating", "number"], liked: ["Liked", "flag"],
  play_count: ["Plays", "number"], last_played: ["Last played", "time"], added: ["Date added", "time"],
  duration: ["Length in minutes", "minutes"], format: ["Format", "text"], path: ["Path of the file", "text"],
};

/** @type {Record<Kind, [string, string][]>} */
const ops = {
  text: [
    ["is", "is"], ["is_not", "is not"], ["contains", "contains"], ["not_contains", "does not contain"],
    ["starts_with", "starts with"], ["in", "is one of"],
  ],
  number: [
    ["is", "is"], ["is_not", "is not"], ["gt", "is greater than"], ["lt", "is less than"], ["between", "is between"],
  ],
  minutes: [["gt", "is greater than"], ["lt", "is less than"], ["between", "is between"]],
  flag: [["is", "is"]],
  time: [["in_last", "is in the last days"], ["after", "is after"], ["before", "is before"]],
};

/** @returns {[string, string][]} */
export function fieldsOf() {
  return Object.entries(fields).map(([name, [label]]) => [name, label]);
}

/** @param {string} field @returns {Kind} */
function kindOf(field) {
  return fields[field]?.[1] ?? "text";
}

/** @param {string} field @returns {[string, string][]} */
export function opsOf(field) {
  return ops[kindOf(field)];
}

const minute = 60_000;

/**
 * The value of a stored rule in the form of the inputs.
 * @param {string} field @param {string} op @param {unknown} value
 */
export function writeValue(field, op, value) {
  const scale = (/** @type {unknown} */ n) => (kindOf(field) === "minutes" ? Number(n) / minute : n);
  if (op === "in" && Array.isArray(value)) return value.join(", ");
  return Array.isArray(value) ? value.map(scale) : scale(value);
}

/**
 * The inputs for a value.
 * @param {string} field @param {string} op @param {unknown} value
 * @returns {HTMLElement[]}
 */
export function valueInput(field, op, value) {
  const kind = kindOf(field);
  const label = `Value of ${fields[field]?.[0] ?? field}`;
  if (kind === "flag") {
    const option = (/** @type {string} */ each, /** @type {string} */ text) =>
      h("option", { value: each, selected: String(value ?? true) === each }, text);
    return [h("select", { "aria-label": label }, option("true", "yes"), option("false", "no"))];
  }
  const number = (/** @type {unknown} */ given, /** @type {string} */ name) => h("input", {
    type: "number", "aria-label": name, required: true, min: 0, step: kind === "minutes" ? "any" : 1,
    max: field === "rating" ? 5 : null, value: given ?? "",
  });
  if (op === "in_last") return [number(value, "Days")];
  if (kind === "time") {
    const day = typeof value === "string" ? value.slice(0, 10) : "";
    return [h("input", { type: "date", "aria-label": label, required: true, value: day })];
  }
  if (kind === "text") {
    const text = typeof value === "string" ? value : "";
    const hint = op === "in" ? "Rock, Pop" : null;
    return [h("input", { type: "text", "aria-label": label, required: true, maxlength: 200, value: text,
      placeholder: hint })];
  }
  if (op !== "between") return [number(Array.isArray(value) ? value[0] : value, label)];
  const [from, to] = Array.isArray(value) ? value : [value, null];
  return [number(from, "From"), number(to, "To")];
}

/**
 * The value that the inputs have, in the form of the catalog.
 * @param {string} field @param {string} op @param {HTMLElement} content
 */
export function readValue(field, op, content) {
  const kind = kindOf(field);
  const values = [...content.querySelectorAll("input, select")].map((input) =>
    /** @type {HTMLInputElement} */ (input).value.trim());
  const [first = ""] = values;
  if (kind === "flag") return first === "true";
  if (op === "in") return first.split(",").map((each) => each.trim()).filter(Boolean);
  if (kind === "text" || (kind === "time" && op !== "in_last")) return first;
  const numbers = values.map((each) => Math.round(Number(each) * (kind === "minutes" ? minute : 1)));
  return op === "between" ? numbers : numbers[0];
}
