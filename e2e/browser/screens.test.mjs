// Every screen, as those see it who use assistive technology, and as a hostile library would have
// it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Waxwing, enter, launch, rowsHere, until, visit, watched } from "./harness.mjs";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core")), "utf8");

let waxwing, browser, screens;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
  const [album] = (await waxwing.get("/api/albums?limit=1")).albums;
  const [artist] = (await waxwing.get("/api/artists?limit=1")).artists;
  const [song] = await waxwing.fillQueue();
  const { playlist } = await waxwing.post("/api/playlists", { name: "Test playlist", song_ids: [song.id] });
  screens = ["#/", "#/songs", "#/albums", `#/albums/${album.id}`, "#/artists", `#/artists/${artist.id}`, "#/playlists", `#/playlists/${playlist.id}`, "#/search?q=a", "#/search?q=zzqq", "#/now", "#/queue", "#/library", "#/settings", "#/settings/access"];
});
after(async () => { await browser?.close(); await waxwing?.down(); });

/** The page's own policy forbids inline scripts, so axe is evaluated through the debugger. */
async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary.split("\n").slice(1, 3).join(" ").trim()}`));
}

for (const [name, options] of Object.entries({
  "desktop, dark": { colorScheme: "dark" },
  "phone, light": { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
})) {
  test(`no serious finding on any screen: ${name}`, async () => {
    const { page, context, clean } = await watched(browser, waxwing, { ...options, reducedMotion: "reduce" });
    const found = [];
    await page.goto(waxwing.base);
    await page.getByText("waxwing open").waitFor();
    found.push(...(await findings(page)).map((text) => `welcome: ${text}`));
    await enter(page, waxwing);
    for (const screen of screens) {
      await visit(page, screen);
      if (screen.endsWith("/access")) await page.getByRole("list", { name: "Catalog keys" }).waitFor();
      found.push(...(await findings(page)).map((text) => `${screen}: ${text}`));
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${screen} is ${overflow} px too wide`);
    }
    await visit(page, "#/songs");
    await page.locator("main .row-more").first().click();
    await page.getByRole("menu").waitFor();
    found.push(...(await findings(page)).map((text) => `menu: ${text}`));
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    found.push(...(await findings(page)).map((text) => `help: ${text}`));
    await page.keyboard.press("Escape");
    await visit(page, "#/settings/access");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("dialog").waitFor();
    found.push(...(await findings(page)).map((text) => `new key: ${text}`));
    await page.getByLabel("What is it for?").fill(`Key for ${name}`);
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".secret").waitFor();
    found.push(...(await findings(page)).map((text) => `secret: ${text}`));
    await page.goto(`${waxwing.base}/overlay/new`);
    await page.getByRole("heading", { name: "Overlay" }).waitFor();
    found.push(...(await findings(page)).map((text) => `overlay builder: ${text}`));
    assert.deepEqual(found, []);
    clean();
    await context.close();
  });
}

test("a million songs: few rows in the document, the last one within reach, steps of the wheel exact", async () => {
  const total = 1_000_000;
  const { page, context, clean } = await watched(browser, waxwing);
  const [one] = (await waxwing.get("/api/songs?limit=1")).songs;
  let asked = 0;
  await context.route("**/api/songs?*", (route) => {
    asked++;
    const { searchParams } = new URL(route.request().url());
    const [number, limit] = [Number(searchParams.get("page")), Number(searchParams.get("limit"))];
    const songs = Array.from({ length: limit }, (_, i) => ({ ...one, id: `so_${(number - 1) * limit + i}`, title: `Song ${(number - 1) * limit + i + 1}` }));
    return route.fulfill({ json: { songs, page: number, limit, total } });
  });
  await enter(page, waxwing, "#/songs");
  await page.getByText("1,000,000 songs").waitFor();
  const rows = () => page.locator("main [role=row]:not([hidden])");
  const top = () => page.evaluate(() => {
    const view = document.querySelector("main").getBoundingClientRect();
    const all = [...document.querySelectorAll("main [role=row]:not([hidden])")].map((row) => [row.getBoundingClientRect().top, Number(row.dataset.index)]);
    return all.filter(([y]) => y >= view.top - 1).sort((a, b) => a[0] - b[0])[0];
  });
  assert.ok((await rows().count()) < 60, "too many rows are in the document");
  await page.locator('main [data-index="0"]').focus();
  await page.keyboard.press("End");
  await page.getByText("Song 1000000", { exact: true }).waitFor();
  await page.keyboard.press("Home");
  await page.getByText("Song 1", { exact: true }).waitFor();
  // In the middle, where scrolling is stretched, a turn of the wheel still moves by its own length.
  await page.evaluate(() => { const main = document.querySelector("main"); main.scrollTop = main.scrollHeight / 2; });
  await rowsHere(page);
  const before = await top();
  assert.ok(before[1] > 300_000 && before[1] < 700_000, `the middle is at ${before[1]}`);
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 600);
  await until("the wheel to move ten rows", async () => { const [y, index] = await top(); return Math.abs((index - before[1]) * 60 - (y - before[0]) - 600) < 2; });
  await rowsHere(page);
  // A long, fast scroll: how long frames take, and that nothing is read twice over.
  const frames = (by) => page.evaluate(async (step) => {
    const main = document.querySelector("main");
    const took = [];
    for (let i = 0, last = performance.now(); i < 120; i++) {
      main.scrollTop += step;
      await new Promise(requestAnimationFrame);
      took.push(performance.now() - last);
      last = performance.now();
    }
    return took.sort((a, b) => a - b);
  }, by);
  const [still, fast] = [await frames(0), await frames(900)];
  assert.ok((await rows().count()) < 60);
  assert.ok(asked < 60, `${asked} pages were read`);
  assert.ok(fast[60] < 4 * still[60], `half of the frames took ${fast[60]} ms or more, and ${still[60]} ms while nothing moved`);
  console.log(`120 frames of fast scrolling: median ${fast[60].toFixed(1)} ms, 95 of 100 within ${fast[114].toFixed(1)} ms; at rest ${still[60].toFixed(1)} and ${still[114].toFixed(1)} ms; ${asked} pages read`);
  clean();
  await context.close();
});

