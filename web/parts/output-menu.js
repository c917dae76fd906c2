// The choice of an output: one of the player's machine, or this browser.

import { playHere, playOnMachine } from "../core/hand-over.js";
import { get } from "../core/http.js";
import { showError } from "../core/notices.js";
import { player } from "../core/player.js";
import { isCatalogPage } from "../core/server.js";
import { iconButton, showIcon } from "./controls.js";
import { LiveElement } from "./live-element.js";
import { openMenu } from "./menu.js";

/** A button that opens a menu of the outputs. */
class OutputButton extends LiveElement {
  constructor() {
    super();
    const open = (/** @type {MouseEvent} */ event) => void openOutputs(/** @type {Element} */ (event.currentTarget));
    const button = iconButton("speaker", "Choose an output", open, { class: "output", "aria-haspopup": "menu" });
    const show = () => {
      if (player.playsHere) showIcon(button, "headphones", "Output: this browser");
      else showIcon(button, "speaker", "Choose an output");
    };
    this.whileConnected((signal) => {
      this.replaceChildren(button);
      player.addEventListener("output", show, { signal });
      show();
    });
  }
}

export function outputButton() {
  return document.createElement("wax-output");
}

/** @param {Element} at */
async function openOutputs(at) {
  const machine = isCatalogPage ? [] : await machineOutputs();
  openMenu(at, [...machine, {
    label: "This browser", icon: "headphones", checked: player.playsHere, run: playHere,
  }], "Outputs");
}

/** @returns {Promise<import("./menu.js").Entry[]>} none while the player does not reply */
async function machineOutputs() {
  try {
    const outputs = /** @type {import("../core/types.js").Output[]} */ ((await get("/outputs")).outputs);
    return outputs.map(({ id, name, active }) => ({
      label: name, icon: "speaker", checked: active && !player.playsHere,
      run: () => (player.playsHere ? playOnMachine(active ? undefined : id) : void player.command("/outputs", { id })),
    }));
  } catch (error) {
    showError(error);
    return [];
  }
}

customElements.define("wax-output", OutputButton);
