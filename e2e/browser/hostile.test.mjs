// A hostile page in the same browser can neither read nor change anything.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Waxwing, launch } from "./harness.mjs";

let waxwing, browser, site, sitePort;
const stolen = []; // data that the page sent to its own server
const cookies = []; // that the browser sent to that server

before(async () => {
  waxwing = await Waxwing.up();
  await waxwing.fillQueue();
  // Recent browsers block such requests. The block is disabled in order to test Waxwing itself.
  browser = await launch(
    "--host-resolver-rules=MAP rebind.test 127.0.0.1, MAP evil.test 127.0.0.1",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
  );
  site = createServer((request, reply) => {
    if (request.headers.cookie || request.headers.authorization) cookies.push(request.headers);
    if (request.method === "POST") {
      let text = "";
      request
        .on("data", (part) => {
          text += part;
        })
        .on("end", () => {
          stolen.push(text);
          reply.end();
        });
      return;
    }
    reply.setHeader("Content-Type", "text/html");
    reply.end("<!doctype html><title>A friendly page</title><body>");
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  sitePort = site.address().port;
});
after(async () => {
  await browser?.close();
  site?.close();
  await waxwing?.down();
});

const reads = [
  "/health",
  "/current-track",
  "/playback-state",
  "/playback-queue",
  "/user/public",
  "/events",
  "/volume",
  "/outputs",
  "/pair",
  "/token",
  "/tokens",
  "/metrics",
  "/openapi.yaml",
  "/",
  "/web/app.js",
  "/api/songs",
  "/api/songs/trending",
];
const writes = [
  "/play",
  "/pause",
  "/next",
  "/previous",
  "/toggle",
  "/toggle-play",
  "/seek",
  "/shuffle",
  "/repeat",
  "/volume",
  "/queue/clear",
  "/queue/undo",
  "/queue/add",
  "/outputs",
  "/pair",
  "/pair/approve",
  "/tokens",
  "/tokens/revoke",
  "/api/playlists",
];

// Paths of the catalog API on its own port.
const catalogReads = [
  "/health",
  "/ready",
  "/metrics",
  "/openapi.yaml",
  "/docs",
  "/api/songs",
  "/api/songs/trending",
  "/api/playlists",
  "/api/search?q=a",
  "/api/keys",
  "/api/keys/current",
  "/api/scan",
  "/api/folders",
  "/web/app.js",
];
const catalogWrites = ["/api/playlists", "/api/plays", "/api/keys", "/identity"];

/** Returns all state that an attack could change. */
async function snapshot() {
  const [state, queue, volume, pairs, tokens, playlists, keys, trending] = await Promise.all(
    [
      "/playback-state",
      "/playback-queue",
      "/volume",
      "/pair",
      "/tokens",
      "/api/playlists",
      "/api/keys",
      "/api/songs/trending",
    ].map((path) => waxwing.get(path)),
  );
  const { track } = await waxwing.get("/current-track");
  return JSON.stringify({
    state,
    queue: queue.queue.map(({ id }) => id),
    index: queue.current_index,
    volume,
    pairs,
    tokens: tokens.tokens.map(({ id }) => id),
    playlists: playlists.total,
    keys: keys.keys.map(({ id }) => id),
    trending: trending.songs.map(({ id, play_count }) => [id, play_count]),
    position: track.position,
  });
}

/**
 * Waits until both servers log no more requests. Returns how many they logged after the offset
 * since, and how many of them were commands that succeeded.
 */
async function countServed(since) {
  const requests = () =>
    waxwing.log
      .slice(since)
      .split("\n")
      .filter((line) => / (?:player|catalog) request method=/.test(line));
  for (let before = -1; before !== requests().length;) {
    before = requests().length;
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
  return {
    reached: requests().length,
    commands: requests().filter((line) => /method=(?:POST|PUT|PATCH|DELETE)\b.* status=2\d\d/.test(line)).length,
  };
}

/** Signs in this browser as a device, as `waxwing open` does. */
async function signInDevice(page) {
  const { id } = await waxwing.post("/pair/invite", {
    name: "Web player",
    permissions: ["read", "write", "keys"],
    idle_expires_in: 2_592_000,
  });
  await page.goto(`${waxwing.base}/#claim=${id}`);
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  await page.goto("about:blank");
}

/** Runs in the hostile page: returns everything that is stored for it. */
async function storage() {
  return [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()).map(({ name }) => name),
    ...(globalThis.caches ? await caches.keys() : []),
    ...(document.cookie ? [document.cookie] : []),
  ];
}

/** Prints the counts of a test, which e2e/browser_test.go adds up. */
function report(origin, { tried, bytes }, { reached, commands }) {
  const results = `${bytes} bytes read, ${commands} commands executed`;
  console.log(`${tried} attempts from ${origin}, ${reached} requests received: ${results}`);
}

for (const origin of ["http://evil.test", "http://localhost", "http://127.0.0.1"]) {
  test(`a page of ${origin} on another port reads and changes nothing`, async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await signInDevice(page);
    await page.goto(`${origin}:${sitePort}/`);
    const before = await snapshot();
    const since = waxwing.log.length;
    await page.evaluate(attack, {
      bases: ["127.0.0.1", "localhost", "0.0.0.0", "rebind.test"].map((name) =>
        waxwing.base.replace("127.0.0.1", name),
      ),
      reads,
      writes,
    });
    await page.evaluate(attack, {
      bases: ["127.0.0.1", "rebind.test"].map((name) => waxwing.catalog.replace("127.0.0.1", name)),
      reads: catalogReads,
      writes: catalogWrites,
    });
    const served = await countServed(since);
    const [player, catalog] = await page.evaluate(() => globalThis.outcomes);
    assert.ok(
      player.tried > 300 && catalog.tried > 100,
      `got ${player.tried} and ${catalog.tried} attempts, want more than 300 and 100`,
    );
    assert.ok(served.reached > 100, `got ${served.reached} requests at the servers, want more than 100`);
    assert.deepEqual([...player.read, ...catalog.read], [], "the page read a response");
    assert.deepEqual(stolen, [], "data that the page sent to its server");
    assert.deepEqual(await page.evaluate(storage), [], "data of the device login that the page can read");
    assert.deepEqual(cookies, [], "credentials that the browser sent to another port");
    assert.equal(served.commands, 0, "commands that succeeded");
    assert.equal(await snapshot(), before, "the attack changed state");
    report(origin, { tried: player.tried + catalog.tried, bytes: player.bytes + catalog.bytes }, served);
    await context.close();
  });
}

for (const [name, address, paths] of [
  ["player", () => waxwing.base, { reads, writes }],
  ["catalog", () => waxwing.catalog, { reads: catalogReads, writes: catalogWrites }],
]) {
  test(`DNS rebinding: a foreign host name for this machine gets nothing from the ${name}`, async () => {
    const before = await snapshot();
    const since = waxwing.log.length;
    const context = await browser.newContext();
    const page = await context.newPage();
    const rebound = address().replace("127.0.0.1", "rebind.test");
    for (const path of paths.reads) {
      const reply = await page.goto(rebound + path);
      assert.equal(reply.status(), 421, path);
    }
    // The attacker served this page before the rebinding. All requests from it now go to this
    // machine and are same-origin.
    await page.route(`${rebound}/bait`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><body>" }),
    );
    await page.goto(`${rebound}/bait`);
    await page.unrouteAll();
    await page.evaluate(attack, { bases: [""], ...paths, denial: "does not accept that host" });
    const served = await countServed(since);
    const [outcome] = await page.evaluate(() => globalThis.outcomes);
    assert.deepEqual(outcome.read, []);
    assert.ok(
      outcome.denied > 0 && served.reached > outcome.tried / 2,
      `got ${served.reached} of ${outcome.tried} requests at the server, ${outcome.denied} denied; want more than half`,
    );
    assert.equal(served.commands, 0, "commands that succeeded");
    assert.equal(await snapshot(), before);
    report(rebound, { tried: outcome.tried + paths.reads.length, bytes: outcome.bytes }, served);
    await context.close();
  });
}

test("a page cannot find artists, playlists or users by guessing the names of covers", async () => {
  await waxwing.post("/api/playlists", { name: "A private list" });
  const { artists } = await waxwing.get("/api/artists?limit=200");
  const { user } = await waxwing.get("/user/public");
  const right = [
    "playlist\x1fA private list",
    `user\x1f${user.username}`,
    ...artists.map(({ name }) => `artist\x1f${name}`),
  ];
  const guesses = [...right];
  while (guesses.length < 2000) guesses.push(`artist\x1fSomebody ${guesses.length}`);
  const paths = guesses.map((seed) => {
    const digest = createHash("sha256").update(`waxwing generated cover 1\0${seed}`).digest("hex");
    return `/media/covers/${digest.slice(0, 32)}?size=96`;
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://evil.test:${sitePort}/`);
  const found = await page.evaluate(findPictures, { bases: [waxwing.catalog, waxwing.base], paths });
  assert.deepEqual(found, [], "the page found names of the library");
  // A cover whose address the page was given can be shown, but not through the player.
  const shown = new URL(artists[0].image_url);
  const allowed = await page.evaluate(findPictures, {
    bases: [waxwing.catalog, waxwing.base],
    paths: [`${shown.pathname}?size=96`],
  });
  assert.deepEqual(allowed, [`${waxwing.catalog}${shown.pathname}?size=96`]);
  console.log(`${2 * paths.length} guesses of covers by a page, ${right.length} of them right: ${found.length} found`);
  await context.close();
});

/** Runs in the hostile page: returns the addresses of pictures that load. */
async function findPictures({ bases, paths }) {
  const found = [];
  const urls = bases.flatMap((base) => paths.map((path) => base + path));
  const probe = async () => {
    for (let url = urls.pop(); url; url = urls.pop()) {
      const image = new Image();
      image.src = url;
      await image.decode().then(
        () => found.push(url),
        () => undefined,
      );
    }
  };
  await Promise.all(Array.from({ length: 20 }, probe));
  return found;
}

/**
 * Runs in the hostile page: sends requests in every way a browser can send them to another origin.
 * A response that contains the text denial counts as denied, every other one as read.
 */
async function attack({ bases, reads, writes, denial }) {
  const outcome = { tried: 0, bytes: 0, denied: 0, read: [] };
  (globalThis.outcomes ??= []).push(outcome); // replies may arrive after the timeout
  const recordRead = (how, text) => {
    if (denial && text.includes(denial)) {
      outcome.denied++;
      return;
    }
    outcome.bytes += Math.max(1, text.length); // a load event alone is a leak
    outcome.read.push(`${how}: ${text.slice(0, 80)}`);
  };
  const withTimeout = (promise) =>
    Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 800))]).catch(() => undefined);
  const jobs = [];
  const attempt = (job) => {
    outcome.tried++;
    jobs.push(withTimeout(job()));
  };
  const load =
    (element, url, attribute = "src") =>
    () =>
      new Promise((resolve) => {
        element.addEventListener("load", () => {
          recordRead(`${element.tagName} ${url}`, "");
          resolve();
        });
        element.addEventListener("error", resolve);
        element[attribute] = url;
        document.body.append(element);
      });
  for (const base of bases) {
    for (const path of reads) {
      const url = base + path;
      attempt(async () => {
        const reply = await fetch(url);
        recordRead(`fetch ${url}`, await reply.text());
      });
      attempt(async () => {
        const reply = await fetch(url, { credentials: "include", headers: { Authorization: "Bearer wxt_guess" } });
        recordRead(`fetch with header ${url}`, await reply.text());
      });
      attempt(() => fetch(url, { mode: "no-cors" }));
      attempt(load(document.createElement("img"), url));
      if (base) attempt(load(document.createElement("script"), url));
      if (base) attempt(load(Object.assign(document.createElement("link"), { rel: "stylesheet" }), url, "href"));
      attempt(
        () =>
          new Promise((resolve) => {
            const audio = document.createElement("audio");
            audio.onloadedmetadata = () => {
              recordRead(`audio ${url}`, "");
              resolve();
            };
            audio.onerror = resolve;
            audio.src = url;
          }),
      );
    }
    attempt(
      () =>
        new Promise((resolve) => {
          const events = new EventSource(`${base}/events?access_token=wxt_guess`);
          events.onmessage = events.onopen = (event) => {
            recordRead("events", String(event.data));
            resolve();
          };
          events.onerror = () => {
            events.close();
            resolve();
          };
        }),
    );
    attempt(
      () =>
        new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.onload = () => {
            try {
              const text = frame.contentDocument?.body?.textContent;
              if (text) recordRead("frame", text);
            } catch {
              /* expected: the frame has another origin */
            }
            resolve();
          };
          frame.src = `${base}/`;
          document.body.append(frame);
        }),
    );
    for (const path of writes) {
      const url = base + path;
      const body = JSON.stringify({
        position: 1000,
        volume: 1,
        shuffle: true,
        repeat: "one",
        name: "Evil",
        permissions: ["read", "write"],
        id: "x",
        code: "0000",
      });
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
        attempt(async () => {
          const reply = await fetch(url, { method: "POST", body, headers: { "Content-Type": type } });
          recordRead(`POST ${url}`, await reply.text());
        });
        if (type !== "application/json")
          attempt(() => fetch(url, { method: "POST", mode: "no-cors", body, headers: { "Content-Type": type } }));
      }
      attempt(async () => {
        navigator.sendBeacon(url, body);
      });
      attempt(async () => {
        const target = Object.assign(document.createElement("iframe"), { name: `f${outcome.tried}` });
        const form = Object.assign(document.createElement("form"), {
          method: "post",
          action: url,
          target: target.name,
          enctype: "text/plain",
        });
        form.append(Object.assign(document.createElement("input"), { name: '{"x":"', value: '"}' }));
        document.body.append(target, form);
        form.submit();
      });
    }
  }
  await Promise.all(jobs);
}
