// Creates elements by function call. Strings become text nodes, so no tag and no file name is ever
// parsed as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Creates an element. Properties that begin with "on" are listeners, boolean values set or omit an
 * attribute, and all others are attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  fill(element, ...children);
  return element;
}

/**
 * Replaces the children of an element.
 * @param {Element} element @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  const nodes = /** @type {(Node | string)[]} */ ([]);
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    nodes.push(child instanceof Node ? child : String(child));
  }
  element.replaceChildren(...nodes);
}

/**
 * Sets text if it differs, so that screen readers do not repeat it.
 * @param {Element} element @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * @param {Element} element
 * @param {Record<string, string>} properties custom properties or plain ones
 */
export function setStyles(element, properties) {
  const { style } = /** @type {HTMLElement} */ (element);
  for (const [name, value] of Object.entries(properties)) style.setProperty(name, value);
}

/** Whether keys typed in an element are its input. @param {unknown} target */
export function acceptsText(target) {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");
}
