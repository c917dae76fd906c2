// Names of any length, and navigation: links, Back, undo, search and error pages.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Waxwing, enter, launch, rowsLoaded, until, visit, openRecorded, writeTone } from "./harness.mjs";

const longSentence =
  "An Extraordinarily Long Name That Nobody Would Ever Shorten, Volume Two (Remastered Deluxe Anniversary Edition)";
const longWord = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const names = {
  words: longSentence,
  word: longWord,
  hebrew: "אהבה בסוף הקיץ הארוך של שנות השמונים והתשעים",
  emoji: "🎉🎶🔥👩‍👩‍👧‍👦".repeat(12),
};

const seconds = 30; // no song ends during a test

let waxwing, browser, music, songs;
before(async () => {
  music = mkdtempSync(join(tmpdir(), "waxwing-navigation-"));
  Object.entries(names).forEach(([file, name], i) =>
    writeTone(join(music, `${file}.wav`), 300 + 20 * i, { INAM: name, IART: name, IPRD: name }, seconds),
  );
  writeTone(join(music, "Nobody.wav"), 280, {}, seconds); // a song without an artist
  for (let i = 0; i < 35; i++)
    writeTone(
      join(music, `Tone ${i}.wav`),
      400 + 10 * i,
      { INAM: `Tone ${String(i).padStart(2, "0")}`, IART: "Tuner", IPRD: "Record", ITRK: String(i + 1) },
      seconds,
    );
  [waxwing, browser] = await Promise.all([Waxwing.up("--music", music), launch()]);
  await until("all songs", async () => (await waxwing.get("/api/songs")).total === 40, 30_000);
  songs = (await waxwing.get("/api/songs?limit=50")).songs;
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
  rmSync(music, { recursive: true, force: true });
});

const song = (wanted) => songs.find(({ title }) => title === wanted);
const current = async () => (await waxwing.get("/playback-queue")).current_track_id;
const allIds = () => songs.map(({ id }) => id);
const phone = (width, height) => ({
  viewport: { width, height },
  hasTouch: true,
  isMobile: true,
  reducedMotion: "reduce",
});

/** Describes the elements that extend beyond the left or right edge of the screen. */
const findOverflow = (page) =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll("main, wax-now-bar")]
      .filter((each) => each.scrollWidth > each.clientWidth)
      .map((each) => `${each.localName} is ${each.scrollWidth} px wide`);
    for (const each of document.querySelectorAll(
      ":is(main, wax-now-bar) :is(h1, p, button, input, .frame, .names, .facts)",
    )) {
      const { left, right, width } = each.getBoundingClientRect();
      if (width > 0 && !each.closest(".shelf-cards") && (left < 0 || right > innerWidth))
        found.push(`${each.localName}.${each.className} from ${left} to ${right}`);
    }
    return found;
  });

test("long names fit the screen of a narrow phone", async () => {
  const { playlist } = await waxwing.post("/api/playlists", { name: longWord, song_ids: allIds() });
  await waxwing.post("/queue/replace", { track_ids: allIds(), index: 0, play: false });
  const { page, context, clean } = await openRecorded(browser, waxwing, phone(390, 844));
  await enter(page, waxwing);
  const assertFits = async (what) => {
    for (const [width, height] of [
      [390, 844],
      [320, 640],
    ]) {
      await page.setViewportSize({ width, height });
      await page.waitForFunction((wanted) => innerWidth === wanted, width);
      await until(
        `${what} to fit ${width} px`,
        async () => {
          const found = await findOverflow(page);
          return found.length === 0 || Promise.reject(new Error(found.join("; ")));
        },
        3000,
      );
    }
  };
  for (const hash of [
    "#/",
    "#/songs",
    "#/albums",
    "#/artists",
    "#/playlists",
    "#/queue",
    `#/playlists/${playlist.id}`,
    "#/search?q=long",
    ...[longSentence, longWord].flatMap((name) => [
      `#/albums/${song(name).album_id}`,
      `#/artists/${song(name).artist_id}`,
    ]),
  ]) {
    await visit(page, hash);
    await page.waitForFunction(
      (to) => location.hash === to && document.querySelector("main .view :is(h1, h2)"),
      hash,
    );
    await assertFits(hash);
  }
  await visit(page, "#/now");
  for (const name of [...Object.values(names), "Nobody"]) {
    const { id } = song(name);
    await waxwing.post("/queue/jump", { index: allIds().indexOf(id), id });
    await waxwing.post("/pause");
    await page.waitForFunction((title) => document.querySelector(".stage h1")?.textContent === title, name);
    await assertFits(`now playing “${name}”`);
  }
  await until("a page title without a separator", async () => (await page.title()) === "Nobody");
  const play = await page.locator(".stage .play").boundingBox();
  assert.ok(play.y + play.height < 640 - 58, `the play button ends at ${play.y + play.height}, below the tabs`);
  clean();
  await context.close();
});

