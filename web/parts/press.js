// Starts a row: by a double click of the mouse, which is also used to select and drag, or by one
// tap.

/**
 * @param {HTMLElement} element @param {() => void} start
 */
export function playOnPress(element, start) {
  const isTouch = () => matchMedia("(hover: none)").matches;
  const within = (/** @type {Event} */ { target }, /** @type {string} */ selector) =>
    target instanceof Element && target.closest(selector) !== null;
  element.addEventListener("dblclick", (event) => {
    if (!isTouch() && !within(event, "button, a, .handle")) start();
  });
  element.addEventListener("click", (event) => {
    if (!isTouch() || within(event, "button, .handle")) return;
    event.preventDefault(); // the names are links too small to tap; the menu has them too
    start();
  });
}
