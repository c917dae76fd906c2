// The settings of light, dark and the accent colour.

import { h } from "../core/dom.js";
import { accentSetting, accents, themeSetting, themes } from "../core/theme.js";

export function appearancePanel() {
  return h("section", { class: "panel", "aria-label": "Appearance" }, h("h2", null, "Appearance"),
    choices("Theme", "theme", themes, themeSetting, false),
    choices("Accent colour", "accent", accents, accentSetting, true));
}

/**
 * @param {string} title @param {string} name @param {[string, string][]} values
 * @param {{value: string}} setting @param {boolean} coloured whether each value shows its colour
 */
function choices(title, name, values, setting, coloured) {
  return h("fieldset", { class: "choices" }, h("legend", null, title), ...values.map(([value, label]) => {
    const input = h("input", { type: "radio", name, value, checked: setting.value === value });
    input.addEventListener("change", () => { setting.value = value; });
    return h("label", null, input, coloured && h("span", { class: "swatch", "data-accent": value }), label);
  }));
}
