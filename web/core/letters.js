// Finds where names with an initial begin in a sorted list, without reading the whole list.

const letters = /** @type {Record<string, string>} */ ({
  ø: "o", ł: "l", ß: "s", æ: "a", œ: "o", đ: "d", ð: "d", þ: "t", ı: "i", ħ: "h",
});

/** The initial by which the catalog sorts a name. @param {string | null | undefined} name */
export function initial(name) {
  const folded = (name ?? "").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const bare = folded.replace(/^[^\p{L}\p{N}]+/u, "").replace(/^(the|an|a) (?=.)/, "");
  const first = [...(bare || folded)][0] ?? "";
  return letters[first] ?? first;
}

/**
 * The index of the first row whose initial is the given one or follows it.
 * @template {{id: string}} T
 * @param {import("./pages.js").Pages<T>} pages sorted by nameOf
 * @param {(row: T) => string | null | undefined} nameOf
 * @param {string} wanted an initial; "" is the beginning @param {boolean} descending
 */
export async function findInitial(pages, nameOf, wanted, descending) {
  let [low, high] = [0, pages.total];
  if (wanted === "" && !descending) return 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = pages.at(middle) ?? (await pages.around(middle, 0, 0)).rows[0];
    if (row === undefined) break;
    const first = initial(nameOf(row));
    const isBefore = descending ? first > wanted && !first.startsWith(wanted) : first < wanted;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, Math.max(0, pages.total - 1));
}
