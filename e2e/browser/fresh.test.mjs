// A catalog that changes while somebody looks at it.

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
after(async () => { await browser?.close(); await waxwing?.down(); rmSync(music, { recursive: true, force: true }); });

/** Counts the looks at the catalog. */
function looks(context) {
  const seen = { asked: 0, unchanged: 0 };
  context.on("response", (reply) => {
    if (!reply.url().endsWith("/api/songs?limit=1")) return;
    seen.asked++;
    if (reply.status() === 304) seen.unchanged++;
  });
  return seen;
}

/** The person comes back to the window, which is when a page looks at once. */
const lookAgain = async (page) => {
  await page.waitForTimeout(1100); // a page looks once a second at most
  await page.evaluate(() => dispatchEvent(new Event("focus")));
};

test("a later scan finds a song: the list grows by itself and stays where it is", async () => {
  const { page, context, clean } = await watched(browser, waxwing);
  const seen = looks(context);
  await enter(page, waxwing, "#/songs");
  await page.getByText("60 songs").waitFor();
  await page.evaluate(() => { document.querySelector("main").scrollTop = 700; });
  const place = () => page.evaluate(() => {
    const main = document.querySelector("main");
    const row = [...main.querySelectorAll("[role=row]:not([hidden])")].find((each) => each.getBoundingClientRect().top >= main.getBoundingClientRect().top);
    return [main.scrollTop, row?.getAttribute("aria-label"), Math.round(row?.getBoundingClientRect().top)].join(" | ");
  });
  await rowsHere(page);
  const before = await place();
  writeTone(join(music, "Tone 999.wav"), 999);
  waxwing.run("scan", "--music", music);
  await until("the catalog to have it", async () => (await waxwing.get("/api/songs")).total === 61, 20_000);
  await lookAgain(page);
  await page.getByText("61 songs").waitFor();
  assert.equal(await place(), before, "the list moved");
  await page.locator("main [data-index]").first().focus();
  await page.keyboard.press("End");
  await page.getByText("Tone 999", { exact: true }).first().waitFor();
  assert.ok(seen.asked <= 6, `the catalog was asked ${seen.asked} times`);
  clean();
  await context.close();
});

test("what comes in above does not push away what is read; home and the side follow too", async () => {
  const { page, context, clean } = await watched(browser, waxwing, { viewport: { width: 900, height: 420 } });
  for (let i = 10; i < 40; i++) await waxwing.post("/api/playlists", { name: `List ${i}` });
  const names = (await waxwing.get("/api/playlists?limit=50")).playlists.map(({ name }) => name);
  await enter(page, waxwing, "#/playlists");
  await page.locator("main [role=row]:not([hidden])").first().waitFor();
  await page.evaluate(() => { const main = document.querySelector("main"); main.scrollTop = main.scrollHeight / 2; });
  await rowsHere(page);
  const place = () => page.evaluate(() => {
    const main = document.querySelector("main");
    const top = main.getBoundingClientRect().top;
    const card = [...main.querySelectorAll("[role=row]:not([hidden])")].filter((each) => each.getBoundingClientRect().bottom > top).sort((a, b) => Number(a.dataset.index) - Number(b.dataset.index))[0];
    return { card: card?.getAttribute("aria-label"), y: card?.getBoundingClientRect().top };
  });
  const before = await place();
  const columns = await page.evaluate(() => Math.round(document.querySelector("main wax-list").clientWidth / document.querySelector("main [role=row]").clientWidth));
  for (let i = 0; i < columns; i++) await waxwing.post("/api/playlists", { name: `AAA ${i}` });
  const first = (await waxwing.get("/api/playlists?limit=5")).playlists[0].name;
  await lookAgain(page);
  await page.getByText(`${names.length + columns} playlists`).waitFor();
  const after = await place();
  assert.equal(first, "AAA 0", "nothing came in above");
  assert.ok(after.card === before.card && Math.abs(after.y - before.y) < 2, `${JSON.stringify(before)} was pushed to ${JSON.stringify(after)}`);
  await visit(page, "#/");
  await waxwing.post("/api/playlists", { name: "AAAA tonight" });
  await lookAgain(page);
  await page.locator("nav.side").getByText("AAAA tonight").waitFor();
  await page.locator("main").getByText("AAAA tonight").waitFor();
  clean();
  await context.close();
});

test("a page that is left open asks calmly, and one that is not seen asks nothing", async () => {
  const { page, context, clean } = await watched(browser, waxwing);
  await page.clock.install();
  const seen = looks(context);
  await enter(page, waxwing, "#/songs");
  await until("the first look", () => seen.asked === 1);
  for (let quarter = 1; quarter <= 4; quarter++) {
    await page.clock.runFor(15_000);
    await until(`look ${quarter + 1}`, () => seen.asked === quarter + 1);
  }
  assert.equal(seen.unchanged, seen.asked - 1, "an unchanged catalog was sent again");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  const before = seen.asked;
  await page.clock.runFor(120_000);
  assert.equal(seen.asked, before, "it asked while nobody looked");
  clean();
  await context.close();
});
