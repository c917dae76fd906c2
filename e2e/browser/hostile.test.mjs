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
  browser = await launch("--host-resolver-rules=MAP rebind.test 127.0.0.1, MAP evil.test 127.0.0.1");
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

/** All that could have been changed. */
async function everything() {
  const [state, queue, volume, pairs, tokens, playlists] = await Promise.all(["/playback-state", "/playback-queue", "/volume", "/pair", "/tokens", "/api/playlists"].map((path) => waxwing.get(path)));
  const { track } = await waxwing.get("/current-track");
  return JSON.stringify({ state, queue: queue.queue.map(({ id }) => id), index: queue.current_index, volume, pairs, tokens: tokens.tokens.map(({ id }) => id), playlists: playlists.total, position: track.position });
}

for (const origin of ["http://evil.test", "http://localhost", "http://127.0.0.1"]) {
  test(`a page of ${origin} on another port`, async () => {
    const before = await everything();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}:${sitePort}/`);
    const forms = await page.evaluate(attack, { bases: [waxwing.base, waxwing.base.replace("127.0.0.1", "localhost"), waxwing.base.replace("127.0.0.1", "0.0.0.0"), waxwing.base.replace("127.0.0.1", "rebind.test")], reads, writes });
    await page.waitForTimeout(300);
    assert.ok(forms.tried > 300, `only ${forms.tried} attempts`);
    assert.deepEqual(forms.read, [], "the page could read");
    assert.deepEqual(stolen, []);
    assert.equal(await everything(), before, "something was changed");
    console.log(`${forms.tried} attempts from ${origin}: 0 read, 0 changed`);
    await context.close();
  });
}

test("a name that was rebound to this machine gets nothing", async () => {
  const before = await everything();
  const context = await browser.newContext();
  const page = await context.newPage();
  const rebound = `http://rebind.test:${waxwing.port}`;
  for (const path of reads) {
    const reply = await page.goto(rebound + path);
    assert.equal(reply.status(), 421, path);
  }
  // The page came from the attacker while the name was still theirs; from now on the name is this machine, and every request
  // is one of the same origin.
  await page.route(`${rebound}/bait`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" }));
  await page.goto(`${rebound}/bait`);
  await page.unrouteAll();
  const forms = await page.evaluate(attack, { bases: [""], reads, writes });
  assert.deepEqual(forms.read.filter((text) => !text.includes("does not answer to that host")), []);
  assert.equal(await everything(), before);
  await context.close();
});

/** Runs in the hostile page: every way by which a browser sends a request to another origin. */
async function attack({ bases, reads, writes }) {
  let tried = 0;
  const read = [];
  const bounded = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 800))]).catch(() => undefined);
  const jobs = [];
  const attempt = (job) => { tried++; jobs.push(bounded(job())); };
  const loads = (element, url, attribute = "src") => () => new Promise((resolve) => {
    element.addEventListener("load", () => { read.push(`${element.tagName} ${url}`); resolve(); });
    element.addEventListener("error", resolve);
    element[attribute] = url;
    document.body.append(element);
  });
  for (const base of bases) {
    for (const path of reads) {
      const url = base + path;
      attempt(async () => { const reply = await fetch(url); read.push(`fetch ${url}: ${(await reply.text()).slice(0, 80)}`); });
      attempt(async () => { const reply = await fetch(url, { credentials: "include", headers: { Authorization: "Bearer wxt_guess" } }); read.push(`fetch with header ${url}: ${(await reply.text()).slice(0, 80)}`); });
      attempt(() => fetch(url, { mode: "no-cors" }));
      attempt(loads(document.createElement("img"), url));
      if (base) attempt(loads(document.createElement("script"), url));
      if (base) attempt(loads(Object.assign(document.createElement("link"), { rel: "stylesheet" }), url, "href"));
      attempt(() => new Promise((resolve) => {
        const audio = document.createElement("audio");
        audio.onloadedmetadata = () => { read.push(`audio ${url}`); resolve(); };
        audio.onerror = resolve;
        audio.src = url;
      }));
    }
    attempt(() => new Promise((resolve) => {
      const events = new EventSource(`${base}/events?access_token=wxt_guess`);
      events.onmessage = events.onopen = (event) => { read.push(`events ${event.data}`); resolve(); };
      events.onerror = () => { events.close(); resolve(); };
    }));
    attempt(() => new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = () => { try { const text = frame.contentDocument?.body?.textContent; if (text) read.push(`frame ${text.slice(0, 80)}`); } catch { /* another origin: as it should be */ } resolve(); };
      frame.src = `${base}/`;
      document.body.append(frame);
    }));
    for (const path of writes) {
      const url = base + path;
      const body = '{"position":1000,"volume":1,"shuffle":true,"repeat":"one","name":"Evil","permissions":["read","write"],"id":"x","code":"0000"}';
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
        attempt(async () => { const reply = await fetch(url, { method: "POST", body, headers: { "Content-Type": type } }); read.push(`POST ${url}: ${(await reply.text()).slice(0, 80)}`); });
        if (type !== "application/json") attempt(() => fetch(url, { method: "POST", mode: "no-cors", body, headers: { "Content-Type": type } }));
      }
      attempt(async () => { navigator.sendBeacon(url, body); });
      attempt(async () => {
        const target = Object.assign(document.createElement("iframe"), { name: `f${tried}` });
        const form = Object.assign(document.createElement("form"), { method: "post", action: url, target: target.name, enctype: "text/plain" });
        form.append(Object.assign(document.createElement("input"), { name: '{"x":"', value: '"}' }));
        document.body.append(target, form);
        form.submit();
      });
    }
  }
  await Promise.all(jobs);
  return { tried, read };
}
