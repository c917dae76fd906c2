// The pages in a second engine: Debian's Firefox, driven by WebDriver BiDi, which it speaks itself. It is a look, not the whole
// battery: that every page loads, follows the player, steers it, and meets no error and no refusal of its own policy.
//
//     make firefox

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Waxwing, freePort, until } from "./harness.mjs";

/** One connection to a Firefox that shows one tab. */
class Firefox {
  #next = 1;
  #waiting = new Map();
  errors = [];

  static async launch() {
    const it = new Firefox();
    it.profile = mkdtempSync(join(tmpdir(), "waxwing-firefox-"));
    const port = await freePort();
    it.process = spawn(process.env.FIREFOX ?? "firefox-esr", ["--headless", "--no-remote", "--profile", it.profile, "--remote-debugging-port", String(port), "--width", "1280", "--height", "800"], { stdio: "ignore", env: { PATH: process.env.PATH, HOME: it.profile } });
    it.exited = new Promise((resolve) => it.process.on("exit", resolve));
    it.socket = await until("Firefox to listen", () => new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/session`);
      socket.onopen = () => resolve(socket);
      socket.onerror = () => reject(new Error("not yet"));
    }), 60_000);
    it.socket.onmessage = ({ data }) => it.#take(JSON.parse(data));
    const { capabilities } = await it.send("session.new", { capabilities: {} });
    it.version = capabilities.browserVersion;
    await it.send("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });
    await it.send("script.addPreloadScript", { functionDeclaration: `() => addEventListener("securitypolicyviolation", (event) => console.error("policy: " + event.violatedDirective + " " + event.blockedURI))` });
    it.tab = (await it.send("browsingContext.getTree", {})).contexts[0].context;
    return it;
  }

  #take(message) {
    if (message.method === "log.entryAdded" && message.params.level === "error") this.errors.push(message.params.text);
    if (message.method === "network.beforeRequestSent") this.requests?.push(message.params.request.url);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "error") waiting?.reject(new Error(`${message.error}: ${message.message}`));
    else waiting?.resolve(message.result);
  }

  send(method, params) {
    const id = this.#next++;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  goto(url) {
    return this.send("browsingContext.navigate", { context: this.tab, url, wait: "complete" });
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("script.evaluate", { expression: `JSON.stringify(${expression})`, target: { context: this.tab }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value);
  }

  /** Clicks in the middle of an element, as a mouse does. */
  async click(selector) {
    const { x, y } = await until(selector, () => this.value(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null; e.scrollIntoView({ block: "center" }); const r = e.getBoundingClientRect(); return r.width ? { x: Math.round(r.x + r.width / 2), y: Math.round(r.y + r.height / 2) } : null; })()`));
    await this.send("input.performActions", { context: this.tab, actions: [{ type: "pointer", id: "mouse", actions: [{ type: "pointerMove", x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }] }] });
  }

  async shot(name) {
    if (!process.env.SHOTS) return;
    const { data } = await this.send("browsingContext.captureScreenshot", { context: this.tab });
    writeFileSync(join(process.env.SHOTS, `firefox-${name}.png`), Buffer.from(data, "base64"));
  }

  async close() {
    this.socket.close();
    this.process.kill("SIGTERM");
    await this.exited;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

let waxwing, firefox;
before(async () => { [waxwing, firefox] = await Promise.all([Waxwing.up(), Firefox.launch()]); });
after(async () => { await firefox?.close(); await waxwing?.down(); });

test("the player loads, follows and steers", async () => {
  const [song, second] = await waxwing.fillQueue();
  firefox.requests = [];
  await firefox.goto(`${waxwing.base}/#token=${waxwing.token}`);
  await until("the connection", () => firefox.value(`document.documentElement.dataset.connection === "live"`));
  await until("what plays", () => firefox.value(`document.querySelector("wax-now-bar").textContent.includes(${JSON.stringify(song.title)})`));
  assert.ok(!(await firefox.value("location.href")).includes("wxt_"), "the token is still in the address");
  await firefox.click("wax-now-bar .play");
  await until("it to play", async () => (await waxwing.get("/playback-state")).is_playing);
  await until("the page to see it", () => firefox.value(`document.querySelector("wax-now-bar .play").getAttribute("aria-label") === "Pause"`));
  await firefox.shot("home");
  await waxwing.post("/next");
  await until("the page to follow", () => firefox.value(`document.title.startsWith(${JSON.stringify(second.title)})`));
  await waxwing.post("/pause");
});

test("every screen shows itself", async () => {
  const [album] = (await waxwing.get("/api/albums?limit=1")).albums;
  for (const [hash, sign] of [["#/", ".tile"], ["#/songs", "main [role=row]"], ["#/albums", "main [role=row]"], [`#/albums/${album.id}`, ".hero"], ["#/artists", "main [role=row]"], ["#/playlists", "main [role=row]"], ["#/search?q=a", ".tile"], ["#/now", ".stage"], ["#/queue", "main [role=row]"], ["#/settings", ".doors"], ["#/settings/access", ".token-list"]]) {
    await firefox.value(`location.hash = ${JSON.stringify(hash)}`);
    await until(`${hash} to show ${sign}`, () => firefox.value(`Boolean(document.querySelector(${JSON.stringify(sign)})?.getBoundingClientRect().width)`));
    assert.ok((await firefox.value("document.documentElement.scrollWidth - innerWidth")) <= 0, `${hash} is too wide`);
    await firefox.shot(hash.replace(/\W+/g, "-"));
  }
  assert.equal(await firefox.value(`[...document.querySelectorAll("img")].filter((i) => i.getAttribute("src") && i.complete && !i.naturalWidth).length`), 0, "pictures are missing");
});

test("the overlay shows what plays", async () => {
  const { secret } = await waxwing.post("/tokens", { name: "Overlay", permissions: ["read"] });
  await firefox.goto(`${waxwing.base}/overlay#token=${secret}`);
  const { track } = await waxwing.get("/current-track");
  await until("the card", () => firefox.value(`document.querySelector("wax-overlay-card:not(.hidden)")?.textContent.includes(${JSON.stringify(track.title)})`));
  await firefox.shot("overlay");
});

test("no error, nothing that the page's own policy refuses, no request to elsewhere", async () => {
  console.log(`Firefox ${firefox.version}, ${firefox.requests.length} requests`);
  assert.deepEqual(firefox.errors, []);
  assert.deepEqual(firefox.requests.filter((url) => !url.startsWith(waxwing.base) && !/^(data|blob|about):/.test(url)), []);
  // The watch was awake: what the policy refuses is noticed.
  await firefox.value(`document.head.append(Object.assign(document.createElement("script"), { textContent: "1" }))`);
  await until("a refusal to be noticed", () => firefox.errors.some((text) => text.startsWith("policy: script-src")));
});
