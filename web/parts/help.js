// The help dialog with the keyboard shortcuts.

import { h } from "../core/dom.js";
import { singleKeySetting } from "../core/keyboard.js";
import { showDialog } from "./dialog.js";

/** @type {[string, [string, string][]][]} */
const sections = [
  ["Everywhere", [
    ["Space", "Play or pause"], ["← →", "Back or forward 5 seconds"], ["Shift ← →", "Previous or next track"],
    ["↑ ↓", "Louder or quieter"], ["m", "Mute"], ["s", "Shuffle"], ["r", "Repeat"], ["q", "Show the queue"],
    ["n", "Show the current track"], ["/", "Search"], ["Ctrl Z", "Undo a change of the queue"], ["?", "This help"],
  ]],
  ["In lists", [
    ["↑ ↓ Home End", "Move"], ["Enter", "Play"], ["m", "More about a song"],
    ["l", "Like"], ["1 – 5", "Rate; 0 removes the rating"], ["x", "Select"], ["Shift ↑ ↓", "Select several"],
    ["Ctrl A", "Select all"],
    ["Alt ↑ ↓", "Reorder the queue or a playlist"], ["Delete", "Remove from the queue or a playlist"],
  ]],
];

export function showHelp() {
  const row = (/** @type {[string, string]} */ [keys, text]) =>
    [h("dt", null, ...keys.split(" ").map((key) => h("kbd", null, key))), h("dd", null, text)];
  const note = "Single-key shortcuts are turned off in Settings: keys that type a character work in lists only.";
  return showDialog("Keyboard", () => [
    ...(singleKeySetting.enabled ? [] : [h("p", { class: "by" }, note)]),
    h("div", { class: "keys" }, ...sections.map(([title, rows]) =>
      h("section", null, h("h3", null, title), h("dl", null, ...rows.flatMap(row))))),
  ], { wide: true });
}
