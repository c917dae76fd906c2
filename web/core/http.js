// Calls to this server, which is the only one the page speaks to.

import { token } from "./token.js";

/** The server answered, and refused. Its message is written for people. */
export class ResponseError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  constructor() {
    super("The player does not answer. Is it still running?");
  }
}

/** What the server last said its version was. */
export const server = { version: "" };

/**
 * @param {string} method @param {string} path @param {unknown} [body] @param {{signal?: AbortSignal, accept?: string, headers?: Record<string, string>}} [options]
 * @returns {Promise<Response>} an answer that is not a refusal
 */
export async function request(method, path, body, { signal, accept = "application/json", headers = {} } = {}) {
  const known = token();
  if (known) headers = { ...headers, Authorization: `Bearer ${known}` };
  if (body !== undefined) headers = { ...headers, "Content-Type": "application/json" };
  /** @type {Response} */
  let reply;
  try {
    reply = await fetch(path, {
      method, signal, headers: { ...headers, Accept: accept }, body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store", credentials: "omit", redirect: "error",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  server.version = reply.headers.get("X-Waxwing-Version") ?? server.version;
  if (reply.ok || reply.status === 304) return reply;
  const told = await reply.json().catch(() => null);
  throw new ResponseError(reply.status, sentence(told?.error) || `The server answered ${reply.status}.`);
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
 * Reads what may be known already: null when the server says that it is still as its tag says.
 * @template [T=any] @param {string} path @param {string} [tag] @param {AbortSignal} [signal] @returns {Promise<{tag: string, body: T} | null>}
 */
export async function getIfChanged(path, tag, signal) {
  const reply = await request("GET", path, undefined, { signal, headers: tag ? { "If-None-Match": tag } : {} });
  return reply.status === 304 ? null : { tag: reply.headers.get("ETag") ?? "", body: await reply.json() };
}

/** @template [T=any] @param {string} path @param {unknown} [body] @returns {Promise<T>} */
export async function post(path, body) {
  return (await request("POST", path, body)).json();
}

/** @template [T=any] @param {string} path @param {unknown} body @returns {Promise<T>} */
export async function patch(path, body) {
  return (await request("PATCH", path, body)).json();
}

/** @param {string} path */
export async function remove(path) {
  return (await request("DELETE", path)).json();
}

/** Whether an error only says that nobody waits for the answer any more. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
