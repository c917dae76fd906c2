// The login of this device: created, ended, and what it is called in lists.

import { request } from "./http.js";
import {
  deviceToken, isDeviceLogin, overlaySecret, removeToken, saveDeviceToken, saveToken, token,
} from "./token.js";

export const idleTime = 30 * 24 * 3600; // s without use after which the login of a device expires
export const tabTime = 12 * 3600; // s for which a tab has access that is not on a device of the user

/**
 * Fetches the token of an approved request.
 * @param {string} id @param {{tabOnly: boolean}} options
 * @returns {Promise<boolean>} whether it was approved
 */
export async function claim(id, { tabOnly }) {
  const reply = await request("POST", "/pair/claim", { id, name: deviceName() });
  if (reply.status !== 200) return false;
  const { token: claimed } = await reply.json();
  if (tabOnly) saveToken(claimed);
  else await replaceLogin(claimed);
  return true;
}

/** Signs in this device with the permissions of the token in use, which must include keys. */
export async function signInDevice() {
  const { token: own } = await (await request("GET", "/token")).json();
  const wanted = { name: deviceName(), permissions: own.permissions, idle_expires_in: idleTime };
  const { secret } = await (await request("POST", "/tokens", wanted)).json();
  await replaceLogin(secret);
}

/**
 * Ends the login of this device, or forgets the token of this tab. The address of an overlay works
 * on, but this browser forgets its token.
 */
export async function logOut() {
  const ended = token();
  const device = isDeviceLogin();
  if (ended && device) await revoke(ended);
  removeToken();
  localStorage.removeItem(overlaySecret);
}

/** Saves a login. The one before would stay in the list of devices. @param {string} secret */
async function replaceLogin(secret) {
  const before = deviceToken();
  saveDeviceToken(secret);
  if (before && before !== secret) await revoke(before);
}

/** Revokes a token of this device. Without a reply it expires by itself. @param {string} secret */
async function revoke(secret) {
  try {
    const { token: { id } } = await (await request("GET", "/token", undefined, { secret })).json();
    await request("POST", "/token/revoke", { id }, { secret });
  } catch {
    // It is invalid already, or the player is offline.
  }
}

/** @returns {string} such as “Firefox on Android” */
export function deviceName() {
  const agent = navigator.userAgent;
  /** @param {[RegExp, string][]} kinds @param {string} other */
  const first = (kinds, other) => kinds.find(([pattern]) => pattern.test(agent))?.[1] ?? other;
  const browser = first([
    [/Edg/, "Edge"], [/OPR/, "Opera"], [/Firefox|FxiOS/, "Firefox"], [/Chrome|CriOS/, "Chrome"], [/Safari/, "Safari"],
  ], "Web player");
  const system = first([
    [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Macintosh/, "Mac"], [/Windows/, "Windows"],
    [/CrOS/, "ChromeOS"], [/Linux|X11/, "Linux"],
  ], "another device");
  return `${browser} on ${system}`;
}
