// The output “This browser”: playback by the page itself, with the controls of a player.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibilityFindings } from "./accessibility.mjs";
import { Waxwing, enter, launch, openRecorded, until, visit, writeTone } from "./harness.mjs";

let waxwing, browser, music;
const seconds = 20;

before(async () => {
  music = mkdtempSync(join(tmpdir(), "waxwing-tones-"));
  for (let i = 1; i <= 13; i++) {
    writeTone(join(music, `tone-${String(i).padStart(2, "0")}.wav`), 200 + 20 * i, { INAM: `Tone ${i}` }, seconds);
  }
  const alac = ["-v", "error", "-i", join(music, "tone-13.wav"), "-c:a", "alac", "-metadata", "title=Apple"];
  const { status, stderr } = spawnSync("ffmpeg", [...alac, join(music, "apple.m4a")], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  [waxwing, browser] = await Promise.all([
    Waxwing.up("--music", music),
    launch("--autoplay-policy=user-gesture-required"),
  ]);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
  rmSync(music, { recursive: true, force: true });
});

/** Opens a tab and records where its audio elements play what. */
async function open() {
  const tab = await openRecorded(browser, waxwing);
  await tab.page.addInitScript(() => {
    globalThis.elements = [];
    globalThis.Audio = class extends Audio {
      constructor(...args) {
        super(...args);
        globalThis.elements.push(this);
      }
    };
  });
  await enter(tab.page, waxwing);
  return tab;
}

/** What the page plays by itself: the paths and positions of its audio elements that run. */
const sounds = (page) =>
  page.evaluate(() =>
    globalThis.elements
      .filter((audio) => !audio.paused && !audio.ended && audio.src.includes("/media/songs/"))
      .map(({ src, currentTime, volume, duration }) => ({ path: src, at: currentTime, volume, duration })),
  );

const bar = (page) => page.getByRole("region", { name: "Now playing" });
const press = (page, name) => bar(page).getByRole("button", { name, exact: true }).click();

async function chooseOutput(page, name) {
  await bar(page).locator(".now-more .output").click();
  await page.getByRole("menuitemradio", { name }).click();
}

/** Fills the queue of the machine with the tones, in their order, and returns their ids. */
async function queueTones(index = 0, play = false) {
  const { songs } = await waxwing.get("/api/songs?limit=50");
  const tone = (n) => songs.find(({ title }) => title === `Tone ${n}`).id;
  const ids = [1, 2, 3, 4].map(tone);
  await waxwing.post("/queue/replace", { track_ids: ids, index, play });
  return ids;
}

test("playback moves to this browser and back at the same position", async () => {
  const ids = await queueTones(1, true);
  await waxwing.post("/seek", { position: 2000 });
  const { page, context, clean } = await open();
  await page.waitForFunction(() => document.title.startsWith("Tone 2"));
  await chooseOutput(page, "This browser");
  const [here] = await until("this browser to play", async () => {
    const found = await sounds(page);
    return found.length === 1 && found[0].at > 2 && found;
  });
  assert.ok(here.path.includes(ids[1]), `got ${here.path}, want the song ${ids[1]}`);
  const paused = await waxwing.get("/playback-state");
  assert.equal(paused.is_playing, false, "the machine still plays");
  const { position } = (await waxwing.get("/current-track")).track;
  const [now] = await sounds(page);
  assert.ok(now.at * 1000 >= position && position >= 2000, `got ${now.at} s here, ${position} ms on the machine`);
  await bar(page).getByRole("button", { name: "Output: this browser" }).waitFor();
  assert.deepEqual(await accessibilityFindings(page), []);

  const { name } = (await waxwing.get("/outputs")).outputs.find(({ active }) => active);
  await chooseOutput(page, name);
  const back = await until("the machine to play", async () => {
    const { track } = await waxwing.get("/current-track");
    return track.is_playing && track.position > now.at * 1000 && track;
  });
  assert.equal(back.id, ids[1]);
  assert.deepEqual(await sounds(page), []);
  assert.deepEqual(await waxwing.queueIds(), ids);
  await waxwing.post("/pause");
  clean();
  await context.close();
});

test("every control works in this browser and leaves the machine alone", async () => {
  const ids = await queueTones();
  const { page, context, clean } = await open();
  await page.waitForFunction(() => document.title.startsWith("Tone 1"));
  await chooseOutput(page, "This browser");
  await bar(page).getByRole("button", { name: "Output: this browser" }).waitFor();
  assert.deepEqual(await sounds(page), [], "it plays although the machine was paused");
  const { version } = await waxwing.get("/playback-state");
  const plays = (id) => until(`the song ${ids.indexOf(id) + 1}`, async () => {
    const found = await sounds(page);
    return found.length === 1 && found[0].path.includes(id) && found[0];
  });
  await press(page, "Play");
  await plays(ids[0]);
  const session = await page.evaluate(() => {
    const { metadata, playbackState } = navigator.mediaSession;
    return [metadata?.title, playbackState];
  });
  assert.deepEqual(session, ["Tone 1", "playing"]);
  await press(page, "Next");
  await plays(ids[1]);
  await press(page, "Previous");
  await plays(ids[0]);

  const slider = bar(page).getByRole("slider", { name: "Position in the track" });
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await until("the seek", async () => (await sounds(page))[0]?.at >= 5);
  const volume = bar(page).getByRole("slider", { name: "Volume" });
  await volume.fill("50");
  await until("the volume", async () => (await sounds(page))[0]?.volume === 0.125);
  await volume.fill("100");
  await slider.fill(String((seconds - 2) * 1000));
  await plays(ids[1]); // at the end of the first

  await press(page, "Pause");
  await until("silence", async () => (await sounds(page)).length === 0);
  await press(page, "Shuffle: off");
  await press(page, "Repeat: off");
  await bar(page).getByRole("button", { name: "Repeat: all", exact: true }).waitFor();
  await visit(page, "#/queue");
  const rows = page.locator("main wax-queue [role=row]:not([hidden])");
  await until("the queue", async () => (await rows.count()) === 4);
  await rows.nth(3).focus();
  await page.keyboard.press("Delete");
  await until("the shorter queue", async () => (await rows.count()) === 3);
  await rows.nth(2).focus();
  await page.keyboard.press("Enter");
  await plays(ids[2]);
  assert.deepEqual(await waxwing.queueIds(), ids, "the queue of the machine changed");
  assert.equal((await waxwing.get("/playback-state")).version, version, "the machine received a command");
  await until("the play in the history", async () => {
    const { history } = await waxwing.get("/api/me/history");
    return history.some(({ song }) => song.id === ids[2]);
  }, 1500 * (seconds / 2)); // half of a song counts as a play

  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  await page.waitForFunction(() => document.title.startsWith("Tone 3"));
  await until("the queue after a reload", async () => (await rows.count()) === 3);
  await press(page, "Play");
  assert.ok((await plays(ids[2])).at >= 0);
  clean();
  await context.close();
});

test("two browsers play different songs at once, and two tabs of one in turn", async () => {
  await queueTones();
  const tabs = await Promise.all([open(), open()]);
  await Promise.all(
    tabs.map(async ({ page }, i) => {
      await chooseOutput(page, "This browser");
      await visit(page, "#/songs");
      await page.getByRole("row", { name: `Tone ${5 + i},` }).first().dblclick();
      await until("the song", async () => (await sounds(page)).length === 1);
      await page.waitForFunction((n) => document.title.startsWith(`Tone ${n}`), 5 + i);
    }),
  );
  const second = await tabs[0].context.newPage();
  await enter(second, waxwing);
  await bar(second).getByRole("button", { name: "Output: this browser" }).waitFor(); // as the browser remembers
  await press(second, "Play");
  await until("the first tab to pause", async () => (await sounds(tabs[0].page)).length === 0);
  await second.close();
  await press(tabs[0].page, "Play");
  await until("the first tab to play", async () => (await sounds(tabs[0].page)).length === 1);
  for (const { page, context, clean } of tabs) {
    assert.equal((await sounds(page)).length, 1, "a browser stopped");
    clean();
    await context.close();
  }
});

test("the server converts what the browser cannot play", async () => {
  const { songs } = await waxwing.get("/api/songs?limit=50");
  const apple = songs.find(({ title }) => title === "Apple");
  assert.equal(apple.format, "alac");
  await waxwing.post("/queue/replace", { track_ids: [apple.id], play: false });
  const { page, context, clean } = await open();
  await page.waitForFunction(() => document.title.startsWith("Apple"));
  await chooseOutput(page, "This browser");
  await press(page, "Play");
  const found = await until("the converted song", async () => (await sounds(page))[0]?.at > 0.2 && sounds(page));
  assert.ok(found[0].path.includes("format=flac"), `got ${found[0].path}, want a conversion`);
  assert.ok(Math.abs(found[0].duration - seconds) < 0.001, `got ${found[0].duration} s, want ${seconds}`);
  clean();
  await context.close();
});

test("a page that loses its access stops playing", async () => {
  await queueTones(0, true);
  const { secret, token } = await waxwing.post("/tokens", { name: "Phone", permissions: ["read", "write"] });
  const { page, context } = await open();
  await page.goto(`${waxwing.base}/#token=${secret}`);
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  await page.waitForFunction(() => document.title.startsWith("Tone"));
  await chooseOutput(page, "This browser");
  await until("this browser to play", async () => (await sounds(page)).length === 1);
  await waxwing.post("/tokens/revoke", { id: token.id });
  await page.getByText("is not valid").waitFor();
  assert.deepEqual(await sounds(page), []);
  await context.close();
});
