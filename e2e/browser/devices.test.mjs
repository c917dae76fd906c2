// The web player on a phone, and under the media keys of the device that shows it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Waxwing, enter, launch, settledBox, until, visit, watched } from "./harness.mjs";

let waxwing, browser;
before(async () => { [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]); });
after(async () => { await browser?.close(); await waxwing?.down(); });

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** A finger on the screen, through the browser's own input. */
async function finger(context, page) {
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

test("a finger drags a song to another place in the queue, and scrolls everywhere else", async () => {
  const songs = await waxwing.fillQueue();
  const { page, context, clean } = await watched(browser, waxwing, phone);
  await enter(page, waxwing, "#/queue");
  const row = (index) => page.locator(`main [role=row][data-index="${index}"]`);
  await row(5).waitFor();
  const touch = await finger(context, page);
  const handle = await settledBox(row(1).locator(".handle"));
  const target = await settledBox(row(4));
  const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2];
  await touch.down(x, y);
  await touch.move(x, y, target.y + target.height / 2, 12);
  await page.locator(".drag-ghost").waitFor();
  await touch.up();
  const ids = songs.map(({ id }) => id);
  ids.splice(4, 0, ids.splice(1, 1)[0]);
  await until("the drag to be done", async () => (await waxwing.queueIds()).join() === ids.join());
  assert.equal(await page.locator(".drag-ghost, .drop-line").count(), 0);

  const title = await settledBox(row(3).locator(".names"));
  await touch.down(title.x + 40, title.y + 10);
  await touch.move(title.x + 40, title.y + 10, title.y - 190, 12);
  await touch.up();
  await until("the list to scroll", () => page.evaluate(() => [...document.querySelectorAll(".scroller")].some(({ scrollTop }) => scrollTop > 80)));
  assert.equal((await waxwing.queueIds()).join(), ids.join(), "scrolling moved a song");
  assert.equal((await waxwing.get("/playback-state")).is_playing, false, "scrolling started a song");
  clean();
  await context.close();
});

test("media keys and lock screen show the current track and control playback", async () => {
  const songs = await waxwing.fillQueue();
  const { page, context, clean } = await watched(browser, waxwing);
  // The browser keeps handlers to itself, so they are noted on the way in; all else is the
  // browser's own media session.
  await page.addInitScript(() => {
    globalThis.pressed = {};
    const set = MediaSession.prototype.setActionHandler;
    MediaSession.prototype.setActionHandler = function (action, handler) {
      globalThis.pressed[action] = handler;
      return set.call(this, action, handler);
    };
  });
  await enter(page, waxwing);
  const told = () => page.evaluate(() => {
    const { metadata, playbackState } = navigator.mediaSession;
    return metadata && { title: metadata.title, artist: metadata.artist, album: metadata.album, state: playbackState, art: metadata.artwork.map(({ src, sizes }) => `${sizes} ${src}`) };
  });
  const press = (action, details = {}) => page.evaluate(([name, more]) => globalThis.pressed[name]({ action: name, ...more }), [action, details]);
  const first = await until("the song to be told", told);
  assert.deepEqual([first.title, first.artist, first.album, first.state], [songs[0].title, songs[0].artist, songs[0].album, "paused"]);
  assert.ok(first.art.length > 0 && first.art.every((each) => each.includes(`${waxwing.base}/media/covers/`)), `the art is ${first.art}`);
  const [size, source] = first.art.at(-1).split(" ");
  const art = await page.evaluate(async (src) => { const image = new Image(); image.src = src; await image.decode(); return `${image.naturalWidth}x${image.naturalHeight}`; }, source);
  assert.equal(art, size, "the art has another size than it says");

  await press("play");
  await until("it to play", async () => (await waxwing.get("/playback-state")).is_playing);
  await until("that to be told", async () => (await told()).state === "playing");
  await press("nexttrack");
  await until("the next song", async () => (await waxwing.get("/current-track")).track.id === songs[1].id);
  await until("the next song to be told", async () => (await told()).title === songs[1].title);
  await press("pause");
  await until("silence", async () => !(await waxwing.get("/playback-state")).is_playing);
  const at = async () => (await waxwing.get("/current-track")).track.position;
  await press("seekto", { seekTime: 12 });
  await until("the place", async () => Math.abs((await at()) - 12_000) < 100);
  await press("seekforward", { seekOffset: 5 });
  await until("5 s on", async () => Math.abs((await at()) - 17_000) < 300);
  await press("seekbackward", {});
  await until("10 s back", async () => Math.abs((await at()) - 7000) < 500);
  await press("previoustrack");
  await until("the start of the song", async () => (await at()) < 100);
  // The page goes back or to the start by the place that it was told last.
  await until("the page to know", async () => Number(await page.locator("wax-now-bar wax-seek input").inputValue()) < 100);
  await press("previoustrack");
  await until("the song before", async () => (await waxwing.get("/current-track")).track.id === songs[0].id);
  await waxwing.post("/queue/clear");
  await until("nothing to be told", async () => page.evaluate(() => navigator.mediaSession.metadata === null && navigator.mediaSession.playbackState === "none"));
  clean();
  await context.close();
});

test("on a phone the queue, the player and the library are one tap from each other", async () => {
  await waxwing.fillQueue();
  const { page, context, clean } = await watched(browser, waxwing, phone);
  await enter(page, waxwing);
  for (const [tab, heading] of [["Library", "Library"], ["Now", null], ["Queue", null], ["Settings", "Settings"], ["Home", null]]) {
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: tab }).tap();
    if (heading) await page.getByRole("heading", { name: heading, exact: true }).waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${tab} is ${overflow} px too wide`);
  }
  await visit(page, "#/now");
  await page.locator("main").getByRole("button", { name: "Play", exact: true }).tap();
  await until("it to play", async () => (await waxwing.get("/playback-state")).is_playing);
  await waxwing.post("/pause");
  clean();
  await context.close();
});
