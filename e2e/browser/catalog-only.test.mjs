// The web player of a catalog without a player: a key opens it, and the browser plays.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityFindings } from "./accessibility.mjs";
import { freePort, launch, openRecorded, rowsLoaded, until, visit } from "./harness.mjs";

const program = process.env.WAXWING_PROGRAM;
const catalog = { dir: mkdtempSync(join(tmpdir(), "waxwing-catalog-")), log: "" };
let browser, key;

function run(...args) {
  const env = { PATH: process.env.PATH, HOME: catalog.dir };
  const options = { encoding: "utf8", env };
  const { stdout, stderr, status } = spawnSync(program, [...args, "--data-dir", catalog.dir], options);
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

async function get(path) {
  const reply = await fetch(catalog.base + path, { headers: { "X-Api-Key": key } });
  assert.equal(reply.status, 200, path);
  return reply.json();
}

before(async () => {
  const port = await freePort();
  catalog.base = `http://127.0.0.1:${port}`;
  catalog.process = spawn(program, ["catalog", "--data-dir", catalog.dir, "--catalog-addr", `127.0.0.1:${port}`], {
    env: { PATH: process.env.PATH, HOME: catalog.dir, LANG: "C.UTF-8" },
  });
  catalog.process.stderr.on("data", (text) => {
    catalog.log += text;
  });
  catalog.exited = new Promise((resolve) => catalog.process.on("exit", resolve));
  const started = launch("--autoplay-policy=user-gesture-required");
  await until("the catalog", async () => (await fetch(`${catalog.base}/health`)).ok, 20_000);
  key = run("key", "create", "--name", "Web player", "--permission", "read", "--permission", "write");
  await until("the scan", async () => (await get("/api/songs")).total >= 12, 20_000);
  browser = await started;
});
after(async () => {
  await browser?.close();
  catalog.process.kill("SIGTERM");
  await catalog.exited;
  rmSync(catalog.dir, { recursive: true, force: true });
});

/** Enters a key in the form. */
async function enterKey(page, secret, keep) {
  await page.getByLabel("Key", { exact: true }).fill(secret);
  if (keep) await page.getByLabel("keep the key here").check();
  await page.getByRole("button", { name: "Open the library" }).click();
}

test("a key opens the library, and this browser plays it", async () => {
  const { page, context, seen, clean } = await openRecorded(browser, catalog);
  const addresses = [];
  context.on("request", (request) => addresses.push(request.url()));
  await page.goto(catalog.base);
  await page.getByRole("heading", { name: "Waxwing" }).waitFor();
  assert.deepEqual(await accessibilityFindings(page), []);
  await enterKey(page, `wxk_${"x".repeat(40)}`, true);
  await page.getByText("This key is not valid").waitFor();
  const refused = seen.errors.length; // the browser logs the refused requests
  await enterKey(page, key, true);
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  await page.getByRole("heading", { name: "Trending" }).waitFor();

  const [album] = (await get("/api/albums?limit=1")).albums;
  for (const hash of ["#/songs", "#/albums", "#/artists", "#/playlists"]) {
    await visit(page, hash);
    await rowsLoaded(page);
  }
  for (const hash of ["#/search?q=a", "#/queue", "#/settings", "#/settings/access", "#/now"]) await visit(page, hash);
  await visit(page, `#/albums/${album.id}`);
  assert.deepEqual(await accessibilityFindings(page), []);
  const bar = page.getByRole("region", { name: "Now playing" });
  await page.locator("main").getByRole("button", { name: "Play", exact: true }).first().click();
  await bar.getByRole("button", { name: "Pause", exact: true }).waitFor();
  const elapsed = bar.locator(".clock").first();
  await until("two seconds of the song", async () => /0:0[2-9]/.test(await elapsed.textContent()));
  await bar.locator(".now-more .output").click();
  const outputs = page.getByRole("menuitemradio");
  assert.deepEqual(await outputs.allTextContents(), ["This browser"]);
  assert.equal(await outputs.first().getAttribute("aria-checked"), "true");
  await page.keyboard.press("Escape");

  assert.deepEqual(addresses.filter((url) => url.includes(key.slice(0, 12))), [], "the key is in an address");
  assert.ok(addresses.some((url) => url.includes("/media/songs/")), "no audio was requested");
  assert.ok(!catalog.log.includes(key), "the key is in the log");
  seen.errors.splice(0, refused);
  clean(/403/); // the key may not list keys

  const other = await context.newPage();
  await other.goto(catalog.base);
  await other.getByRole("heading", { name: "Trending" }).waitFor(); // the key stays on this device
  run("key", "revoke", "Web player");
  await other.getByText("This key is not valid").waitFor();
  const stored = await other.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.ok(!stored.includes("wxk_"), "a refused key is still stored");
  await page.getByText("This key is not valid").waitFor();
  await context.close();
});

test("a key that is not kept is valid for its tab only", async () => {
  key = run("key", "create", "--name", "Tab");
  const { page, context } = await openRecorded(browser, catalog);
  await page.goto(catalog.base);
  await enterKey(page, key, false);
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  await page.waitForFunction(() => document.documentElement.classList.contains("no-edits"));
  await page.getByRole("button", { name: "Play all" }).waitFor(); // listening needs no more than read
  await page.reload();
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  const other = await context.newPage();
  await other.goto(catalog.base);
  await other.getByLabel("Key", { exact: true }).waitFor();
  await context.close();
});
