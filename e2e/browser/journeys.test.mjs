// The main features of the web player, used with mouse and keyboard.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Waxwing, enter, launch, stableBox, until, visit, openRecorded } from "./harness.mjs";

let waxwing, browser;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

test("the first visit shows instructions without a token, and the player with the link of waxwing open", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await page.goto(waxwing.base);
  await page.getByText("waxwing open").waitFor();
  const link = waxwing.run("open", "--print");
  assert.match(link, new RegExp(`^${waxwing.base}/#token=wxt_`));
  await page.goto(link);
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  assert.ok(!page.url().includes("wxt_"), "the token is still in the address");
  assert.ok(
    await page.evaluate(
      () => !history.state && sessionStorage.length === 1 && !JSON.stringify(localStorage).includes("wxt_"),
    ),
  );
  await page
    .getByRole("region", { name: "Now playing" })
    .getByRole("button", { name: "Play", exact: true })
    .click();
  await until("playback to start", async () => (await waxwing.get("/playback-state")).is_playing);
  const { track } = await waxwing.get("/current-track");
  await page.waitForFunction((title) => document.title.startsWith(title), track.title);
  await page
    .getByRole("region", { name: "Now playing" })
    .getByRole("button", { name: "Pause", exact: true })
    .click();
  await until("playback to pause", async () => !(await waxwing.get("/playback-state")).is_playing);
  clean();
  await context.close();
});

test("a one-time link gives access once", async () => {
  const pairing = await waxwing.post("/pair/invite", {
    name: "Web player",
    permissions: ["read", "write"],
    expires_in: 600,
  });
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await page.goto(`${waxwing.base}/#claim=${pairing.id}`);
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  assert.ok(!page.url().includes(pairing.id));
  clean();
  await context.close();
  const other = await openRecorded(browser, waxwing);
  await other.page.goto(`${waxwing.base}/#claim=${pairing.id}`);
  await other.page.getByText("This link has been used already").waitFor();
  await other.context.close();
});

test("dragging the slider and arrow keys seek", async () => {
  await waxwing.fillQueue();
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  const slider = page.locator("wax-now-bar wax-seek input");
  const box = await stableBox(slider);
  await page.mouse.move(box.x + box.width * 0.1, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await until("position 60 %", async () => {
    const { track } = await waxwing.get("/current-track");
    return Math.abs(track.position / track.duration - 0.6) < 0.03;
  });
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await until("a seek back by 5 s", async () => {
    const { track } = await waxwing.get("/current-track");
    return Math.abs(track.position - (track.duration * 0.6 - 5000)) < 0.03 * track.duration;
  });
  clean();
  await context.close();
});

test("queue rows can be reordered by drag and keys, removed and played", async () => {
  const songs = await waxwing.fillQueue();
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  const rows = page.locator(".queue-side [role=row]:not([hidden])");
  await rows.nth(5).waitFor();
  const handle = await stableBox(rows.nth(1).locator(".handle"));
  const target = await stableBox(rows.nth(4));
  await page.mouse.move(handle.x + 8, handle.y + 12);
  await page.mouse.down();
  await page.mouse.move(handle.x + 8, handle.y + 60, { steps: 4 });
  await page.mouse.move(handle.x + 8, target.y + target.height / 2, { steps: 4 });
  await page.mouse.up();
  const ids = songs.map(({ id }) => id);
  const titles = new Map(songs.map(({ id, title }) => [id, title]));
  const shown = (index) => {
    const row = page.locator(`.queue-side [role=row][data-index="${index}"]`);
    return until(`row ${index} to show its song`, async () => (await row.innerText()).includes(titles.get(ids[index])));
  };
  ids.splice(4, 0, ids.splice(1, 1)[0]);
  await until("the order after the drag", async () => (await waxwing.queueIds()).join() === ids.join());
  await shown(4);
  await page.locator(`.queue-side [role=row][data-index="4"]`).focus();
  await page.keyboard.press("Alt+ArrowUp");
  ids.splice(3, 0, ids.splice(4, 1)[0]);
  await until("the order after Alt+Up", async () => (await waxwing.queueIds()).join() === ids.join());
  await shown(3);
  await page.locator(`.queue-side [role=row][data-index="3"]`).focus();
  await page.keyboard.press("Delete");
  ids.splice(3, 1);
  await until("the row to be removed", async () => (await waxwing.queueIds()).join() === ids.join());
  await shown(3);
  await page.locator(`.queue-side [role=row][data-index="2"]`).dblclick({ position: { x: 120, y: 20 } });
  await until(
    "the double-clicked song",
    async () => (await waxwing.get("/playback-queue")).current_track_id === ids[2],
  );
  await waxwing.post("/pause");
  clean();
  await context.close();
});

test("search shows results while typing", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  const [song] = (await waxwing.get("/api/songs?limit=1")).songs;
  const field = page.getByRole("searchbox", { name: "Search" });
  await page.keyboard.press("/");
  for (const letter of song.title.slice(0, 4)) await page.keyboard.type(letter, { delay: 30 });
  const found = page.getByRole("list", { name: "Songs" }).getByRole("button", { name: `Play ${song.title}` });
  await page.getByRole("heading", { name: `Results for “${song.title.slice(0, 4)}”` }).waitFor();
  await found.waitFor();
  assert.equal(await field.inputValue(), song.title.slice(0, 4), "the field lost typed characters");
  await found.click({ force: true });
  await until("playback to start", async () => (await waxwing.get("/current-track")).track.id === song.id);
  await field.fill("qqqqzzzz");
  await page.getByText("Nothing matches").waitFor();
  await waxwing.post("/pause");
  clean();
  await context.close();
});

