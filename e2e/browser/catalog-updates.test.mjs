// The page follows a catalog that changes while it is open.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Waxwing, enter, launch, rowsHere, until, visit, watched, writeTone } from "./harness.mjs";

let waxwing, browser, music;
before(async () => {
  music = mkdtempSync(join(tmpdir(), "waxwing-music-"));
  for (let i = 0; i < 60; i++) writeTone(join(music, `Tone ${String(i).padStart(3, "0")}.wav`), 200 + 10 * i);
  [waxwing, browser] = await Promise.all([Waxwing.up("--music", music), launch()]);
  await until("all songs", async () => (await waxwing.get("/api/songs")).total === 60, 30_000);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
  rmSync(music, { recursive: true, force: true });
});

/** Counts the requests to the catalog. */
function countRequests(context) {
  const counted = { requests: 0 };
  context.on("request", (request) => { if (new URL(request.url()).pathname.startsWith("/api/")) counted.requests++; });
  return counted;
}

/** The first visible item of the list in main, and where it is. */
function firstVisible(page) {
  return page.evaluate(() => {
    const main = document.querySelector("main");
    const { top } = main.getBoundingClientRect();
    const items = [...main.querySelectorAll("[role=row]:not([hidden])")];
    const visible = items.filter((item) => item.getBoundingClientRect().bottom > top);
    const [first] = visible.sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index));
    return { label: first?.getAttribute("aria-label"), y: Math.round(first?.getBoundingClientRect().top ?? NaN) };
  });
}

/** Sets whether the page counts as hidden. */
function setHidden(page, hidden) {
  return page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

test("a song that a later scan finds appears in the list, which keeps its position", async () => {
  const { page, context, clean } = await watched(browser, waxwing);
  const counted = countRequests(context);
  await enter(page, waxwing, "#/songs");
  await page.getByText("60 songs").waitFor();
  await page.evaluate(() => { document.querySelector("main").scrollTop = 700; });
  await rowsHere(page);
  const before = await firstVisible(page);
  const requests = counted.requests;
  writeTone(join(music, "Tone 999.wav"), 999);
  waxwing.run("scan", "--music", music);
  await page.getByText("61 songs").waitFor();
  assert.deepEqual(await firstVisible(page), before, "the list moved");
  await page.locator("main [data-index]").first().focus();
  await page.keyboard.press("End");
  await page.getByText("Tone 999", { exact: true }).first().waitFor();
  const sent = counted.requests - requests;
  assert.ok(sent <= 12, `got ${sent} requests for one new song, want at most 12`);
  clean();
  await context.close();
});

test("rows added above do not move the visible ones; home and the navigation follow too", async () => {
  const { page, context, clean } = await watched(browser, waxwing, { viewport: { width: 900, height: 420 } });
  for (let i = 10; i < 40; i++) await waxwing.post("/api/playlists", { name: `List ${i}` });
  const { total } = await waxwing.get("/api/playlists?limit=50");
  await enter(page, waxwing, "#/playlists");
  await page.getByText(`${total} playlists`).waitFor();
  await page.evaluate(() => { const main = document.querySelector("main"); main.scrollTop = main.scrollHeight / 2; });
  await rowsHere(page);
  const before = await firstVisible(page);
  const columns = await page.evaluate(() => Math.round(
    document.querySelector("main wax-list").clientWidth / document.querySelector("main [role=row]").clientWidth));
  for (let i = 0; i < columns; i++) await waxwing.post("/api/playlists", { name: `AAA ${i}` });
  const [first] = (await waxwing.get("/api/playlists?limit=5")).playlists;
  assert.equal(first.name, "AAA 0", "nothing was added above");
  await page.getByText(`${total + columns} playlists`).waitFor();
  const after = await firstVisible(page);
  assert.equal(after.label, before.label);
  assert.ok(Math.abs(after.y - before.y) < 2, `${before.label} moved from ${before.y} to ${after.y}`);
  await visit(page, "#/");
  await waxwing.post("/api/playlists", { name: "AAAA tonight" });
  await page.locator("nav.side").getByText("AAAA tonight").waitFor();
  await page.locator("main").getByText("AAAA tonight").waitFor();
  clean();
  await context.close();
});

test("an update keeps focus and pictures, and does not repeat what is unchanged", async () => {
  const { page, context, clean } = await watched(browser, waxwing);
  await enter(page, waxwing);
  await page.locator(".shelf a.card-title").first().waitFor();
  await page.evaluate(() => {
    globalThis.trending = document.querySelector("main wax-tiles");
    const shelves = [...document.querySelectorAll("main .shelf")];
    globalThis.playlists = shelves.find((each) => each.querySelector("h2").textContent === "Playlists");
    [...playlists.querySelectorAll("a.card-title")].at(0).focus();
    globalThis.picture = playlists.querySelector("img");
    globalThis.focused = document.activeElement.textContent;
  });
  await waxwing.post("/api/playlists", { name: "AAAAA while a card has the focus" });
  await page.locator("main").getByText("AAAAA while a card has the focus").waitFor();
  const state = await page.evaluate(() => ({
    sameTrending: trending.isConnected, samePlaylists: playlists.isConnected,
    sameFocus: document.activeElement.textContent === focused && focused !== "",
    samePicture: picture.isConnected,
  }));
  assert.deepEqual(state, { sameTrending: true, samePlaylists: false, sameFocus: true, samePicture: true });
  clean();
  await context.close();
});

test("an open menu or dialog delays the update until it is closed", async () => {
  const { page, context, clean } = await watched(browser, waxwing);
  await enter(page, waxwing, "#/playlists");
  const { total } = await waxwing.get("/api/playlists");
  await page.getByText(`${total} playlists`).waitFor();
  await page.locator("main [role=row]").first().click({ button: "right" });
  await page.getByRole("menu").waitFor();
  await waxwing.post("/api/playlists", { name: "Made during a menu" });
  await page.waitForTimeout(1000);
  assert.equal(await page.getByText(`${total + 1} playlists`).count(), 0, "the list changed under an open menu");
  await page.keyboard.press("Escape");
  await page.getByText(`${total + 1} playlists`).waitFor();
  await page.getByRole("button", { name: "New playlist" }).first().click();
  await page.getByRole("dialog").waitFor();
  await waxwing.post("/api/playlists", { name: "Made during a dialog" });
  await page.waitForTimeout(1000);
  assert.equal(await page.getByText(`${total + 2} playlists`).count(), 0, "the list changed under an open dialog");
  await page.keyboard.press("Escape");
  await page.getByText(`${total + 2} playlists`).waitFor();
  clean();
  await context.close();
});

test("a page sends no requests while nothing changes, and a hidden one waits until it is visible", async () => {
  const { page, context, clean } = await watched(browser, waxwing);
  await page.clock.install();
  const counted = countRequests(context);
  await enter(page, waxwing, "#/playlists");
  const { total } = await waxwing.get("/api/playlists");
  await page.getByText(`${total} playlists`).waitFor();
  const before = counted.requests;
  await page.clock.runFor(120_000);
  assert.equal(counted.requests, before, "an idle page sent requests");
  await setHidden(page, true);
  await waxwing.post("/api/playlists", { name: "Made while hidden" });
  await page.waitForTimeout(500);
  await page.clock.runFor(10_000);
  assert.equal(counted.requests, before, "a hidden page sent requests");
  await setHidden(page, false);
  await page.getByText(`${total + 1} playlists`).waitFor();
  clean();
  await context.close();
});
