// The page of a catalog for a visitor without a key.

import { h } from "../core/dom.js";
import { saveDeviceToken, saveToken } from "../core/token.js";

/** @param {string} [reason] why the key is not accepted */
export function keyForm(reason) {
  const input = h("input", {
    type: "password", id: "key", name: "key", autocomplete: "off", spellcheck: "false", placeholder: "wxk_…",
    required: true, autofocus: true,
  });
  const keep = h("input", { type: "checkbox", id: "keep" });
  const form = h("form", { class: "key-form" },
    h("label", { for: "key" }, "Key"), input,
    h("label", { class: "keep", for: "keep" }, keep, h("span", null, "This is my device: keep the key here")),
    h("button", { type: "submit", class: "button primary" }, "Open the library"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    (keep.checked ? saveDeviceToken : saveToken)(input.value.trim());
    location.reload();
  });
  return h("main", { class: "welcome", id: "main" },
    h("div", { class: "welcome-card" },
      h("img", { src: "/web/icon.svg", alt: "", width: 72, height: 72 }),
      h("h1", null, "Waxwing"),
      h("p", { class: "lead-text" }, reason ?? "Listen to this library in your browser. You need a key."),
      form,
      h("p", { class: "by" }, "Who runs the catalog creates a key for you with ",
        h("code", null, "waxwing key create --name Web --user NAME --permission read --permission write"), ".")));
}
