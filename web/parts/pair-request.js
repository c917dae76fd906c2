// Requests a token and waits for a person to approve it. The request ends when the page is closed.

import { h, fill, setText } from "../core/dom.js";
import { ResponseError, post } from "../core/http.js";
import { button } from "./controls.js";

const pollWithin = 15; // s; a page that does not ask for its token for so long has left

/**
 * A button that shows a code when it is pressed, and then waits.
 * @param {string} label
 * @param {() => Record<string, unknown>} wanted the body of POST /pair
 * @param {(id: string) => Promise<boolean>} claim fetches the token; whether it was approved
 * @param {() => void} approved
 */
export function pairRequest(label, wanted, claim, approved) {
  const content = h("div", { class: "pairing", role: "status" });
  const retry = (/** @type {string} */ text) =>
    fill(content, h("p", { class: "by" }, text), button("Request again", () => void run(), { kind: "primary" }));
  const run = async () => {
    const waiting = new AbortController();
    try {
      const { id, code, expires_at: expires } = await post("/pair", { ...wanted(), poll_within: pollWithin });
      addEventListener("pagehide", () => cancel(id), { signal: waiting.signal });
      const left = h("p", { class: "by", "aria-live": "off" });
      fill(content,
        h("p", { class: "pair-code", "aria-label": `Code ${code.split("").join(" ")}` }, code),
        h("p", { class: "by" }, "Approve this code where Waxwing is open, or run ",
          h("code", null, `waxwing pair approve ${code}`), "."), left);
      for (let seconds; (seconds = Math.ceil((Date.parse(expires) - Date.now()) / 1000)) >= 0;) {
        setText(left, `Waiting… ${seconds} s left`);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (!content.isConnected) return cancel(id);
        if (await claim(id)) return approved();
      }
      retry("Nobody approved the request in time.");
    } catch (error) {
      if (error instanceof ResponseError && error.status === 404) retry("The request was refused or has expired.");
      else retry(error instanceof Error ? error.message : "An unexpected error occurred.");
    } finally {
      waiting.abort();
    }
  };
  fill(content, button(label, () => void run(), { kind: "primary" }));
  return content;
}

/** Ends a request. The browser sends it also while the page is closed. @param {string} id */
function cancel(id) {
  void fetch("/pair/cancel", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ id }), keepalive: true,
    credentials: "omit", redirect: "error",
  }).catch(() => undefined);
}