test("one tap on a row plays it, in the queue and in the song list", async () => {
  await waxwing.post("/queue/replace", { track_ids: allIds(), index: 0, play: false });
  const { page, context, clean } = await openRecorded(browser, waxwing, phone(390, 844));
  await enter(page, waxwing, "#/queue");
  await page.locator('main [data-index="3"] .names').tap();
  await until("the fourth song", async () => (await current()) === songs[3].id);
  await visit(page, "#/songs");
  await page.locator('main [data-index="5"] .by').tap();
  await until("the sixth song", async () => (await current()) === songs[5].id);
  assert.equal(await page.evaluate(() => location.hash), "#/songs", "the tap followed a link");
  assert.equal(await page.locator('nav.tabs a[data-name="library"]').getAttribute("aria-current"), "true");
  await page.locator('nav.tabs a[data-name="now"]').tap();
  await page.locator(".stage .now-artist a").first().tap();
  await page.waitForFunction((id) => location.hash === `#/artists/${id}`, songs[5].artist_id);
  await waxwing.post("/pause");
  clean();
  await context.close();
});

test("Back restores the scroll position, and a link starts at the top", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/songs");
  await rowsLoaded(page);
  const scrollTop = () => page.evaluate(() => document.querySelector("main").scrollTop);
  await page.evaluate(() => {
    document.querySelector("main").scrollTop = 900;
  });
  await rowsLoaded(page);
  await visit(page, `#/albums/${song("Tone 00").album_id}`);
  await page.locator("main .view .hero").waitFor();
  await page.goBack();
  await until("the scroll position", async () => (await scrollTop()) === 900);
  await visit(page, "#/");
  await page.locator("nav.side").getByRole("link", { name: "Songs" }).click();
  await rowsLoaded(page);
  assert.equal(await scrollTop(), 0, "a link did not start at the top");
  clean();
  await context.close();
});

test("shuffle starts at a random song, and playing a row queues the whole list", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, `#/albums/${song("Tone 00").album_id}`);
  const { songs: record } = await waxwing.get(`/api/albums/${song("Tone 00").album_id}/songs?limit=50`);
  for (const random of [0.99, 0.5]) {
    await page.evaluate((value) => {
      Math.random = () => value;
    }, random);
    await page.getByRole("button", { name: "Shuffle", exact: true }).click();
    await until(
      `the song at ${random}`,
      async () => (await current()) === record[Math.floor(random * record.length)].id,
    );
  }
  await waxwing.post("/shuffle", { shuffle: false });
  await visit(page, "#/songs");
  await page.locator('main [data-index="7"]').dblclick({ position: { x: 400, y: 30 } });
  await until("the eighth song", async () => (await current()) === songs[7].id);
  assert.deepEqual(await waxwing.queueIds(), allIds());
  await waxwing.post("/pause");
  clean();
  await context.close();
});

