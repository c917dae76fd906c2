// A menu of commands at a button or at the pointer; on a phone it is a sheet at the bottom.

import { catalog } from "../core/catalog.js";
import { h, setStyles } from "../core/dom.js";
import { icon } from "./icons.js";

/**
 * @typedef {{label: string, icon: import("./icons.js").IconName, run: () => void, danger?: boolean,
 *   checked?: boolean}} Command
 * @typedef {{label: string, rating: number, rate: (rating: number) => void}} Stars
 * @typedef {Command | Stars | null} Entry null is a separator
 */

/** @param {Element | {x: number, y: number}} at @param {Entry[]} entries @param {string} label */
export function openMenu(at, entries, label) {
  if (entries.length === 0) return;
  const opener = /** @type {HTMLElement | null} */ (document.activeElement);
  const menu = h("div", { class: "menu", popover: "auto", role: "menu", "aria-label": label });
  for (const entry of entries) {
    if (!entry) {
      menu.append(h("hr", { role: "separator" }));
      continue;
    }
    if ("rate" in entry) {
      menu.append(starRow(entry, () => menu.hidePopover()));
      continue;
    }
    const choose = () => { menu.hidePopover(); entry.run(); };
    const checkable = entry.checked !== undefined;
    menu.append(h("button", {
      type: "button", class: entry.danger ? "danger" : null, onclick: choose, tabindex: "-1",
      role: checkable ? "menuitemradio" : "menuitem", "aria-checked": checkable ? String(entry.checked) : null,
    }, icon(entry.icon), h("span", null, entry.label), entry.checked ? icon("check") : null));
  }
  menu.addEventListener("keydown", moveFocus);
  const release = catalog.hold();
  menu.addEventListener("toggle", (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === "open") return;
    menu.remove();
    release();
    if (document.activeElement === document.body || !document.activeElement) opener?.focus();
  });
  document.body.append(menu);
  menu.showPopover();
  setPosition(menu, at);
  /** @type {HTMLElement | null} */ (menu.querySelector("button"))?.focus();
}

/** @param {Stars} entry @param {() => void} close */
function starRow({ label, rating, rate }, close) {
  return h("div", { class: "menu-stars", role: "group", "aria-label": label },
    ...[1, 2, 3, 4, 5].map((n) => h("button", {
      type: "button", role: "menuitemradio", tabindex: "-1", "aria-checked": String(n === rating),
      "aria-label": n === rating ? "Remove the rating" : `Rate ${n} of 5`,
      onclick: () => { close(); rate(n === rating ? 0 : n); },
    }, icon(n <= rating ? "starred" : "star"))));
}

/** Whether a key opens the menu of a row. @param {KeyboardEvent} event */
export function isMenuKey({ key, shiftKey }) {
  return key === "ContextMenu" || key === "m" || (key === "F10" && shiftKey);
}

/** @param {HTMLElement} menu @param {Element | {x: number, y: number}} at */
function setPosition(menu, at) {
  const box = at instanceof Element ? at.getBoundingClientRect() : { left: at.x, right: at.x, top: at.y, bottom: at.y };
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.right - (at instanceof Element ? width : 0), innerWidth - width - 8));
  const below = box.bottom + 6;
  const top = below + height > innerHeight - 8 ? Math.max(8, box.top - height - 6) : below;
  setStyles(menu, { left: `${left}px`, top: `${top}px` });
}

/** @param {KeyboardEvent} event */
function moveFocus(event) {
  const items = [.../** @type {HTMLElement} */ (event.currentTarget).querySelectorAll("button")];
  const now = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const last = items.length - 1;
  const [next, previous] = [now < last ? now + 1 : 0, now > 0 ? now - 1 : last];
  const inStars = document.activeElement?.closest(".menu-stars");
  const to = {
    ArrowDown: next, ArrowUp: previous, Home: 0, End: last,
    ...(inStars && { ArrowRight: next, ArrowLeft: previous }),
  }[event.key];
  event.stopPropagation();
  if (event.key === "Tab") event.preventDefault();
  if (to === undefined) return;
  event.preventDefault();
  items[to]?.focus();
}
