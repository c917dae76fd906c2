// The order and the filters of a long list. They are in the address, so that Back returns to them;
// the order is also remembered by this device.

/**
 * @typedef {{sort: string, order: "asc" | "desc", genre: string, year: string, liked: boolean,
 *   role: string, seed: string}} ListQuery
 * @typedef {"songs" | "albums" | "artists"} ListName
 * @typedef {[string, string, "asc" | "desc"]} Sort value, label and usual direction
 */

/** @type {Record<ListName, Sort[]>} the first is the default */
export const sorts = {
  songs: [
    ["added", "Date added", "asc"], ["title", "Title", "asc"], ["artist", "Artist", "asc"],
    ["album", "Album", "asc"], ["year", "Year", "desc"], ["duration", "Length", "asc"], ["plays", "Plays", "desc"],
  ],
  albums: [
    ["title", "Title", "asc"], ["artist", "Artist", "asc"], ["year", "Year", "desc"],
    ["newest", "Date added", "desc"], ["recent", "Last played", "desc"], ["frequent", "Most played", "desc"],
    ["rating", "Rating", "desc"], ["random", "Random", "asc"],
  ],
  artists: [["name", "Name", "asc"]],
};

/** Orders that list only what was played or rated: they combine with no filter. */
export const personalSorts = ["recent", "frequent", "rating"];

/** @param {ListName} name */
const key = (name) => `waxwing.sort.${name}`;

/** @param {ListName} name @param {string} sort */
function usualOrder(name, sort) {
  return sorts[name].find(([value]) => value === sort)?.[2] ?? "asc";
}

/** @param {ListName} name @param {URLSearchParams} query of the address @returns {ListQuery} */
export function readQuery(name, query) {
  const [storedSort = "", storedOrder = ""] = (localStorage.getItem(key(name)) ?? "").split(" ");
  const filtered = ["genre", "year", "liked"].some((each) => query.has(each));
  const known = (/** @type {string} */ sort) => sorts[name].some(([value]) => value === sort);
  let sort = query.get("sort") ?? storedSort;
  if (!known(sort) || (filtered && personalSorts.includes(sort))) sort = sorts[name][0]?.[0] ?? "";
  const order = query.get("order") ?? (query.has("sort") || sort !== storedSort ? "" : storedOrder);
  return {
    sort, order: order === "asc" || order === "desc" ? order : usualOrder(name, sort),
    genre: query.get("genre") ?? "", year: query.get("year") ?? "", liked: query.get("liked") === "true",
    role: query.get("role") ?? "", seed: query.get("seed") ?? "1",
  };
}

/** @param {ListName} name @param {ListQuery} q */
export function rememberSort(name, { sort, order }) {
  localStorage.setItem(key(name), `${sort} ${order}`);
}

/** @param {ListName} name @param {ListQuery} q */
export function addressOf(name, q) {
  const params = new URLSearchParams({ ...filters(q), sort: q.sort, order: q.order });
  if (q.role) params.set("role", q.role);
  if (q.sort === "random") params.set("seed", q.seed);
  return `#/${name}?${params}`;
}

/** @param {ListQuery} q @returns {Record<string, string>} */
function filters({ genre, year, liked }) {
  return { ...(genre && { genre }), ...(year && { year }), ...(liked && { liked: "true" }) };
}

/** The query of the catalog API. @param {ListName} name @param {ListQuery} q */
export function apiQuery(name, q) {
  const isDefault = q.sort === sorts[name][0]?.[0] && q.order === usualOrder(name, q.sort);
  const params = new URLSearchParams(filters(q));
  if (!isDefault && name !== "artists") {
    params.set("sort", q.sort);
    params.set("order", q.order);
  }
  if (q.sort === "random") params.set("seed", q.seed);
  if (q.role) params.set("role", q.role);
  return params.toString();
}

/** All songs of the things that a list shows, if its filters select songs. @param {ListQuery} q */
export function songsQuery(q) {
  return new URLSearchParams(filters(q)).toString();
}

/** @param {ListQuery} q */
export function isFiltered(q) {
  return Boolean(q.genre || q.year || q.liked || q.role);
}