test("undo restores a cleared queue with its track and position", async () => {
  await waxwing.post("/queue/replace", { track_ids: allIds(), index: 6, play: false });
  await waxwing.post("/seek", { position: 400 });
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.waitForFunction(() => Number(document.querySelector("wax-now-bar wax-seek input")?.value) === 400);
  await page.locator(".queue-side").getByRole("row").first().waitFor();
  await page.getByRole("button", { name: "Clear the queue" }).click();
  await page.getByText("The queue is empty").first().waitFor();
  await until("an empty queue", async () => (await waxwing.queueIds()).length === 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await until("the queue", async () => (await waxwing.queueIds()).join() === allIds().join());
  await until("the track and position", async () => {
    const { track } = await waxwing.get("/current-track");
    return track?.id === songs[6].id && track.position === 400;
  });
  await page.locator('.queue-side [data-index="2"]').click({ button: "right", position: { x: 120, y: 20 } });
  await page.getByRole("menuitem", { name: "Remove from the queue" }).click();
  await until("it to be removed", async () => (await waxwing.queueIds()).length === 39);
  await page.keyboard.press("Control+z");
  await until("it to be back", async () => (await waxwing.queueIds()).join() === allIds().join());
  clean();
  await context.close();
});

test("the search field follows the query in the address", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  const field = page.getByRole("searchbox", { name: "Search" });
  await field.pressSequentially("record");
  await page.getByRole("heading", { name: "Results for “record”" }).waitFor();
  assert.equal(
    await page.locator("main h2").first().textContent(),
    "Albums",
    "the album with that name is not first",
  );
  await page.reload();
  await page.getByRole("heading", { name: "Results for “record”" }).waitFor();
  assert.equal(await field.inputValue(), "record");
  await field.focus();
  await page.goBack();
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  assert.equal(await field.inputValue(), "");
  clean();
  await context.close();
});

test("missing pages are explained, and an unavailable catalog is retried", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await page.clock.install();
  await enter(page, waxwing, "#/albums");
  await page.evaluate(() => {
    location.hash = `#/albums/al_${"0".repeat(22)}`;
  });
  await page.getByRole("heading", { name: "This album no longer exists" }).waitFor();
  await page.evaluate(() => {
    location.hash = "#/bogus";
  });
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await context.route("**/api/**", (route) =>
    route.fulfill({ status: 503, json: { error: "the catalog cannot be reached" } }),
  );
  await page.evaluate(() => {
    location.hash = "#/artists";
  });
  await page.getByRole("heading", { name: "The catalog is unavailable" }).waitFor();
  await context.unroute("**/api/**");
  await page.clock.runFor(3000);
  await page.getByRole("heading", { name: "Artists" }).waitFor();
  clean(/status of (404|503)/);
  await context.close();
});

