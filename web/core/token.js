// The token of this page. It arrives in the fragment, which no server and no log sees, and is
// removed from the address at once. The login of a device is stored for this origin, port included,
// other tokens for this tab. A cookie would be sent to every port of the host.

let key = "waxwing.token";

/** Where the builder of overlays stores the read-only token of the last address. */
export const overlaySecret = "waxwing.overlay-address";

/** The overlay has a token of its own, also in a tab that had one for the player. */
export function useOverlayToken() {
  key = "waxwing.overlay-token";
}

/**
 * Moves a token from the address into the tab's storage.
 * @returns {{claim: string | null, tabOnly: boolean}} the id of a pairing request, if the address
 *   has that instead, and whether its token is for this tab only
 */
export function readTokenFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get("token");
  const claim = given.get("claim");
  if (token) saveToken(token);
  if (token || claim) history.replaceState(null, "", location.pathname + location.search);
  return { claim, tabOnly: given.has("tab") };
}

/** Stores a token for this tab. @param {string} token */
export function saveToken(token) {
  sessionStorage.setItem(key, token.trim());
}

/** Stores the login of this device. It replaces the token of this tab. @param {string} token */
export function saveDeviceToken(token) {
  localStorage.setItem(key, token);
  sessionStorage.removeItem(key);
}

/** Forgets the token in use. */
export function removeToken() {
  (isDeviceLogin() ? localStorage : sessionStorage).removeItem(key);
}

/** @returns {string | null} the token of this tab or, without one, the login of this device */
export function token() {
  return sessionStorage.getItem(key) ?? deviceToken();
}

/** @returns {string | null} */
export function deviceToken() {
  return localStorage.getItem(key);
}

/** Whether the token in use is the login of this device. */
export function isDeviceLogin() {
  return sessionStorage.getItem(key) === null && deviceToken() !== null;
}
