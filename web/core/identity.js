// Checks that the server knows this tab's token before the token is sent: if the player has
// crashed, another program may have taken its port. See POST /identity in api/player.yaml.

import { hex, hmac, sha256 } from "./sha256.js";

/** @typedef {"verified" | "unknown" | "foreign" | "refused" | "unreachable"} Result */

const validFor = 1_000; // of a check while no event stream is open
const timeout = 10_000;

let streaming = false;
let verifiedAt = -Infinity;
let verifiedToken = "";
/** @type {{token: string, result: Promise<Result>} | null} */
let pending = null;

/**
 * Reports that the event stream was opened or closed. While it is open, the port belongs to the
 * server that was checked.
 * @param {boolean} open
 */
export function setStreaming(open) {
  streaming = open;
  if (!open) verifiedAt = -Infinity;
}

/** @param {string} token @returns {Promise<Result>} */
export async function checkServer(token) {
  if (token === verifiedToken && (streaming || performance.now() - verifiedAt < validFor)) return "verified";
  if (pending?.token !== token) pending = { token, result: askServer(token) };
  const current = pending;
  const result = await current.result;
  if (pending === current) pending = null;
  if (result === "verified") [verifiedAt, verifiedToken] = [performance.now(), token];
  // A server that was this token's does not forget it: this is another one.
  return result === "unknown" && token === verifiedToken ? "foreign" : result;
}

/** @param {string} token @returns {Promise<Result>} */
async function askServer(token) {
  const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const key = sha256(bytes(token));
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const fingerprint = hex(hmac(key, bytes("waxwing token fingerprint"))).slice(0, 32);
  const want = hex(hmac(key, bytes(`waxwing server identity\n${location.host.toLowerCase()}\n${nonce}`)));
  /** @type {Response} */
  let reply;
  try {
    reply = await fetch("/identity", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ fingerprint, nonce }),
      signal: AbortSignal.timeout(timeout), cache: "no-store", credentials: "omit", redirect: "error",
    });
  } catch {
    return "unreachable";
  }
  const content = await reply.json().catch(() => null);
  if (reply.ok && content?.signature === want) return "verified";
  if (reply.status === 401) return "unknown";
  if (reply.status === 403) return "refused";
  return reply.status >= 429 ? "unreachable" : "foreign";
}
