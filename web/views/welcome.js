// For a visitor without a token: three ways to get one.

import { h, fill, setText } from "../core/dom.js";
import { ResponseError, post, request } from "../core/http.js";
import { keep } from "../core/token.js";
import { button } from "../parts/controls.js";

/** @param {string} [reason] why the token of this tab did not do */
export function welcome(reason) {
  const pairing = h("div", { class: "pairing", role: "status" });
  const start = () => void pair(pairing, start);
  fill(pairing, button("Ask for access", start, { kind: "primary" }));
  const input = h("input", { type: "password", id: "token", name: "token", autocomplete: "off", spellcheck: "false", placeholder: "wxt_…", required: true });
  const form = h("form", { class: "token-form" }, h("label", { for: "token" }, "Token"), input, h("button", { type: "submit", class: "button" }, "Use it"));
  form.addEventListener("submit", (event) => { event.preventDefault(); keep(input.value); location.reload(); });
  return h("main", { class: "welcome", id: "main" },
    h("div", { class: "welcome-card" },
      h("img", { src: "/web/icon.svg", alt: "", width: 72, height: 72 }),
      h("h1", null, "Waxwing"),
      h("p", { class: "lead-text" }, reason ?? "This player belongs to somebody. If that is you, let this page in."),
      h("ol", { class: "ways" },
        h("li", null, h("h2", null, "On the computer that plays"), h("p", null, "Run this in a terminal. It opens this page with a token in hand."), h("code", { class: "command" }, "waxwing open")),
        h("li", null, h("h2", null, "On another device"), h("p", null, "Ask, and approve it in a Waxwing page that is already open, or in the terminal."), pairing),
        h("li", null, h("details", null, h("summary", null, "I have a token"), form)))));
}

/** Asks for a token and waits for a person to approve. @param {HTMLElement} place @param {() => void} again */
async function pair(place, again) {
  const retry = (/** @type {string} */ text) => fill(place, h("p", { class: "by" }, text), button("Ask again", again, { kind: "primary" }));
  try {
    const { id, code, expires_at: expires } = await post("/pair", { name: `Web player on ${device()}`, permissions: ["read", "write"] });
    const left = h("p", { class: "by", "aria-live": "off" });
    fill(place, h("p", { class: "pair-code", "aria-label": `Code ${code.split("").join(" ")}` }, code), h("p", { class: "by" }, "Compare this code where Waxwing is open, or run ", h("code", null, `waxwing pair approve ${code}`), "."), left);
    for (let seconds; (seconds = Math.ceil((Date.parse(expires) - Date.now()) / 1000)) >= 0;) {
      setText(left, `Waiting… ${seconds} s left`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (!place.isConnected) return;
      if (await claim(id)) return location.reload();
    }
    retry("Nobody approved it in time.");
  } catch (error) {
    retry(error instanceof ResponseError && error.status === 404 ? "The request has ended." : error instanceof Error ? error.message : "That did not work.");
  }
}

/** Fetches the token of an approved request. @param {string} id @returns {Promise<boolean>} whether it was approved */
export async function claim(id) {
  const reply = await request("POST", "/pair/claim", { id });
  if (reply.status !== 200) return false;
  keep((await reply.json()).token);
  return true;
}

function device() {
  const agent = navigator.userAgent;
  const kinds = /** @type {[RegExp, string][]} */ ([[/iPhone/, "an iPhone"], [/iPad/, "an iPad"], [/Android/, "an Android device"], [/Macintosh/, "a Mac"], [/Windows/, "a Windows PC"], [/Linux|X11/, "a Linux PC"]]);
  return kinds.find(([pattern]) => pattern.test(agent))?.[1] ?? "another device";
}
