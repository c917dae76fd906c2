// Tells the owner that an overlay shows nothing. Its audience never sees why.

import { fill, h } from "../core/dom.js";
import { player } from "../core/player.js";

/** @type {Record<string, string>} */
const texts = {
  no_token: "An overlay shows nothing, because its address has no token. ",
  refused: "An overlay shows nothing, because its token is not valid any more. ",
};

export function overlayNotice() {
  const banner = h("p", { class: "banner", role: "status" });
  let timer = 0;
  player.addEventListener("overlay", (event) => {
    const { problem, expires_at: expires } = /** @type {CustomEvent} */ (event).detail;
    fill(banner, texts[problem], h("a", { href: "/overlay/new" }, "Create another address"));
    clearTimeout(timer);
    timer = window.setTimeout(() => fill(banner), Date.parse(expires) - Date.now());
  });
  return banner;
}
