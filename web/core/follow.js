// The stream of events: EventSource cannot send a header, so this reads the stream itself, and reconnects.

import { ResponseError, isAbort, request } from "./http.js";

const silence = 40_000; // almost three heartbeats: a connection that is still open is dead
const firstWait = 300;
const longWait = 5_000;

/** @typedef {{event: string, data: any}} ServerEvent */

/**
 * Follows /events until the signal ends it or the server refuses for good.
 * @param {{signal: AbortSignal, onEvent: (event: ServerEvent) => void, onOpen: () => void, onLost: (error: unknown) => void}} listener
 * @returns {Promise<ResponseError | null>} why the server refused
 */
export async function follow({ signal, onEvent, onOpen, onLost }) {
  let wait = firstWait;
  let lastId = "";
  while (!signal.aborted) {
    try {
      await connection(signal, lastId, () => { wait = firstWait; onOpen(); }, (event, id) => { lastId = id || lastId; onEvent(event); });
      onLost(null);
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof ResponseError && [401, 403, 421].includes(error.status)) return error;
      onLost(error);
    }
    await pause(wait, signal);
    wait = Math.min(2 * wait, longWait);
  }
  return null;
}

/**
 * Reads one connection to its end.
 * @param {AbortSignal} signal @param {string} lastId @param {() => void} opened @param {(event: ServerEvent, id: string) => void} onEvent_
 */
async function connection(signal, lastId, opened, onEvent_) {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener("abort", end, { once: true });
  let watchdog = setTimeout(end, silence);
  try {
    const reply = await request("GET", "/events", undefined, {
      signal: ending.signal, accept: "text/event-stream", headers: lastId ? { "Last-Event-ID": lastId } : {},
    });
    if (!reply.body) return;
    opened();
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
        if (fields.data) onEvent_({ event: fields.event || "message", data: JSON.parse(fields.data) }, fields.id ?? "");
      }
    }
  } catch (error) {
    if (isAbort(error) && !signal.aborted) return; // the watchdog: as good as an end
    throw error;
  } finally {
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

/** Waits, but not once the machine wakes up or the page is looked at. @param {number} ms @param {AbortSignal} signal */
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