test("playlists can be created, filled, reordered, renamed, shortened, played and deleted", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.locator("nav.side").getByRole("button", { name: "New playlist" }).click();
  await page.getByLabel("Name").fill("Rainy days");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Rainy days" }).waitFor();
  const id = await until(
    "the playlist",
    async () => (await waxwing.get("/api/playlists")).playlists.find(({ name }) => name === "Rainy days")?.id,
  );
  await visit(page, "#/songs");
  for (const index of [0, 1, 2]) {
    await page.locator(`main [data-index="${index}"] .row-more`).click();
    await page.getByRole("menuitem", { name: "Add to playlist…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rainy days" }).click();
    await until(
      "the song to be added",
      async () => (await waxwing.get(`/api/playlists/${id}`)).playlist.song_count === index + 1,
    );
  }
  const ids = async () => (await waxwing.get(`/api/playlists/${id}/songs`)).songs.map((song) => song.id);
  const before = await ids();
  await visit(page, `#/playlists/${id}`);
  const handle = await stableBox(page.locator('main [data-index="0"] .handle'));
  const target = await stableBox(page.locator('main [data-index="2"]'));
  await page.mouse.move(handle.x + 8, handle.y + 16);
  await page.mouse.down();
  await page.mouse.move(handle.x + 8, target.y + target.height / 2, { steps: 8 });
  await page.mouse.up();
  await until("the new order", async () => (await ids()).join() === [before[1], before[2], before[0]].join());
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name").fill("Sunny days");
  await page.getByLabel("Public").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "Sunny days" }).waitFor();
  assert.equal((await waxwing.get(`/api/playlists/${id}`)).playlist.public, true);
  await page.locator('main [data-index="0"]').focus();
  await page.keyboard.press("Delete");
  await until("a song to be removed", async () => (await ids()).join() === [before[2], before[0]].join());
  await page.getByRole("button", { name: "Play", exact: true }).first().click();
  await until(
    "the playlist to play",
    async () => (await waxwing.queueIds()).join() === [before[2], before[0]].join(),
  );
  await waxwing.post("/pause");
  await page.getByRole("button", { name: "More about Sunny days" }).click();
  await page.getByRole("menuitem", { name: "Delete playlist" }).click();
  await until(
    "the playlist to be deleted",
    async () => (await waxwing.call("GET", `/api/playlists/${id}`)).status === 404,
  );
  clean();
  await context.close();
});

test("pairing requests of an app and a second browser can be approved, and another refused", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  const pairing = await waxwing.post("/pair", { name: "Kitchen radio", permissions: ["read"] }, "");
  const notice = page.getByRole("alert");
  await notice.getByText("Kitchen radio").waitFor();
  assert.equal(await notice.locator(".pair-code").textContent(), pairing.code);
  await notice.getByRole("button", { name: "Approve" }).click();
  const { token } = await until("the token", async () => {
    const reply = await waxwing.call("POST", "/pair/claim", { id: pairing.id }, "");
    return reply.status === 200 && reply.json();
  });
  await waxwing.get("/playback-state", token);

  const refused = await waxwing.post("/pair", { name: "Unknown radio", permissions: ["read"] }, "");
  await notice.getByText("Unknown radio").waitFor();
  await notice.getByRole("button", { name: "Refuse" }).click();
  await notice.getByText("Refused.").waitFor();
  await page.mouse.move(5, 5);
  await notice.getByText("Unknown radio").waitFor({ state: "detached" });
  assert.equal((await waxwing.call("POST", "/pair/claim", { id: refused.id }, "")).status, 409);

  const second = await openRecorded(browser, waxwing, { viewport: { width: 390, height: 844 } });
  await second.page.goto(waxwing.base);
  await second.page.getByRole("button", { name: "Request access" }).click();
  const code = await second.page.locator(".pair-code").textContent();
  await second.page.getByText(/\d+ s left/).waitFor();
  await notice.locator(".pair-code", { hasText: code }).waitFor();
  await notice.getByRole("button", { name: "Approve" }).click();
  await second.page.getByRole("heading", { name: "Trending" }).waitFor();
  second.clean();
  await second.context.close();
  clean();
  await context.close();
});

