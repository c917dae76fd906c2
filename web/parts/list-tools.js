// The tools above a long list: its order, its filters, and a jump to an initial.

import { h } from "../core/dom.js";
import { findInitial } from "../core/letters.js";
import { addressOf, personalSorts, rememberSort, sorts } from "../core/list-query.js";
import { replace } from "../core/router.js";
import { iconButton } from "./controls.js";
import { icon } from "./icons.js";

/**
 * @typedef {import("../core/list-query.js").ListName} ListName
 * @typedef {import("../core/list-query.js").ListQuery} ListQuery
 * @typedef {{genres: import("../core/types.js").Genre[],
 *   years: import("../core/types.js").Year[]}} Choices
 */

/** @param {ListName} name @param {ListQuery} q @param {Choices} choices */
export function listTools(name, q, { genres, years }) {
  const change = (/** @type {Partial<ListQuery>} */ by) => {
    const next = { ...q, ...by };
    if (by.sort !== undefined || by.order !== undefined) rememberSort(name, next);
    replace(addressOf(name, next));
  };
  const sortBy = (/** @type {string} */ sort) => {
    const order = sorts[name].find(([value]) => value === sort)?.[2] ?? "asc";
    const without = personalSorts.includes(sort) ? { genre: "", year: "", liked: false } : {};
    change({ sort, order, ...without, seed: String(Math.floor(Math.random() * 1e6)) });
  };
  const filter = (/** @type {Partial<ListQuery>} */ by) => {
    const sort = personalSorts.includes(q.sort) ? { sort: "title", order: /** @type {const} */ ("asc") } : {};
    change({ ...by, ...sort });
  };
  const descending = q.order === "desc";
  const turn = () => (q.sort === "random" ? sortBy("random") : change({ order: descending ? "asc" : "desc" }));
  const turnLabel = q.sort === "random" ? "Another random order"
    : descending ? "Descending; sort ascending" : "Ascending; sort descending";
  const turnIcon = q.sort === "random" ? "shuffle" : descending ? "descending" : "ascending";
  const genreChoices = genres.map((each) => [each.name, each.name]);
  return h("div", { class: "list-tools", role: "group", "aria-label": "Order and filters" },
    name !== "artists" && choice("list-sort", "Sort by", q.sort, sorts[name].map(([v, text]) => [v, text]), sortBy),
    name !== "artists" && iconButton(turnIcon, turnLabel, turn, { id: "list-order" }),
    name !== "artists" && (genres.length > 1 || q.genre) && choice("list-genre", "Genre", q.genre,
      [["", "All genres"], ...genreChoices], (genre) => filter({ genre })),
    name !== "artists" && (years.length > 1 || q.year) && choice("list-year", "Year", q.year,
      [["", "All years"], ...periods(years)], (year) => filter({ year })),
    name === "artists" && toggle("list-role", "Album artists", q.role === "albumartist",
      (on) => filter({ role: on ? "albumartist" : "" })),
    toggle("list-liked", "Liked", q.liked, (liked) => filter({ liked })));
}

/**
 * Decades, then years, newest first.
 * @param {import("../core/types.js").Year[]} years @returns {[string, string][]}
 */
export function periods(years) {
  const newest = years.map(({ year }) => year).sort((a, b) => b - a);
  const decades = [...new Set(newest.map((year) => Math.floor(year / 10) * 10))];
  return [
    ...decades.map((first) => /** @type {[string, string]} */ ([`${first}-${first + 9}`, `${first}s`])),
    ...newest.map((year) => /** @type {[string, string]} */ ([String(year), String(year)])),
  ];
}

/**
 * @param {string} id @param {string} label @param {string} value
 * @param {(string | undefined)[][]} options @param {(value: string) => void} choose
 */
function choice(id, label, value, options, choose) {
  const missing = value && !options.some(([each]) => each === value) ? [[value, value]] : [];
  const select = h("select", { id, "aria-label": label, class: value && options[0]?.[0] === "" ? "set" : null },
    ...[...options, ...missing].map(([each = "", text]) =>
      h("option", { value: each, selected: each === value }, text)));
  select.addEventListener("change", () => choose(select.value));
  return select;
}

/**
 * @param {string} id @param {string} text @param {boolean} on
 * @param {(on: boolean) => void} choose
 */
function toggle(id, text, on, choose) {
  return h("button", { type: "button", id, class: "chip-toggle", "aria-pressed": String(on),
    onclick: () => choose(!on) }, on && icon("check"), text);
}

/**
 * Initials that jump in a list which is sorted by name.
 * @template {{id: string}} T
 * @param {import("../core/pages.js").Pages<T>} pages
 * @param {(row: T) => string | null | undefined} nameOf
 * @param {() => import("./window-list.js").WindowList} list @param {boolean} descending
 */
export function letterBar(pages, nameOf, list, descending) {
  const jump = async (/** @type {string} */ initial) => {
    const shown = list();
    shown.showAtTop(await findInitial(pages, nameOf, initial, descending));
  };
  const press = (/** @type {string} */ text, /** @type {string} */ initial, /** @type {string} */ label) =>
    h("button", { type: "button", "aria-label": label, onclick: () => void jump(initial) }, text);
  return h("nav", { class: "letters", "aria-label": "Jump to an initial" }, press("#", "", "Jump to digits"),
    ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("").map((each) => press(each, each.toLowerCase(), `Jump to ${each}`)),
    press("…", "{", "Jump to other scripts"));
}
