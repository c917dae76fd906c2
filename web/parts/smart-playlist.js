// The editor of smart playlists: rules that choose their songs.

import { catalog } from "../core/catalog.js";
import { fill, h } from "../core/dom.js";
import { get, patch, post } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { button, iconButton } from "./controls.js";
import { showDialog } from "./dialog.js";
import { fieldsOf, opsOf, readValue, valueInput, writeValue } from "./smart-rule.js";

/**
 * @typedef {import("../core/types.js").Playlist} Playlist
 * @typedef {import("../core/types.js").Rules} Rules
 * @typedef {import("../core/types.js").Rule} Rule
 * @typedef {import("../core/types.js").RuleGroup} RuleGroup
 * @typedef {{element: HTMLElement, read: () => Rule | RuleGroup}} Part
 */

const maxDepth = 5;

/** @type {[string, string][]} */
const sorts = [
  ["added", "Date added"], ["title", "Title"], ["artist", "Artist"], ["album", "Album"], ["year", "Year"],
  ["duration", "Length"], ["play_count", "Plays"], ["last_played", "Last played"], ["rating", "Rating"],
  ["random", "Random"],
];

/** @type {Rules} */
const example = { match: "all", rules: [{ field: "rating", op: "gt", value: 3 }], sort: "added", order: "desc" };

/** @returns {Promise<Playlist | null>} */
export async function createSmartPlaylist() {
  return edit("New smart playlist", null);
}

/** @param {string} id */
export async function editSmartPlaylist(id) {
  try {
    const { playlist } = await get(`/api/playlists/${encodeURIComponent(id)}?with=rules`);
    await edit("Edit smart playlist", playlist);
  } catch (error) {
    showError(error);
  }
}

/** @param {string} title @param {Playlist | null} shown null creates one */
async function edit(title, shown) {
  /** @type {Playlist | null} */
  let saved = null;
  await showDialog(title, (close) => {
    const { form, read } = editor(shown);
    const problem = h("p", { class: "problem", role: "alert" });
    form.append(problem, h("footer", null, button("Cancel", close),
      h("button", { type: "submit", class: "button primary" }, shown ? "Save" : "Create")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        const path = shown && `/api/playlists/${encodeURIComponent(shown.id)}`;
        const reply = path ? await patch(path, read()) : await post("/api/playlists", read());
        saved = reply.playlist;
        catalog.changed();
        showNotice(shown ? `“${reply.playlist.name}” is saved.` : `“${reply.playlist.name}” is created.`);
        close();
      } catch (error) {
        fill(problem, error instanceof Error ? error.message : String(error));
      }
    });
    return [form];
  }, { wide: true });
  return saved;
}

/** @param {Playlist | null} shown */
function editor(shown) {
  const rules = shown?.rules ?? example;
  const name = h("input", {
    type: "text", id: "smart-name", required: true, maxlength: 200, autocomplete: "off", value: shown?.name ?? "",
    autofocus: true,
  });
  const group = ruleGroup(rules, 1);
  const sort = choice("Sort by", sorts, rules.sort ?? "added");
  const order = choice("Direction", [["asc", "Ascending"], ["desc", "Descending"]], rules.order ?? "asc");
  const limit = h("input", {
    type: "number", id: "smart-limit", min: 0, max: 1_000_000, value: rules.limit || "", placeholder: "No limit",
  });
  const isPublic = h("input", { type: "checkbox", checked: shown?.public === true });
  const form = h("form", { class: "smart" },
    h("div", { class: "field" }, h("label", { for: "smart-name" }, "Name"), name),
    group.element,
    h("div", { class: "smart-order" }, h("span", null, "Sorted by"), sort, order,
      h("label", { for: "smart-limit" }, "at most"), limit, h("span", null, "songs")),
    h("label", { class: "check" }, isPublic,
      h("span", null, "Public", h("small", null, "Other users of this catalog can see it."))));
  const read = () => ({
    name: name.value.trim(), public: isPublic.checked,
    rules: { ...group.read(), sort: sort.value, order: order.value, limit: Number(limit.value) || 0 },
  });
  return { form, read };
}

/**
 * @param {RuleGroup} given @param {number} depth @param {() => void} [removeGroup]
 * @returns {Part}
 */
function ruleGroup(given, depth, removeGroup) {
  /** @type {Part[]} */
  let parts = [];
  const match = choice("Match", [["all", "all rules"], ["any", "any rule"]], given.match);
  const list = h("ul", { class: "smart-rules" });
  const drop = (/** @type {Part} */ part) => {
    parts = parts.filter((each) => each !== part);
    part.element.remove();
  };
  const add = (/** @type {Rule | RuleGroup} */ rule) => {
    /** @type {Part} */
    const part = "rules" in rule ? ruleGroup(rule, depth + 1, () => drop(part)) : ruleRow(rule, () => drop(part));
    parts.push(part);
    list.append(part.element);
  };
  given.rules.forEach(add);
  const newRule = () => add({ field: "genre", op: "is", value: "" });
  const newGroup = () => add({ match: "any", rules: [{ field: "genre", op: "is", value: "" }] });
  const element = h(depth === 1 ? "div" : "li", { class: "smart-group", role: "group", "aria-label": "Rules" },
    h("div", { class: "smart-match" }, "Songs that match", match,
      removeGroup && iconButton("close", "Remove this group", removeGroup)),
    list,
    h("div", { class: "actions" }, button("Add a rule", newRule, { icon: "plus" }),
      depth < maxDepth && button("Add a group", newGroup)));
  return {
    element,
    read: () => ({ match: /** @type {"all" | "any"} */ (match.value), rules: parts.map((part) => part.read()) }),
  };
}

/** @param {Rule} rule @param {() => void} removeRule @returns {Part} */
function ruleRow(rule, removeRule) {
  const field = choice("Field", fieldsOf(), rule.field);
  const op = choice("Comparison", opsOf(rule.field), rule.op);
  const value = h("span", { class: "smart-value" });
  const showValue = (/** @type {unknown} */ given) => fill(value, ...valueInput(field.value, op.value, given));
  field.addEventListener("change", () => {
    fill(op, ...options(opsOf(field.value), ""));
    showValue(null);
  });
  op.addEventListener("change", () => {
    showValue(writeValue(field.value, op.value, readValue(field.value, op.value, value)));
  });
  showValue(writeValue(rule.field, rule.op, rule.value));
  return {
    element: h("li", { class: "smart-rule" }, field, op, value, iconButton("close", "Remove this rule", removeRule)),
    read: () => ({ field: field.value, op: op.value, value: readValue(field.value, op.value, value) }),
  };
}

/** @param {[string, string][]} choices @param {string} value */
function options(choices, value) {
  return choices.map(([each, text]) => h("option", { value: each, selected: each === value }, text));
}

/** @param {string} label @param {[string, string][]} choices @param {string} value */
function choice(label, choices, value) {
  return h("select", { "aria-label": label }, ...options(choices, value));
}
