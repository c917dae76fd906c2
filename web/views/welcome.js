// The page for a visitor without a token: three ways to get one.

import { h } from "../core/dom.js";
import { claim, deviceName, idleTime, tabTime } from "../core/login.js";
import { saveToken } from "../core/token.js";
import { pairRequest } from "../parts/pair-request.js";

/** @param {string} [reason] why the token of this tab is not accepted */
export function welcome(reason) {
  const mine = h("input", { type: "checkbox", checked: true });
  let tabOnly = false; // as it was when access was requested
  const wanted = () => {
    tabOnly = !mine.checked;
    const lifetime = tabOnly ? { expires_in: tabTime } : { idle_expires_in: idleTime };
    return { name: deviceName(), permissions: ["read", "write"], ...lifetime };
  };
  const pairing = pairRequest("Request access", wanted, (id) => claim(id, { tabOnly }), () => location.reload());
  return h("main", { class: "welcome", id: "main" },
    h("div", { class: "welcome-card" },
      h("img", { src: "/web/icon.svg", alt: "", width: 72, height: 72 }),
      h("h1", null, "Waxwing"),
      h("p", { class: "lead-text" }, reason ?? "This page needs a token to use the player."),
      h("ol", { class: "ways" },
        h("li", null, h("h2", null, "On the computer that plays"),
          h("p", null, "Run this in a terminal. It signs in your browser."),
          h("code", { class: "command" }, "waxwing open")),
        h("li", null, h("h2", null, "On another device"),
          h("p", null, "Request access, then approve it on a Waxwing page that is open already, or in the terminal."),
          h("label", { class: "check" }, mine, h("span", null, "This is my device", h("small", null,
            "Stay signed in until it is not used for 30 days. Otherwise only this tab has access, for 12 hours."))),
          pairing),
        h("li", null, h("details", null, h("summary", null, "I have a token"), tokenForm())))));
}

function tokenForm() {
  const input = h("input", {
    type: "password", id: "token", name: "token", autocomplete: "off", spellcheck: "false", placeholder: "wxt_…",
    required: true,
  });
  const form = h("form", { class: "token-form" }, h("label", { for: "token" }, "Token"), input,
    h("button", { type: "submit", class: "button" }, "Use it"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    saveToken(input.value);
    location.reload();
  });
  return form;
}