test("tokens can be created and revoked, and the generated overlay address works", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/settings");
  await page.getByRole("link", { name: "Keys and tokens" }).click();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("What is it for?").fill("Stream deck");
  await page.getByLabel("It may").selectOption("read write");
  await page.getByRole("button", { name: "Create" }).click();
  const secret = await page.locator(".secret").textContent();
  await page.getByRole("button", { name: "Done" }).click();
  await waxwing.get("/playback-state", secret);
  await page.getByRole("button", { name: "Revoke Stream deck" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await until(
    "the token to be invalid",
    async () => (await waxwing.call("GET", "/playback-state", undefined, secret)).status === 401,
  );

  await waxwing.fillQueue();
  await page.goto(`${waxwing.base}/overlay/new`);
  await page.getByLabel("Theme").selectOption("vinyl");
  await page.getByLabel("Position").selectOption("top-right");
  await page.getByRole("button", { name: "Create the address" }).click();
  const field = page.getByLabel("Address");
  await until("the address", async () => /#token=wxt_/.test(await field.inputValue()));
  const address = await field.inputValue();
  assert.match(address, /theme=vinyl&position=top-right#token=/);
  const overlay = await openRecorded(browser, waxwing);
  await overlay.page.goto(address);
  await overlay.page.locator("wax-overlay-card:not(.hidden)").waitFor();
  const { track } = await waxwing.get("/current-track");
  await overlay.page.getByText(track.title, { exact: true }).waitFor();
  assert.ok(!overlay.page.url().includes("wxt_"));
  assert.equal(
    await overlay.page.evaluate(() => getComputedStyle(document.body).backgroundColor),
    "rgba(0, 0, 0, 0)",
  );
  await waxwing.post("/next");
  const after = (await waxwing.get("/current-track")).track;
  await overlay.page.getByText(after.title, { exact: true }).waitFor();
  overlay.clean();
  await overlay.context.close();
  clean();
  await context.close();
});

test("playback, navigation and menus work with the keyboard alone", async () => {
  await waxwing.fillQueue();
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.keyboard.press("Space");
  await until("space to play", async () => (await waxwing.get("/playback-state")).is_playing);
  await page.keyboard.press("Space");
  await until("space to pause", async () => !(await waxwing.get("/playback-state")).is_playing);
  const position = (await waxwing.get("/current-track")).track.position;
  await page.keyboard.press("ArrowRight");
  await until(
    "an arrow to seek",
    async () => Math.abs((await waxwing.get("/current-track")).track.position - position - 5000) < 400,
  );
  await waxwing.post("/volume", { volume: 70 });
  await page.waitForFunction(() => document.querySelector("wax-volume input")?.value === "70");
  await page.keyboard.press("ArrowDown");
  await until("an arrow to lower the volume", async () => (await waxwing.get("/volume")).volume === 65);
  const { current_track_id: first } = await waxwing.get("/playback-queue");
  await page.keyboard.press("Shift+ArrowRight");
  await until("the next track", async () => (await waxwing.get("/playback-queue")).current_track_id !== first);
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Play or pause").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Single-key shortcuts can be disabled.
  const toggleSingleKeys = async () => {
    await visit(page, "#/settings");
    await page.getByLabel("Single-key shortcuts").press("Space");
    await page.locator("main h1").click();
  };
  await toggleSingleKeys();
  await page.keyboard.press("?");
  await page.keyboard.press("n");
  await page.keyboard.press("Shift+ArrowLeft");
  await until("an arrow to go back", async () => (await waxwing.get("/playback-queue")).current_track_id === first);
  assert.ok(
    await page.evaluate(() => location.hash === "#/settings" && !document.querySelector("dialog")),
    "a disabled shortcut had an effect",
  );
  await toggleSingleKeys();
  // Tab and Enter open the song list, arrows move in it, and Enter plays.
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") || document.activeElement?.textContent || "",
    );
  const tabTo = async (name) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      if ((await focused()).trim().startsWith(name)) return;
    }
    assert.fail(`Tab never reached ${name}`);
  };
  await tabTo("Songs");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    () => document.documentElement.dataset.view === "songs" && document.querySelector("main [role=row]"),
  );
  const { songs } = await waxwing.get("/api/songs?limit=50");
  await tabTo(songs[0].title);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(
    "Enter to play the fourth song",
    async () => (await waxwing.get("/current-track")).track.id === songs[3].id,
  );
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Play next" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("is in the queue").waitFor();
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute("data-index")),
    "3",
    "the focus did not return to the row",
  );
  await waxwing.post("/pause");
  clean();
  await context.close();
});

test("the page reconnects after a server restart, even if it was reloaded while offline", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await until("the files to be cached", () =>
    page.evaluate(async () => {
      const { files } = await (await fetch("/web/files.json")).json();
      const cached = (await (await caches.open("waxwing-files")).keys()).map(({ url }) => new URL(url).pathname);
      return ["/", "/overlay", "/overlay/new", ...files].every((path) => cached.includes(path));
    }),
  );
  await waxwing.kill();
  await page.getByText("The player is offline").waitFor();
  await page.reload();
  await page.getByText("The player is offline").first().waitFor();
  await waxwing.start();
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  await waxwing.post("/play");
  await page
    .getByRole("region", { name: "Now playing" })
    .getByRole("button", { name: "Pause", exact: true })
    .waitFor();
  await waxwing.post("/pause");
  clean(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_FAILED|ERR_EMPTY_RESPONSE/);
  await context.close();
});
