// An open page follows changes of the catalog.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Waxwing, enter, launch, rowsLoaded, until, visit, openRecorded, writeTone } from "./harness.mjs";

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

/** Counts the requests to the catalog API. */
function countRequests(context) {
  const counter = { requests: 0 };
  context.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/api/")) counter.requests++;
  });
  return counter;
}

/** Returns the label and the y coordinate of the first visible row of the list in main. */
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

/** Simulates that the page becomes hidden or visible. */
function setHidden(page, hidden) {
  return page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

test("a new song of a scan appears in the list without changing the scroll position", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  const counter = countRequests(context);
  await enter(page, waxwing, "#/songs");
  await page.getByText("60 songs").waitFor();
  await page.evaluate(() => {
    document.querySelector("main").scrollTop = 700;
  });
  await rowsLoaded(page);
  const before = await firstVisible(page);
  const requests = counter.requests;
  writeTone(join(music, "Tone 999.wav"), 999);
  waxwing.run("scan", "--music", music);
  await page.getByText("61 songs").waitFor();
  assert.deepEqual(await firstVisible(page), before, "the list moved");
  await page.locator("main [data-index]").first().focus();
  await page.keyboard.press("End");
  await page.getByText("Tone 999", { exact: true }).first().waitFor();
  const sent = counter.requests - requests;
  assert.ok(sent <= 12, `got ${sent} requests for one new song, want at most 12`);
  clean();
  await context.close();
});

test("rows inserted above do not move the visible ones; home and the sidebar are updated too", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing, { viewport: { width: 900, height: 420 } });
  for (let i = 10; i < 40; i++) await waxwing.post("/api/playlists", { name: `List ${i}` });
  const { total } = await waxwing.get("/api/playlists?limit=50");
  await enter(page, waxwing, "#/playlists");
  await page.getByText(`${total} playlists`).waitFor();
  await page.evaluate(() => {
    const main = document.querySelector("main");
    main.scrollTop = main.scrollHeight / 2;
  });
  await rowsLoaded(page);
  const before = await firstVisible(page);
  const columns = await page.evaluate(() =>
    Math.round(
      document.querySelector("main wax-list").clientWidth / document.querySelector("main [role=row]").clientWidth,
    ),
  );
  for (let i = 0; i < columns; i++) await waxwing.post("/api/playlists", { name: `AAA ${i}` });
  const [first] = (await waxwing.get("/api/playlists?limit=5")).playlists;
  assert.equal(first.name, "AAA 0", "the new playlists are not above");
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

test("an update keeps focus and images, and does not rebuild unchanged shelves", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.locator(".shelf a.card-title").first().waitFor();
  await page.evaluate(() => {
    globalThis.trending = document.querySelector("main wax-tiles");
    const shelves = [...document.querySelectorAll("main .shelf")];
    globalThis.playlists = shelves.find((shelf) => shelf.querySelector("h2").textContent === "Playlists");
    [...playlists.querySelectorAll("a.card-title")].at(0).focus();
    globalThis.picture = playlists.querySelector("img");
    globalThis.focused = document.activeElement.textContent;
  });
  await waxwing.post("/api/playlists", { name: "AAAAA while a card has the focus" });
  await page.locator("main").getByText("AAAAA while a card has the focus").waitFor();
  const state = await page.evaluate(() => ({
    sameTrending: trending.isConnected,
    samePlaylists: playlists.isConnected,
    sameFocus: document.activeElement.textContent === focused && focused !== "",
    samePicture: picture.isConnected,
  }));
  assert.deepEqual(state, { sameTrending: true, samePlaylists: false, sameFocus: true, samePicture: true });
  clean();
  await context.close();
});

test("an open menu or dialog delays the update until it is closed", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/playlists");
  const { total } = await waxwing.get("/api/playlists");
  await page.getByText(`${total} playlists`).waitFor();
  await page.locator("main [role=row]").first().click({ button: "right" });
  await page.getByRole("menu").waitFor();
  await waxwing.post("/api/playlists", { name: "Created during a menu" });
  await page.waitForTimeout(1000);
  assert.equal(await page.getByText(`${total + 1} playlists`).count(), 0, "the list changed under an open menu");
  await page.keyboard.press("Escape");
  await page.getByText(`${total + 1} playlists`).waitFor();
  await page.getByRole("button", { name: "New playlist" }).first().click();
  await page.getByRole("dialog").waitFor();
  await waxwing.post("/api/playlists", { name: "Created during a dialog" });
  await page.waitForTimeout(1000);
  assert.equal(await page.getByText(`${total + 2} playlists`).count(), 0, "the list changed under an open dialog");
  await page.keyboard.press("Escape");
  await page.getByText(`${total + 2} playlists`).waitFor();
  clean();
  await context.close();
});

test("an idle page sends no requests, and a hidden page updates when it becomes visible", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await page.clock.install();
  const counter = countRequests(context);
  await enter(page, waxwing, "#/playlists");
  const { total } = await waxwing.get("/api/playlists");
  await page.getByText(`${total} playlists`).waitFor();
  const before = counter.requests;
  await page.clock.runFor(120_000);
  assert.equal(counter.requests, before, "an idle page sent requests");
  await setHidden(page, true);
  await waxwing.post("/api/playlists", { name: "Created while hidden" });
  await page.waitForTimeout(500);
  await page.clock.runFor(10_000);
  assert.equal(counter.requests, before, "a hidden page sent requests");
  await setHidden(page, false);
  await page.getByText(`${total + 1} playlists`).waitFor();
  clean();
  await context.close();
});
