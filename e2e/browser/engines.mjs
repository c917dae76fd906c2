// The pages in other engines than Chromium's. It is a look, not the whole battery: that every page
// loads, follows the player, steers it, and meets no error and no refusal of its own policy.
//
//     make engines                      # both
//     make engines ENGINES=firefox

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Firefox } from "./engines/firefox.mjs";
import { WebKit } from "./engines/webkit.mjs";
import { Waxwing, until } from "./harness.mjs";

const known = { firefox: Firefox, webkit: WebKit };

for (const name of (process.env.ENGINES || "firefox webkit").split(/\W+/)) {
  suite(name, () => {
    let waxwing, browser;
    before(async () => { [waxwing, browser] = await Promise.all([Waxwing.up(), known[name].launch()]); });
    after(async () => { await browser?.close(); await waxwing?.down(); });

    const shows = (selector) => browser.value(`Boolean(document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect().width)`);
    const says = (selector, text) => browser.value(`document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`);
    const click = async (selector) => browser.click(await until(selector, () => browser.value(`(() => {
      const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect();
      return box?.width ? { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } : null;
    })()`)));
    const clean = async () => {
      const [errors, requests] = await Promise.all([browser.errors, browser.requests]);
      assert.deepEqual(errors, []);
      assert.deepEqual(requests.filter((url) => !url.startsWith(waxwing.base) && !/^(data|blob|about):/.test(url)), []);
      assert.ok(requests.length > 10, "nothing was watched");
    };

    test("the player loads, follows and controls", async () => {
      console.log(browser.name);
      const [song, second] = await waxwing.fillQueue();
      await browser.goto(`${waxwing.base}/#token=${waxwing.token}`);
      await until("the connection", () => browser.value(`document.documentElement.dataset.connection === "online"`));
      await until("what plays", () => says("wax-now-bar", song.title));
      assert.ok(!(await browser.value("location.href")).includes("wxt_"), "the token is still in the address");
      await click("wax-now-bar .play");
      await until("it to play", async () => (await waxwing.get("/playback-state")).is_playing);
      await until("the page to see it", () => browser.value(`document.querySelector("wax-now-bar .play").getAttribute("aria-label") === "Pause"`));
      await waxwing.post("/next");
      await until("the page to follow", () => browser.value(`document.title.startsWith(${JSON.stringify(second.title)})`));
      await waxwing.post("/pause");
    });

    test("every screen shows itself", async () => {
      const [album] = (await waxwing.get("/api/albums?limit=1")).albums;
      const row = "main [role=row]";
      for (const [hash, sign] of [["#/", ".tile"], ["#/songs", row], ["#/albums", row], [`#/albums/${album.id}`, ".hero"], ["#/artists", row], ["#/playlists", row], ["#/search?q=a", ".tile"], ["#/now", ".stage"], ["#/queue", row], ["#/settings", ".doors"], ["#/settings/access", ".token-list"]]) {
        await browser.value(`void setTimeout(() => { location.hash = ${JSON.stringify(hash)}; })`);
        await until(`${hash} to show ${sign}`, () => shows(sign), 20_000);
        assert.ok((await browser.value("document.documentElement.scrollWidth - innerWidth")) <= 0, `${hash} is too wide`);
      }
      assert.equal(await browser.value(`[...document.querySelectorAll("img")].filter((i) => i.getAttribute("src") && i.complete && !i.naturalWidth).length`), 0, "pictures are missing");
      await clean();
    });

    test("the overlay shows what plays", async () => {
      const { secret } = await waxwing.post("/tokens", { name: "Overlay", permissions: ["read"] });
      await browser.goto(`${waxwing.base}/overlay#token=${secret}`);
      const { track } = await waxwing.get("/current-track");
      await until("the card", () => says("wax-overlay-card:not(.hidden)", track.title));
      assert.deepEqual(await browser.errors, []);
    });

    test("the watch was awake: what the policy refuses is noticed", async () => {
      await browser.value(`document.head.append(Object.assign(document.createElement("script"), { textContent: "1" }))`);
      await until("a refusal to be noticed", async () => (await browser.errors).some((text) => text.startsWith("policy: script-src")));
    });
  });
}