test("a read-only token cannot change anything", async () => {
  const { secret } = await waxwing.post("/tokens", { name: "Looker", permissions: ["read"] });
  const { page, context, clean } = await watched(browser, waxwing);
  await enter(page, { ...waxwing, base: waxwing.base, token: secret });
  await page.getByText("Read-only access").waitFor();
  await page.locator("wax-now-bar").getByRole("button", { name: "Play", exact: true }).click();
  await page.getByText("token is read-only").waitFor();
  assert.equal((await waxwing.get("/playback-state")).is_playing, false);
  await visit(page, screens[3]);
  await page.locator("main [role=row]").first().hover();
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(".row-play, .card-play, .handle, .hero .button")].filter((each) => each.checkVisibility()).map((each) => each.className)), [], "what it may not press is shown");
  await page.locator("main .row-more").first().click();
  await page.getByRole("menuitem", { name: "Go to artist" }).waitFor();
  assert.equal(await page.getByRole("menuitem", { name: "Play next" }).count(), 0);
  clean();
  await context.close();
});

const payloads = [
  "<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "\"><svg onload=alert(3)>", "javascript:alert(4)", "'-alert(5)-'", "{{constructor.constructor('alert(6)')()}}",
  "<iframe srcdoc='<script>parent.alert(7)</script>'>", "</title><script>alert(8)</script>", "<a href=javascript:alert(9)>x</a>", "\u202Eevil\u202C", "<style>*{display:none}</style>", "&lt;b&gt;bold&lt;/b&gt;",
];

test("hostile names stay text on every screen and in the overlay", async () => {
  const { page, context, seen } = await watched(browser, waxwing);
  /** Puts a payload into every name that the catalog or the player sends. */
  const poison = (value, i = { n: 0 }) => {
    if (Array.isArray(value)) return value.map((each) => poison(each, i));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, ["title", "artist", "album", "name", "username", "description", "bio", "genre", "error"].includes(key) && typeof each !== "object" ? payloads[i.n++ % payloads.length] : poison(each, i)]));
    }
    return value;
  };
  await context.route(/\/(api\/|playback-queue|tokens|outputs|user\/public)/, async (route) => {
    const reply = await route.fetch();
    return route.fulfill({ response: reply, json: poison(await reply.json()) });
  });
  await waxwing.fillQueue();
  await enter(page, waxwing);
  for (const screen of screens) {
    await visit(page, screen);
    await page.waitForTimeout(50);
  }
  await visit(page, "#/songs");
  await page.locator("main .row-more").first().click();
  await page.getByRole("menuitem", { name: "Add to playlist…" }).click();
  await page.getByRole("dialog").waitFor();
  assert.equal(await page.evaluate(() => document.querySelectorAll("main script, main iframe, main style, body img[src=x], a[href^='javascript:']").length), 0);
  assert.deepEqual(seen.dialogs, []);
  assert.deepEqual(seen.errors, []);
  assert.deepEqual(seen.foreign, []);
  await context.close();
});
