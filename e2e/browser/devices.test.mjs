// The web player on a phone: touch, media keys and lock screen.

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

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** Sends touch events through the DevTools protocol. */
async function touchInput(context, page) {
  const session = await context.newCDPSession(page);
  const send = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  return {
    down: (x, y) => send("touchStart", [{ x, y }]),
    up: () => send("touchEnd", []),
    async move(x, from, to, steps) {
      for (let i = 1; i <= steps; i++) await send("touchMove", [{ x, y: from + ((to - from) * i) / steps }]);
    },
  };
}

test("touch: dragging the handle moves a song in the queue, dragging elsewhere scrolls", async () => {
  const songs = await waxwing.fillQueue();
  const { page, context, clean } = await openRecorded(browser, waxwing, phone);
  await enter(page, waxwing, "#/queue");
  const row = (index) => page.locator(`main [role=row][data-index="${index}"]`);
  await row(5).waitFor();
  const touch = await touchInput(context, page);
  const handle = await stableBox(row(1).locator(".handle"));
  const target = await stableBox(row(4));
  const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
  await touch.down(x, y);
  await touch.move(x, y, target.y + target.height / 2, 12);
  await page.locator(".drag-ghost").waitFor();
  await touch.up();
  const ids = songs.map(({ id }) => id);
  ids.splice(4, 0, ids.splice(1, 1)[0]);
  await until("the order after the drag", async () => (await waxwing.queueIds()).join() === ids.join());
  assert.equal(await page.locator(".drag-ghost, .drop-line").count(), 0);

  const title = await stableBox(row(3).locator(".names"));
  await touch.down(title.x + 40, title.y + 10);
  await touch.move(title.x + 40, title.y + 10, title.y - 190, 12);
  await touch.up();
  await until("the list to scroll", () =>
    page.evaluate(() => [...document.querySelectorAll(".scroller")].some(({ scrollTop }) => scrollTop > 80)),
  );
  assert.equal((await waxwing.queueIds()).join(), ids.join(), "scrolling moved a song");
  assert.equal((await waxwing.get("/playback-state")).is_playing, false, "scrolling started a song");
  clean();
  await context.close();
});

