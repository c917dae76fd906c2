// How a row that plays is pressed: twice with a mouse, which may also mark or drag; once with a finger.

/**
 * @param {HTMLElement} element @param {() => void} start
 */
export function playOnPress(element, start) {
  const fingers = () => matchMedia("(hover: none)").matches;
  const within = (/** @type {Event} */ event, /** @type {string} */ what) => event.target instanceof Element && event.target.closest(what) !== null;
  element.addEventListener("dblclick", (event) => { if (!fingers() && !within(event, "button, a, .handle")) start(); });
  element.addEventListener("click", (event) => {
    if (!fingers() || within(event, "button, .handle")) return;
    event.preventDefault(); // names are links too small for a finger; the menu leads there
    start();
  });
}
