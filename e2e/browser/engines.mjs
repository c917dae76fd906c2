// Smoke tests in Firefox and WebKit: every page loads, follows the player, controls it, and causes
// no error and no violation of its content security policy.
//
//     make engines                      # both
//     make engines ENGINES=firefox

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Firefox } from "./engines/firefox.mjs";
import { WebKit } from "./engines/webkit.mjs";
import { Waxwing, until } from "./harness.mjs";

const engines = { firefox: Firefox, webkit: WebKit };

for (const name of (process.env.ENGINES || "firefox webkit").split(/\W+/)) {
  suite(name, () => {
    let waxwing, browser;
    before(async () => {
      [waxwing, browser] = await Promise.all([Waxwing.up(), engines[name].launch()]);
    });
    after(async () => {
      await browser?.close();
      await waxwing?.down();
    });

    const query = (selector) => `document.querySelector(${JSON.stringify(selector)})`;
    const isVisible = (selector) => browser.evaluate(`Boolean(${query(selector)}?.getBoundingClientRect().width)`);
    const hasText = (selector, text) =>
      browser.evaluate(`${query(selector)}?.textContent.includes(${JSON.stringify(text)})`);
    const center = (selector) =>
      browser.evaluate(`(() => {
        const box = ${query(selector)}?.getBoundingClientRect();
        return box?.width ? { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } : null;
      })()`);
    const click = async (selector) => browser.click(await until(selector, () => center(selector)));
    const clean = async () => {
      const [errors, requests] = await Promise.all([browser.errors, browser.requests]);
      assert.deepEqual(errors, []);
      assert.deepEqual(
        requests.filter((url) => !url.startsWith(waxwing.base) && !/^(data|blob|about):/.test(url)),
        [],
      );
      assert.ok(requests.length > 10, "too few requests were recorded");
    };

    test("the web player loads, follows the player and controls it", async () => {
      console.log(browser.name);
      const [song, second] = await waxwing.fillQueue();
      await browser.goto(`${waxwing.base}/#token=${waxwing.token}`);
      await until("the connection", () =>
        browser.evaluate(`document.documentElement.dataset.connection === "online"`),
      );
      await until("the title of the current track", () => hasText("wax-now-bar", song.title));
      assert.ok(!(await browser.evaluate("location.href")).includes("wxt_"), "the token is still in the address");
      await click("wax-now-bar .play");
      await until("playback to start", async () => (await waxwing.get("/playback-state")).is_playing);
      await until("the Pause button", () =>
        browser.evaluate(`${query("wax-now-bar .play")}.getAttribute("aria-label") === "Pause"`),
      );
      await waxwing.post("/next");
      await until("the title of the next track", () =>
        browser.evaluate(`document.title.startsWith(${JSON.stringify(second.title)})`),
      );
      await waxwing.post("/pause");
    });

    test("this browser plays, and the machine goes on where it stopped", async () => {
      const position = () => browser.evaluate(`${query("wax-now-bar wax-seek input")}.valueAsNumber`);
      const output = () => browser.evaluate("document.documentElement.dataset.output");
      await click("wax-now-bar .now-more .output");
      await click("[role=menu] button:last-child");
      await until("this browser to be the output", async () => (await output()) === "browser");
      await click("wax-now-bar .play");
      await until("this browser to play", async () => (await position()) > 2000, 20_000);
      assert.equal((await waxwing.get("/playback-state")).is_playing, false, "the machine plays");
      await click("wax-now-bar .now-more .output");
      await click("[role=menu] button:first-child");
      await until("the machine to be the output", async () => (await output()) === "machine");
      const { track } = await waxwing.get("/current-track");
      assert.ok(track.is_playing && track.position >= 2000, `got ${JSON.stringify(track)}, want 2 s or more`);
      await waxwing.post("/pause");
    });

    test("every screen is displayed and fits the window", async () => {
      const [album] = (await waxwing.get("/api/albums?limit=1")).albums;
      const row = "main [role=row]";
      for (const [hash, selector] of [
        ["#/", ".tile"],
        ["#/songs", row],
        ["#/albums", row],
        [`#/albums/${album.id}`, ".hero"],
        ["#/artists", row],
        ["#/playlists", row],
        ["#/search?q=a", ".tile"],
        ["#/now", ".stage"],
        ["#/queue", row],
        ["#/settings", ".link-rows"],
        ["#/settings/access", ".credentials li"],
      ]) {
        await browser.evaluate(`void setTimeout(() => { location.hash = ${JSON.stringify(hash)}; })`);
        await until(`${hash} to show ${selector}`, () => isVisible(selector), 20_000);
        assert.ok(
          (await browser.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0,
          `${hash} is too wide`,
        );
      }
      const missing = `[...document.querySelectorAll("img")]
        .filter((image) => image.getAttribute("src") && image.complete && !image.naturalWidth).length`;
      assert.equal(await browser.evaluate(missing), 0, "images are missing");
      await clean();
    });

    test("the overlay displays the current track", async () => {
      const { secret } = await waxwing.post("/tokens", { name: "Overlay", permissions: ["read"] });
      await browser.goto(`${waxwing.base}/overlay#token=${secret}`);
      const { track } = await waxwing.get("/current-track");
      await until("the title on the card", () => hasText("wax-overlay-card:not(.hidden)", track.title));
      assert.deepEqual(await browser.errors, []);
    });

    test("a violation of the content security policy is recorded", async () => {
      await browser.evaluate(`document.head.append(
        Object.assign(document.createElement("script"), { textContent: "1" }))`);
      await until("the violation", async () =>
        (await browser.errors).some((text) => text.startsWith("policy: script-src")),
      );
    });
  });
}
