// Which server sent this page: a player, or a catalog, which has no output of its own.

export const isCatalogPage = document.documentElement.dataset.server === "catalog";

/** What messages call the server. */
export const serverName = isCatalogPage ? "catalog" : "player";
