// The page for a visitor without a token: three ways to get one.

import { h, fill, setText } from "../core/dom.js";
import { ResponseError, post } from "../core/http.js";
import { claim, deviceName, idleTime, tabTime } from "../core/login.js";
import { saveToken } from "../core/token.js";
import { button } from "../parts/controls.js";

/** @param {string} [reason] why the token of this tab is not accepted */
export function welcome(reason) {
  const pairing = h("div", { class: "pairing", role: "status" });
  const mine = h("input", { type: "checkbox", checked: true });
  const requestAccess = () => void pair(pairing, !mine.checked, requestAccess);
  fill(pairing, button("Request access", requestAccess, { kind: "primary" }));
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

/**
 * Requests a token and waits for a person to approve it.
 * @param {HTMLElement} content @param {boolean} tabOnly @param {() => void} again
 */
async function pair(content, tabOnly, again) {
  const retry = (/** @type {string} */ text) =>
    fill(content, h("p", { class: "by" }, text), button("Request again", again, { kind: "primary" }));
  try {
    const lifetime = tabOnly ? { expires_in: tabTime } : { idle_expires_in: idleTime };
    const { id, code, expires_at: expires } =
      await post("/pair", { name: deviceName(), permissions: ["read", "write"], ...lifetime });
    const left = h("p", { class: "by", "aria-live": "off" });
    fill(content,
      h("p", { class: "pair-code", "aria-label": `Code ${code.split("").join(" ")}` }, code),
      h("p", { class: "by" }, "Approve this code where Waxwing is open, or run ",
        h("code", null, `waxwing pair approve ${code}`), "."), left);
    for (let seconds; (seconds = Math.ceil((Date.parse(expires) - Date.now()) / 1000)) >= 0;) {
      setText(left, `Waiting… ${seconds} s left`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (!content.isConnected) return;
      if (await claim(id, { tabOnly })) return location.reload();
    }
    retry("Nobody approved the request in time.");
  } catch (error) {
    if (error instanceof ResponseError && error.status === 404) retry("The request was refused or has expired.");
    else retry(error instanceof Error ? error.message : "An unexpected error occurred.");
  }
}
