// Shows whether the player is reachable.

import { setText } from "../core/dom.js";
import { player } from "../core/player.js";
import { serverName } from "../core/server.js";

export function connectionBanner() {
  const banner = document.createElement("p");
  banner.className = "banner";
  banner.setAttribute("role", "status");
  player.addEventListener("connection", () => {
    document.documentElement.dataset.connection = player.connection;
    const reason = player.offlineReason || `The ${serverName} is offline.`;
    setText(banner, player.connection === "offline" ? `${reason} Reconnecting…` : "");
  });
  return banner;
}
