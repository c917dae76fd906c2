// The token of this tab. It comes in the fragment, which no server and no log ever sees, leaves the address at once and is
// kept for this tab only.

let key = "waxwing.token";

/** The overlay has a token of its own, also in a tab that held the player before. */
export function useOverlayToken() {
  key = "waxwing.overlay-token";
}

/** Takes the token out of the address, if there is one. @returns {{claim: string | null}} an id to fetch a token with, if that came instead */
export function readTokenFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  const claim = given.get("claim");
  if (token) keep(token);
  if (token || claim) history.replaceState(null, "", location.pathname + location.search);
  return { claim };
}

/** @param {string} token */
export function keep(token) {
  sessionStorage.setItem(key, token.trim());
}

export function forget() {
  sessionStorage.removeItem(key);
}

/** @returns {string | null} */
export function token() {
  return sessionStorage.getItem(key);
}