test("the whole library can be played, sorted, filtered, liked, rated, selected and dragged", async () => {
  await waxwing.post("/queue/replace", { track_ids: [songs[3].id], play: false });
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.getByRole("button", { name: "Play all" }).click();
  await until("all songs in the queue", async () => (await waxwing.queueIds()).join() === allIds().join());
  await page.getByRole("alert").getByText("Nobody can hear the music").waitFor(); // its output is null
  await page.getByRole("button", { name: "Undo" }).click();
  await until("the queue before", async () => (await waxwing.queueIds()).join() === songs[3].id);
  await page.getByRole("button", { name: "Shuffle library" }).click();
  await until("all songs, shuffled", async () => (await waxwing.queueIds()).length === songs.length);
  assert.equal((await waxwing.get("/playback-state")).shuffle, true);
  await waxwing.post("/shuffle", { shuffle: false });
  await waxwing.post("/queue/clear");
  // Order and initials.
  await visit(page, "#/songs");
  await page.getByLabel("Sort by").selectOption("title");
  const sorted = (await waxwing.get("/api/songs?sort=title&limit=50")).songs;
  const rowOf = (song) => page.getByRole("row", { name: new RegExp(`^${song.title},`) });
  await until("the order by title", async () =>
    (await page.locator('main [data-index="0"] .title').textContent()) === sorted[0].title);
  await page.getByRole("button", { name: "Jump to T", exact: true }).click();
  const tone = sorted.find(({ title }) => title.startsWith("Tone 00"));
  await rowOf(tone).waitFor();
  // Likes and ratings, by the keyboard.
  await rowOf(tone).focus();
  await page.keyboard.press("l");
  await page.keyboard.press("4");
  const mine = async () => (await waxwing.get(`/api/songs/${tone.id}?with=me`)).song.me;
  await until("the like and the rating", async () => (await mine()).liked && (await mine()).rating === 4);
  await page.getByRole("row", { name: /^Tone 00,.*liked, rated 4 of 5/ }).waitFor();
  await page.getByRole("button", { name: "Liked", exact: true }).click();
  await until("one song", async () => (await page.getByRole("grid", { name: "Songs" }).getByRole("row").count()) === 1);
  await visit(page, "#/liked");
  await rowOf(tone).waitFor();
  // Several rows to a playlist, which warns of duplicates.
  const { playlist } = await waxwing.post("/api/playlists", { name: "Evening", song_ids: [sorted[0].id] });
  const ids = async () => (await waxwing.get(`/api/playlists/${playlist.id}/songs`)).songs.map(({ id }) => id).join();
  await visit(page, "#/songs?sort=title");
  await page.getByRole("grid", { name: "Songs", exact: true }).locator('[data-index="0"]').focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByText("2 songs selected").waitFor();
  await page.getByRole("button", { name: "Add to playlist" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Evening" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Add 1 new song" }).click();
  const two = [sorted[0].id, sorted[1].id].join();
  await until("the new song in the playlist", async () => (await ids()) === two);
  // Dragging to the playlist in the navigation and to the queue.
  const third = page.locator('main [data-index="2"]');
  await third.dragTo(page.locator("nav.side").getByRole("link", { name: "Evening" }));
  await until("the dragged song in the playlist", async () => (await ids()) === [two, sorted[2].id].join());
  await third.dragTo(page.locator(".queue-side .queue-body"));
  await until("the dragged song in the queue", async () => (await waxwing.queueIds()).join() === sorted[2].id);
  clean();
  await context.close();
});

test("lyrics follow the music, rules make a playlist, and the theme can be chosen", async () => {
  await waxwing.post("/queue/replace", { track_ids: allIds(), index: 6, play: true });
  await waxwing.call("PUT", `/api/me/ratings/${songs[8].id}`, { rating: 5 });
  const { page, context, clean } = await openRecorded(browser, waxwing);
  const lines = [0, 8000, 16_000, 24_000].map((start, n) => ({
    start, text: `Line ${n} sung`, words: [{ start, text: `Line ${n} ` }, { start: start + 1, text: "sung" }],
  }));
  await context.route("**/api/songs/*/lyrics", (route) =>
    route.fulfill({ json: { lyrics: [{ lang: null, synced: true, offset: 0, lines }] } }));
  await enter(page, waxwing, "#/now");
  await page.getByRole("button", { name: "Line 2 sung" }).click();
  await until("the seek", async () => (await waxwing.get("/current-track")).track.position >= 16_000);
  await page.locator("wax-lyrics [aria-current]").getByText("Line 2").waitFor();
  await page.locator("wax-lyrics [aria-current] .sung").getByText("sung").waitFor();
  await page.getByText(`Next: ${songs[7].title}`).waitFor();
  await page.getByText(/WAV · 8 kHz · 16 bit/).waitFor();
  await waxwing.post("/pause");
  await visit(page, "#/playlists");
  await page.getByRole("button", { name: "New smart playlist" }).click();
  await page.getByLabel("Name").fill("Best");
  await page.getByLabel("Value of Rating").fill("4");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Best" }).waitFor();
  await page.getByRole("row", { name: new RegExp(`^${songs[8].title}`) }).waitFor();
  await visit(page, "#/settings");
  await page.getByRole("list", { name: "Music folders" }).getByText("40 songs").waitFor();
  await page.getByRole("radio", { name: "Light" }).check();
  await page.getByRole("radio", { name: "Blue" }).check();
  const colours = () => page.evaluate(() => {
    const { colorScheme } = getComputedStyle(document.documentElement);
    return `${colorScheme} ${document.documentElement.dataset.accent}`;
  });
  assert.equal(await colours(), "light blue");
  clean();
  await context.close();
});
