// Fixtures of all browser tests: a Waxwing process, a browser, and pages whose errors and requests
// are recorded.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const program = process.env.WAXWING_PROGRAM ?? assert.fail("WAXWING_PROGRAM must name the program to test");

/** Waits until condition returns a truthy value, which it returns. */
export async function until(what, condition, within = 8000) {
  const deadline = Date.now() + within;
  for (let last; ;) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) assert.fail(`waited ${within} ms for ${what}; last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export async function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A Waxwing process with the built-in music. Its port stays the same after a restart. */
export class Waxwing {
  /** @param {...string} extraArgs arguments added to `waxwing up` */
  static async up(...extraArgs) {
    const it = new Waxwing();
    it.extraArgs = extraArgs;
    it.dir = mkdtempSync(join(tmpdir(), "waxwing-browser-"));
    it.port = await freePort();
    it.base = `http://127.0.0.1:${it.port}`;
    await it.start();
    await until("the scan of the music", async () => (await it.get("/api/songs")).total >= 12, 20_000);
    return it;
  }

  async start() {
    const args = [
      "up",
      "--data-dir",
      this.dir,
      "--player-addr",
      `127.0.0.1:${this.port}`,
      "--catalog-addr",
      "127.0.0.1:0",
      "--output",
      "null",
      "--log-level",
      "debug",
      ...this.extraArgs,
    ];
    this.process = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, HOME: this.dir, LANG: "C.UTF-8" },
    });
    this.log ??= "";
    for (const stream of [this.process.stdout, this.process.stderr])
      stream.on("data", (text) => {
        this.log += text;
      });
    this.exited = new Promise((resolve) => this.process.on("exit", resolve));
    await until("the server to start", async () => (await fetch(`${this.base}/health`)).ok, 20_000);
    this.token = readFileSync(join(this.dir, "owner.token"), "utf8").trim();
    this.catalog = await until("the catalog's address", () => this.log.match(/catalog +(http:\S+)/)?.[1]);
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.exited;
  }

  async down() {
    this.process.kill("SIGTERM");
    await this.exited;
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Runs a Waxwing command and returns its output. */
  run(...args) {
    const { stdout, stderr, status } = spawnSync(program, [...args, "--data-dir", this.dir], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: this.dir },
    });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  }

  async call(method, path, body, token = this.token) {
    const headers = {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { "Content-Type": "application/json" }),
    };
    return fetch(this.base + path, { method, headers, body: body && JSON.stringify(body) });
  }

  async get(path, token) {
    const reply = await this.call("GET", path, undefined, token);
    assert.equal(reply.status, 200, `GET ${path}: ${reply.status}`);
    return reply.json();
  }

  async post(path, body, token) {
    const reply = await this.call("POST", path, body, token);
    assert.equal(reply.status, 200, `POST ${path}: ${reply.status} ${await reply.clone().text()}`);
    return reply.json();
  }

  async queueIds() {
    return (await this.get("/playback-queue")).queue.map(({ id }) => id);
  }

  /** Replaces the queue with all songs, paused at the first, and returns them. */
  async fillQueue() {
    const { songs } = await this.get("/api/songs?limit=50");
    await this.post("/queue/replace", { track_ids: songs.map(({ id }) => id), index: 0, play: false });
    return songs;
  }
}

/**
 * Writes a sine tone as a WAV file. Tags are the fields of a RIFF INFO list, such as INAM. Without
 * tags the title is the file name.
 */
export function writeTone(file, hertz = 440, tags = {}, seconds = 1) {
  const [rate, frames] = [8000, 8000 * seconds];
  const wav = Buffer.alloc(44 + 2 * frames);
  wav.write("RIFF", 0);
  wav.write("WAVEfmt ", 8);
  [16, 1 + (1 << 16), rate, 2 * rate, 2 + (16 << 16)].forEach((word, i) => wav.writeUInt32LE(word, 16 + 4 * i));
  wav.write("data", 36);
  wav.writeUInt32LE(2 * frames, 40);
  for (let i = 0; i < rate; i++)
    wav.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * hertz * i) / rate)), 44 + 2 * i);
  for (let second = 1; second < seconds; second++) wav.copy(wav, 44 + 2 * rate * second, 44, 44 + 2 * rate);
  const chunk = (id, ...parts) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(8, id);
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const fields = Object.entries(tags).map(([id, text]) => chunk(id, Buffer.from(`${text}\0`)));
  const content = fields.length > 0 ? Buffer.concat([wav, chunk("LIST", Buffer.from("INFO"), ...fields)]) : wav;
  content.writeUInt32LE(content.length - 8, 4);
  writeFileSync(file, content);
}

/**
 * Starts Chromium without a window system: the same engine for half the processor time.
 * @param {...string} extraArgs arguments added to its command line
 */
export function launch(...extraArgs) {
  return start("/usr/bin/chromium-headless-shell", extraArgs);
}

/** Starts Chromium as users install it. */
export function launchDesktop() {
  return start("/usr/bin/chromium", []);
}

/** Starts a browser. @param {string} program @param {string[]} extraArgs */
function start(program, extraArgs) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? program,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...extraArgs,
    ],
  });
}

/**
 * Opens a tab and records its console errors, uncaught errors, dialogs and requests to other
 * origins. clean() fails the test if there were any, except for errors that match its argument.
 */
export async function openRecorded(browser, waxwing, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(8000);
  const page = await context.newPage();
  const seen = { errors: [], requests: 0, foreign: [], dialogs: [] };
  context.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    seen.requests++;
    if (origin !== waxwing.base && !["blob:", "data:"].includes(protocol)) seen.foreign.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error") seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("dialog", async (dialog) => {
    seen.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  const clean = (allowed = /$^/) => {
    assert.deepEqual(
      seen.errors.filter((text) => !allowed.test(text)),
      [],
      "console errors",
    );
    assert.deepEqual(seen.foreign, [], "requests to other origins");
    assert.deepEqual(seen.dialogs, [], "dialogs");
    assert.ok(seen.requests > 0, "no request was recorded");
  };
  return { context, page, seen, clean };
}

/** Opens the web player with waxwing's token, and then a screen. */
export async function enter(page, waxwing, hash = "") {
  await page.goto(`${waxwing.base}/#token=${waxwing.token}`);
  await page.locator("main .view h1").first().waitFor();
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  if (hash) await visit(page, hash);
}

/** Returns the bounding box of an element after it has stopped moving. */
export async function stableBox(locator) {
  await locator.hover({ trial: true });
  return locator.boundingBox();
}

/** Waits until the visible rows of a list are rendered and loaded. */
export async function rowsLoaded(page) {
  await page.evaluate(async () => {
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  });
  await page.waitForFunction(
    () =>
      document.querySelector("main [role=row]:not([hidden])") &&
      !document.querySelector("main :is(.ghost-row, .ghost-card):not([hidden])"),
  );
}

/** Opens a screen and waits until it is loaded. */
export async function visit(page, hash) {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  await page.waitForFunction(
    () => document.querySelector("main .view") && !document.querySelector("main .loading"),
  );
  await page.waitForFunction(
    (to) => document.documentElement.dataset.view === (to.replace(/^#\//, "").split(/[/?]/)[0] || "home"),
    hash,
  );
}