test("media keys and lock screen show the current track and control playback", async () => {
  const songs = await waxwing.fillQueue();
  const { page, context, clean } = await openRecorded(browser, waxwing);
  // Handlers of a media session cannot be read back, so they are recorded when they are set.
  await page.addInitScript(() => {
    globalThis.actionHandlers = {};
    const set = MediaSession.prototype.setActionHandler;
    MediaSession.prototype.setActionHandler = function (action, handler) {
      globalThis.actionHandlers[action] = handler;
      return set.call(this, action, handler);
    };
  });
  await enter(page, waxwing);
  const mediaSession = () =>
    page.evaluate(() => {
      const { metadata, playbackState } = navigator.mediaSession;
      return (
        metadata && {
          title: metadata.title,
          artist: metadata.artist,
          album: metadata.album,
          state: playbackState,
          art: metadata.artwork.map(({ src, sizes }) => `${sizes} ${src}`),
        }
      );
    });
  const press = (action, details = {}) =>
    page.evaluate(
      ([name, extra]) => globalThis.actionHandlers[name]({ action: name, ...extra }),
      [action, details],
    );
  const first = await until("the media session's metadata", mediaSession);
  assert.deepEqual(
    [first.title, first.artist, first.album, first.state],
    [songs[0].title, songs[0].artist, songs[0].album, "paused"],
  );
  assert.ok(
    first.art.length > 0 && first.art.every((image) => image.includes(`${waxwing.base}/media/covers/`)),
    `got artwork ${first.art}`,
  );
  const [size, source] = first.art.at(-1).split(" ");
  const art = await page.evaluate(async (src) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    return `${image.naturalWidth}x${image.naturalHeight}`;
  }, source);
  assert.equal(art, size, "the artwork does not have its declared size");

  await press("play");
  await until("playback to start", async () => (await waxwing.get("/playback-state")).is_playing);
  await until("the media session to be playing", async () => (await mediaSession()).state === "playing");
  await press("nexttrack");
  await until("the next song", async () => (await waxwing.get("/current-track")).track.id === songs[1].id);
  await until("the title of the next song", async () => (await mediaSession()).title === songs[1].title);
  await press("pause");
  await until("playback to pause", async () => !(await waxwing.get("/playback-state")).is_playing);
  const position = async () => (await waxwing.get("/current-track")).track.position;
  await press("seekto", { seekTime: 12 });
  await until("position 12 s", async () => Math.abs((await position()) - 12_000) < 100);
  // The page computes relative seeks from the position it received last.
  const received = (at) =>
    until(`the page to receive position ${at}`, async () => {
      const shown = Number(await page.locator("wax-now-bar wax-seek input").inputValue());
      return Math.abs(shown - at) < 300;
    });
  await received(12_000);
  await press("seekforward", { seekOffset: 5 });
  await until("a seek forward by 5 s", async () => Math.abs((await position()) - 17_000) < 300);
  await received(17_000);
  await press("seekbackward", {});
  await until("a seek back by 10 s", async () => Math.abs((await position()) - 7000) < 500);
  await press("previoustrack");
  await until("the start of the song", async () => (await position()) < 100);
  // The page chooses between restart and previous track by the position it received last.
  await until(
    "the page to receive the position",
    async () => Number(await page.locator("wax-now-bar wax-seek input").inputValue()) < 100,
  );
  await press("previoustrack");
  await until("the previous song", async () => (await waxwing.get("/current-track")).track.id === songs[0].id);
  await waxwing.post("/queue/clear");
  await until("the media session to be cleared", async () =>
    page.evaluate(
      () => navigator.mediaSession.metadata === null && navigator.mediaSession.playbackState === "none",
    ),
  );
  clean();
  await context.close();
});

test("a phone that scans the code of the settings is signed in, once", async () => {
  await waxwing.kill();
  waxwing.extraArgs = ["--player-public-url", waxwing.base]; // phones reach it at this address
  await waxwing.start();
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/settings");
  const [reply] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith("/pair/phone")),
    page.getByRole("button", { name: "Use your phone" }).click(),
  ]);
  const { link, qr } = await reply.json();
  const dark = qr.join("").split("1").length - 1;
  const path = await page.getByRole("img", { name: "QR code" }).locator("path").getAttribute("d");
  assert.equal(path.split("M").length - 1, dark, "dark squares of the code");
  const scanned = await openRecorded(browser, waxwing, phone);
  await scanned.page.goto(link);
  await scanned.page.getByRole("heading", { name: "Trending" }).waitFor();
  await page.getByText("The phone is signed in.").waitFor();
  const another = await openRecorded(browser, waxwing, phone);
  await another.page.goto(link);
  await another.page.getByText("This link has been used already").waitFor();
  await visit(scanned.page, "#/settings");
  const invite = scanned.page.getByRole("button", { name: "Use your phone" });
  assert.equal(await invite.count(), 0, "the phone may not manage access");
  scanned.clean();
  clean();
  for (const opened of [context, scanned.context, another.context]) await opened.close();
});

test("on a phone every tab opens its screen, and no screen is too wide", async () => {
  await waxwing.fillQueue();
  const { page, context, clean } = await openRecorded(browser, waxwing, phone);
  await enter(page, waxwing);
  for (const [tab, heading] of [
    ["Library", "Library"],
    ["Now", null],
    ["Queue", null],
    ["Settings", "Settings"],
    ["Home", null],
  ]) {
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: tab }).tap();
    if (heading) await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${tab} is ${overflow} px too wide`);
  }
  await visit(page, "#/now");
  await page.locator("main").getByRole("button", { name: "Play", exact: true }).tap();
  await until("playback to start", async () => (await waxwing.get("/playback-state")).is_playing);
  await waxwing.post("/pause");
  clean();
  await context.close();
});
