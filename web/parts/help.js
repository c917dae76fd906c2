// The keys, as the help dialog lists them.

import { h } from "../core/dom.js";
import { singleKeySetting } from "../core/keyboard.js";
import { showDialog } from "./dialog.js";

const keys = /** @type {[string, [string, string][]][]} */ ([
  ["Everywhere", [
    ["Space", "Play or pause"], ["← →", "Back or forward 5 seconds"], ["Shift ← →", "Previous or next track"], ["↑ ↓", "Louder or quieter"],
    ["m", "Mute"], ["s", "Shuffle"], ["r", "Repeat"], ["q", "Show the queue"], ["n", "Show what plays"], ["/", "Search"], ["?", "This help"],
  ]],
  ["In lists", [
    ["↑ ↓ Home End", "Move"], ["Enter", "Play"], ["m", "More about a song"], ["Alt ↑ ↓", "Reorder the queue or a playlist"], ["Delete", "Remove from the queue or a playlist"],
  ]],
]);

export function showHelp() {
  return showDialog("Keyboard", () => [...(singleKeySetting.wanted ? [] : [h("p", { class: "by" }, "Single keys are turned off in Settings: those that type a character do nothing outside of lists.")]), h("div", { class: "keys" }, ...keys.map(([title, rows]) => h("section", null, h("h3", null, title),
    h("dl", null, ...rows.flatMap(([key, text]) => [h("dt", null, ...key.split(" ").map((k) => h("kbd", null, k))), h("dd", null, text)])))))], { wide: true });
}
