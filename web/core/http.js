// Requests to this server, which is the only one the page talks to.

import { checkServer } from "./identity.js";
import { isCatalogPage, serverName } from "./server.js";
import { token } from "./token.js";

/** The server replied with an error. Its message is written for people. */
export class ResponseError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The server did not reply. */
export class Unreachable extends Error {
  constructor(message = `The ${serverName} does not respond. Is it still running?`) {
    super(message);
  }
}

/** The token was not sent, because the server is another one or refuses this page. */
export class WrongServer extends Unreachable {}

const credential = isCatalogPage ? "key" : "token";
const foreign = `Another program answers at the address of the ${serverName}. ` +
  `The ${credential} of this tab was not sent to it.`;
const refused = `The ${serverName} refuses requests of this page. Behind a proxy, the setting ` +
  `${isCatalogPage ? "public-url" : "player-public-url"} must be the address of this page.`;

/** The version in the server's last reply. */
export const server = { version: "" };

/**
 * Dispatches "etag" with the ETag of each reply that has one, and "denied" with the error if the
 * server does not accept the credential of this page.
 */
export const replies = new EventTarget();

/**
 * @param {string} method @param {string} path @param {unknown} [body]
 * @param {{signal?: AbortSignal, accept?: string, headers?: Record<string, string>, secret?:
 *   string | null}} [options] secret: a token in place of that of this page
 * @returns {Promise<Response>} a reply that is not an error
 */
export async function request(method, path, body, options = {}) {
  const { signal, accept = "application/json", secret = token() } = options;
  let { headers = {} } = options;
  if (secret) await requireServer(secret, signal);
  if (secret && isCatalogPage) headers = { ...headers, "X-Api-Key": secret };
  else if (secret) headers = { ...headers, Authorization: `Bearer ${secret}` };
  if (body !== undefined) headers = { ...headers, "Content-Type": "application/json" };
  /** @type {Response} */
  let reply;
  try {
    reply = await fetch(path, {
      method, signal, headers: { ...headers, Accept: accept },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", credentials: "omit", redirect: "error",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  server.version = reply.headers.get("X-Waxwing-Version") ?? server.version;
  const etag = reply.headers.get("ETag");
  if (etag) replies.dispatchEvent(new CustomEvent("etag", { detail: etag }));
  if (reply.ok || reply.status === 304) return reply;
  const content = await reply.json().catch(() => null);
  const text = sentence(content?.error) || `The server replied with status ${reply.status}.`;
  const error = new ResponseError(reply.status, text);
  const isDenial = error.status === 401 && secret !== null && secret === token();
  if (isDenial) replies.dispatchEvent(new CustomEvent("denied", { detail: error }));
  throw error;
}

/**
 * Throws unless the server knows the token.
 * @param {string} secret @param {AbortSignal} [signal]
 */
async function requireServer(secret, signal) {
  const result = await checkServer(secret);
  signal?.throwIfAborted();
  if (result === "unreachable") throw new Unreachable();
  if (result === "foreign") throw new WrongServer(foreign);
  if (result === "refused") throw new WrongServer(refused);
  if (result !== "unknown") return;
  throw new ResponseError(401, `This ${serverName} does not know the ${credential} of this tab.`);
}

/** Errors of the API begin in lower case; on a page they are sentences. @param {unknown} text */
function sentence(text) {
  if (typeof text !== "string" || text === "") return "";
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** @template [T=any] @param {string} path @param {AbortSignal} [signal] @returns {Promise<T>} */
export async function get(path, signal) {
  return (await request("GET", path, undefined, { signal })).json();
}

/**
 * A conditional request: null when the server replies that the content still has this ETag.
 * @template [T=any] @param {string} path @param {string} [etag] @param {AbortSignal} [signal]
 * @returns {Promise<{etag: string, body: T} | null>}
 */
export async function getIfChanged(path, etag, signal) {
  const reply = await request("GET", path, undefined, { signal, headers: etag ? { "If-None-Match": etag } : {} });
  return reply.status === 304 ? null : { etag: reply.headers.get("ETag") ?? "", body: await reply.json() };
}

/** @template [T=any] @param {string} path @param {unknown} [body] @returns {Promise<T>} */
export async function post(path, body) {
  return (await request("POST", path, body)).json();
}

/** @template [T=any] @param {string} path @param {unknown} body @returns {Promise<T>} */
export async function patch(path, body) {
  return (await request("PATCH", path, body)).json();
}

/** @template [T=any] @param {string} path @param {unknown} [body] @returns {Promise<T>} */
export async function put(path, body) {
  return (await request("PUT", path, body)).json();
}

/** @param {string} path */
export async function remove(path) {
  return (await request("DELETE", path)).json();
}

/** Whether an error only means that the request was cancelled. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
