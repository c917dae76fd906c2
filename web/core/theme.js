// Light or dark, and the accent colour: settings of this device.

const themeKey = "waxwing.theme";
const accentKey = "waxwing.accent";

/** @type {[string, string][]} */
export const themes = [["system", "Like this device"], ["light", "Light"], ["dark", "Dark"]];

/** @type {[string, string][]} */
export const accents = [
  ["amber", "Amber"], ["red", "Red"], ["pink", "Pink"], ["violet", "Violet"], ["blue", "Blue"], ["green", "Green"],
];

/**
 * @param {string} key @param {[string, string][]} choices
 * @returns {{value: string}} the first choice if none is stored
 */
function stored(key, choices) {
  return {
    get value() {
      const value = localStorage.getItem(key);
      return choices.find(([each]) => each === value)?.[0] ?? choices[0]?.[0] ?? "";
    },
    set value(value) {
      localStorage.setItem(key, value);
      applyTheme();
    },
  };
}

export const themeSetting = stored(themeKey, themes);
export const accentSetting = stored(accentKey, accents);

export function applyTheme() {
  document.documentElement.dataset.theme = themeSetting.value;
  document.documentElement.dataset.accent = accentSetting.value;
}
