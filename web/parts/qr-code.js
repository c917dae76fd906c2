// A QR code, drawn from the rows that the server computed.

const namespace = "http://www.w3.org/2000/svg";
const margin = 4; // as the standard requires

/**
 * @param {string[]} rows of 0 and 1, where 1 is dark
 * @param {string} label
 * @returns {SVGElement}
 */
export function qrCode(rows, label) {
  const size = rows.length + 2 * margin;
  const svg = create("svg", { class: "qr-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label });
  const dark = rows.flatMap((row, y) => [...row].map((cell, x) =>
    (cell === "1" ? `M${x + margin} ${y + margin}h1v1h-1z` : "")));
  svg.append(create("rect", { width: size, height: size, fill: "#fff" }), create("path", { d: dark.join("") }));
  return svg;
}

/** @param {string} tag @param {Record<string, string | number>} attributes */
function create(tag, attributes) {
  const element = /** @type {SVGElement} */ (document.createElementNS(namespace, tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
