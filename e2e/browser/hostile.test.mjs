// A hostile page in the same browser: it reads nothing and changes nothing.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Waxwing, launch } from "./harness.mjs";

let waxwing, browser, site, sitePort;
const stolen = []; // what the page could read, sent home

before(async () => {
  waxwing = await Waxwing.up();
  await waxwing.fillQueue();
  // The newest browsers block such requests themselves. This tests Waxwing with the block disabled.
  browser = await launch("--host-resolver-rules=MAP rebind.test 127.0.0.1, MAP evil.test 127.0.0.1", "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests");
  site = createServer((request, reply) => {
    if (request.method === "POST") {
      let text = "";
      request.on("data", (part) => { text += part; }).on("end", () => { stolen.push(text); reply.end(); });
      return;
    }
    reply.setHeader("Content-Type", "text/html");
    reply.end("<!doctype html><title>A friendly page</title><body>");
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  sitePort = site.address().port;
});
after(async () => { await browser?.close(); site?.close(); await waxwing?.down(); });

const reads = ["/health", "/current-track", "/playback-state", "/playback-queue", "/user/public", "/events", "/volume", "/outputs", "/pair", "/token", "/tokens", "/metrics", "/openapi.yaml", "/", "/web/app.js", "/api/songs", "/api/songs/trending"];
const writes = ["/play", "/pause", "/next", "/previous", "/toggle", "/toggle-play", "/seek", "/shuffle", "/repeat", "/volume", "/queue/clear", "/queue/add", "/outputs", "/pair", "/pair/approve", "/tokens", "/tokens/revoke", "/api/playlists"];

// What the catalog answers on its own port.
const catalogReads = ["/health", "/ready", "/metrics", "/openapi.yaml", "/docs", "/api/songs", "/api/songs/trending", "/api/playlists", "/api/search?q=a", "/api/keys", "/api/scan"];
const catalogWrites = ["/api/playlists", "/api/plays", "/api/keys"];

/** All that could have been changed. */
async function everything() {
  const [state, queue, volume, pairs, tokens, playlists, keys, trending] = await Promise.all(["/playback-state", "/playback-queue", "/volume", "/pair", "/tokens", "/api/playlists", "/api/keys", "/api/songs/trending"].map((path) => waxwing.get(path)));
  const { track } = await waxwing.get("/current-track");
  return JSON.stringify({ state, queue: queue.queue.map(({ id }) => id), index: queue.current_index, volume, pairs, tokens: tokens.tokens.map(({ id }) => id), playlists: playlists.total, keys: keys.keys.map(({ id }) => id), trending: trending.songs.map(({ id, play_count }) => [id, play_count]), position: track.position });
}

/**
 * What both servers did since their log had so many letters, once nothing more comes: the requests
 * that reached them, and those of them that were commands and were carried out.
 */
async function served(since) {
  const requests = () => waxwing.log.slice(since).split("\n").filter((line) => / (?:player|catalog) request method=/.test(line));
  for (let before = -1; before !== requests().length; ) {
    before = requests().length;
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
  return { reached: requests().length, commands: requests().filter((line) => /method=(?:POST|PUT|PATCH|DELETE)\b.* status=2\d\d/.test(line)).length };
}

/** The line that is counted by whoever runs this. */
function tell(origin, { tried, bytes }, { reached, commands }) {
  console.log(`${tried} attempts from ${origin}, ${reached} requests answered: ${bytes} bytes read, ${commands} commands carried out`);
}

for (const origin of ["http://evil.test", "http://localhost", "http://127.0.0.1"]) {
  test(`a page of ${origin} on another port`, async () => {
    const before = await everything();
    const since = waxwing.log.length;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}:${sitePort}/`);
    await page.evaluate(attack, { bases: ["127.0.0.1", "localhost", "0.0.0.0", "rebind.test"].map((name) => waxwing.base.replace("127.0.0.1", name)), reads, writes });
    await page.evaluate(attack, { bases: ["127.0.0.1", "rebind.test"].map((name) => waxwing.catalog.replace("127.0.0.1", name)), reads: catalogReads, writes: catalogWrites });
    const seen = await served(since);
    const [player, catalog] = await page.evaluate(() => globalThis.outcomes);
    assert.ok(player.tried > 300 && catalog.tried > 100, `only ${player.tried} and ${catalog.tried} attempts`);
    assert.ok(seen.reached > 100, `only ${seen.reached} reached the servers`);
    assert.deepEqual([...player.read, ...catalog.read], [], "the page could read");
    assert.deepEqual(stolen, []);
    assert.equal(seen.commands, 0, "a command was carried out");
    assert.equal(await everything(), before, "something was changed");
    tell(origin, { tried: player.tried + catalog.tried, bytes: player.bytes + catalog.bytes }, seen);
    await context.close();
  });
}

for (const [name, address, paths] of [["player", () => waxwing.base, { reads, writes }], ["catalog", () => waxwing.catalog, { reads: catalogReads, writes: catalogWrites }]]) {
  test(`a name that was rebound to this machine gets nothing from the ${name}`, async () => {
    const before = await everything();
    const since = waxwing.log.length;
    const context = await browser.newContext();
    const page = await context.newPage();
    const rebound = address().replace("127.0.0.1", "rebind.test");
    for (const path of paths.reads) {
      const reply = await page.goto(rebound + path);
      assert.equal(reply.status(), 421, path);
    }
    // The page came from the attacker while the name was still theirs; from now on the name is this
    // machine, and every request is one of the same origin.
    await page.route(`${rebound}/bait`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" }));
    await page.goto(`${rebound}/bait`);
    await page.unrouteAll();
    await page.evaluate(attack, { bases: [""], ...paths, refusal: "does not accept that host" });
    const seen = await served(since);
    const [forms] = await page.evaluate(() => globalThis.outcomes);
    assert.deepEqual(forms.read, []);
    assert.ok(forms.refused > 0 && seen.reached > forms.tried / 2, `of ${forms.tried} attempts ${seen.reached} reached the server and ${forms.refused} were told so`);
    assert.equal(seen.commands, 0, "a command was carried out");
    assert.equal(await everything(), before);
    tell(rebound, { tried: forms.tried + paths.reads.length, bytes: forms.bytes }, seen);
    await context.close();
  });
}

/**
 * Runs in the hostile page: every way by which a browser sends a request to another origin. What
 * says refusal was refused.
 */
async function attack({ bases, reads, writes, refusal }) {
  const outcome = { tried: 0, bytes: 0, refused: 0, read: [] };
  (globalThis.outcomes ??= []).push(outcome); // answers may come after the last was waited for
  const got = (how, text) => {
    if (refusal && text.includes(refusal)) { outcome.refused++; return; }
    outcome.bytes += Math.max(1, text.length); // that something could be loaded tells as well
    outcome.read.push(`${how}: ${text.slice(0, 80)}`);
  };
  const bounded = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 800))]).catch(() => undefined);
  const jobs = [];
  const attempt = (job) => { outcome.tried++; jobs.push(bounded(job())); };
  const loads = (element, url, attribute = "src") => () => new Promise((resolve) => {
    element.addEventListener("load", () => { got(`${element.tagName} ${url}`, ""); resolve(); });
    element.addEventListener("error", resolve);
    element[attribute] = url;
    document.body.append(element);
  });
  for (const base of bases) {
    for (const path of reads) {
      const url = base + path;
      attempt(async () => { const reply = await fetch(url); got(`fetch ${url}`, await reply.text()); });
      attempt(async () => { const reply = await fetch(url, { credentials: "include", headers: { Authorization: "Bearer wxt_guess" } }); got(`fetch with header ${url}`, await reply.text()); });
      attempt(() => fetch(url, { mode: "no-cors" }));
      attempt(loads(document.createElement("img"), url));
      if (base) attempt(loads(document.createElement("script"), url));
      if (base) attempt(loads(Object.assign(document.createElement("link"), { rel: "stylesheet" }), url, "href"));
      attempt(() => new Promise((resolve) => {
        const audio = document.createElement("audio");
        audio.onloadedmetadata = () => { got(`audio ${url}`, ""); resolve(); };
        audio.onerror = resolve;
        audio.src = url;
      }));
    }
    attempt(() => new Promise((resolve) => {
      const events = new EventSource(`${base}/events?access_token=wxt_guess`);
      events.onmessage = events.onopen = (event) => { got("events", String(event.data)); resolve(); };
      events.onerror = () => { events.close(); resolve(); };
    }));
    attempt(() => new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = () => { try { const text = frame.contentDocument?.body?.textContent; if (text) got("frame", text); } catch { /* another origin: as it should be */ } resolve(); };
      frame.src = `${base}/`;
      document.body.append(frame);
    }));
    for (const path of writes) {
      const url = base + path;
      const body = '{"position":1000,"volume":1,"shuffle":true,"repeat":"one","name":"Evil","permissions":["read","write"],"id":"x","code":"0000"}';
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
        attempt(async () => { const reply = await fetch(url, { method: "POST", body, headers: { "Content-Type": type } }); got(`POST ${url}`, await reply.text()); });
        if (type !== "application/json") attempt(() => fetch(url, { method: "POST", mode: "no-cors", body, headers: { "Content-Type": type } }));
      }
      attempt(async () => { navigator.sendBeacon(url, body); });
      attempt(async () => {
        const target = Object.assign(document.createElement("iframe"), { name: `f${outcome.tried}` });
        const form = Object.assign(document.createElement("form"), { method: "post", action: url, target: target.name, enctype: "text/plain" });
        form.append(Object.assign(document.createElement("input"), { name: '{"x":"', value: '"}' }));
        document.body.append(target, form);
        form.submit();
      });
    }
  }
  await Promise.all(jobs);
}
