// Shows whether the player is reachable.

import { setText } from "../core/dom.js";
import { player } from "../core/player.js";

export function connectionBanner() {
  const banner = document.createElement("p");
  banner.className = "banner";
  banner.setAttribute("role", "status");
  player.addEventListener("connection", () => {
    document.documentElement.dataset.connection = player.connection;
    setText(banner, player.connection === "offline" ? reason() : "");
  });
  return banner;
}

function reason() {
  return player.isWrongServer
    ? "Another program answers at the address of the player. Your token was not sent to it. Reconnecting…"
    : "The player is offline. Reconnecting…";
}
