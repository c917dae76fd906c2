// The token of this tab. It arrives in the fragment, which no server and no log sees, is removed
// from the address at once and is stored for this tab only.

let key = "waxwing.token";

/** The overlay has a token of its own, also in a tab that had one for the player. */
export function useOverlayToken() {
  key = "waxwing.overlay-token";
}

/**
 * Moves a token from the address into the tab's storage.
 * @returns {{claim: string | null}} the id of a pairing request, if the address has that instead
 */
export function readTokenFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  const claim = given.get("claim");
  if (token) saveToken(token);
  if (token || claim) history.replaceState(null, "", location.pathname + location.search);
  return { claim };
}

/** @param {string} token */
export function saveToken(token) {
  sessionStorage.setItem(key, token.trim());
}

export function removeToken() {
  sessionStorage.removeItem(key);
}

/** @returns {string | null} */
export function token() {
  return sessionStorage.getItem(key);
}
