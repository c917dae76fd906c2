// Replaces the parts of a screen that have changed. What has not changed stays in the document,
// with its scroll position and its focus.

/**
 * @param {HTMLElement} screen in the document
 * @param {HTMLElement} next the same screen, built from newer data
 */
export function updateInPlace(screen, next) {
  const focused = screen.contains(document.activeElement) ? document.activeElement : null;
  const added = /** @type {Element[]} */ ([]);
  const removed = /** @type {Element[]} */ ([]);
  screen.className = next.className;
  let at = screen.firstElementChild;
  const remove = (/** @type {Element} */ section) => { at = section.nextElementSibling; removed.push(section); };
  for (const section of [...next.children]) {
    const same = findSame(at, section);
    while (same && at && at !== same) remove(at);
    if (same) at = same.nextElementSibling;
    else {
      screen.insertBefore(section, at);
      added.push(section);
    }
  }
  while (at) remove(at);
  for (const section of added) carryOver(removed.find((old) => heading(old) === heading(section)), section);
  for (const section of removed) section.remove();
  if (focused && !focused.isConnected) restoreFocus(focused, screen);
}

/**
 * The next section that looks like this one.
 * @param {Element | null} at @param {Element} section
 */
function findSame(at, section) {
  const wanted = appearance(section);
  for (let each = at; each; each = each.nextElementSibling) if (appearance(each) === wanted) return each;
  return null;
}

/**
 * What a section shows and what its buttons act on. A long list and the progress of a scan update
 * themselves. Data that buttons use but nothing shows is in data-content.
 * @param {Element} section
 */
function appearance(section) {
  const label = section.getAttribute("aria-label") ?? "";
  if (section.matches("wax-list, wax-scan-progress")) return `${section.localName} ${label}`;
  const links = [section, ...section.querySelectorAll("[data-content], [href], [src]")].map((each) =>
    ["data-content", "href", "src"].map((name) => each.getAttribute(name) ?? "").join(" "));
  return [section.localName, section.className, label, section.textContent, ...links].join("\n");
}

/** @param {Element} section */
function heading(section) {
  return `${section.localName} ${section.querySelector("h1, h2")?.textContent ?? ""}`;
}

/**
 * Keeps loaded pictures and the scroll position of a shelf.
 * @param {Element | undefined} from @param {Element} to
 */
function carryOver(from, to) {
  if (!from) return;
  const pictures = new Map([...from.querySelectorAll("img")].map((image) => [image.getAttribute("src"), image]));
  for (const image of to.querySelectorAll("img")) {
    const loaded = pictures.get(image.getAttribute("src"));
    if (!loaded) continue;
    pictures.delete(image.getAttribute("src"));
    image.replaceWith(loaded);
  }
  const [before, after] = [from.querySelector(".shelf-cards"), to.querySelector(".shelf-cards")];
  if (before && after) after.scrollLeft = before.scrollLeft;
}

/**
 * Focuses what stands for an element that was replaced.
 * @param {Element} focused @param {HTMLElement} screen
 */
function restoreFocus(focused, screen) {
  const name = (/** @type {Element} */ each) => each.getAttribute("aria-label") ?? each.textContent;
  const candidates = /** @type {NodeListOf<HTMLElement>} */ (screen.querySelectorAll(focused.localName));
  const same = [...candidates].find((each) => name(each) === name(focused));
  (same ?? screen.closest("main"))?.focus({ preventScroll: true });
}
