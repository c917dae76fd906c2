// Reads the stream of events and reconnects. EventSource cannot send a header, so fetch is used.

import { ResponseError, WrongServer, isAbort, request } from "./http.js";
import { setStreaming } from "./identity.js";

const silence = 40_000; // almost three heartbeats: then an open connection counts as dead
const firstWait = 300;
const longWait = 5_000;

/**
 * @typedef {{event: string, data: any}} ServerEvent
 * @typedef {{signal: AbortSignal, path?: string, onEvent: (event: ServerEvent) => void,
 *   onOpen: () => void, onClose: (reason: string) => void}} Listener path: by default that of a
 *   player; reason: "" if the server does not reply
 */

/**
 * Follows a stream until the signal ends it or the server denies access.
 * @param {Listener} listener
 * @returns {Promise<ResponseError | null>} why the server denied access
 */
export async function followEvents({ signal, path = "/events", onEvent, onOpen, onClose }) {
  let wait = firstWait;
  let lastId = "";
  const opened = () => { wait = firstWait; onOpen(); };
  const received = (/** @type {ServerEvent} */ event, /** @type {string} */ id) => {
    lastId = id || lastId;
    onEvent(event);
  };
  while (!signal.aborted) {
    let reason = "";
    try {
      await readConnection(signal, path, lastId, opened, received);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof ResponseError && [401, 403, 421].includes(error.status)) return error;
      if (error instanceof WrongServer) reason = error.message;
    }
    onClose(reason);
    await pause(wait, signal);
    wait = Math.min(2 * wait, longWait);
  }
  return null;
}

/**
 * Reads one connection to its end.
 * @param {AbortSignal} signal @param {string} path @param {string} lastId
 * @param {() => void} onOpen
 * @param {(event: ServerEvent, id: string) => void} onEvent
 */
async function readConnection(signal, path, lastId, onOpen, onEvent) {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener("abort", end, { once: true });
  let watchdog = setTimeout(end, silence);
  try {
    const reply = await request("GET", path, undefined, {
      signal: ending.signal, accept: "text/event-stream", headers: lastId ? { "Last-Event-ID": lastId } : {},
    });
    if (!reply.body) return;
    setStreaming(true);
    onOpen();
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watchdog);
      watchdog = setTimeout(end, silence);
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = parse(block);
        if (fields.data) onEvent({ event: fields.event || "message", data: JSON.parse(fields.data) }, fields.id ?? "");
      }
    }
  } catch (error) {
    if (isAbort(error) && !signal.aborted) return; // by the watchdog
    throw error;
  } finally {
    setStreaming(false);
    clearTimeout(watchdog);
    signal.removeEventListener("abort", end);
  }
}

/** @param {string} block @returns {Record<string, string>} */
function parse(block) {
  const fields = /** @type {Record<string, string>} */ ({});
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
  }
  return fields;
}

/**
 * Waits, at most until the network returns or the page becomes visible.
 * @param {number} ms @param {AbortSignal} signal
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const ending = new AbortController();
    const done = () => { ending.abort(); clearTimeout(timer); resolve(undefined); };
    const timer = setTimeout(done, ms);
    const listen = { signal: ending.signal };
    signal.addEventListener("abort", done, listen);
    addEventListener("online", done, listen);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) done(); }, listen);
  });
}
