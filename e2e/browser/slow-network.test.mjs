// How long the page takes on a slow network: 400 ms for each reply and 50 KB/s, as on a phone far
// from home.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Waxwing, launch, openRecorded, until } from "./harness.mjs";

const limit = 2000;
let waxwing, browser;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

/** Opens the page. Returns times from the start of its navigation in ms, and what it loaded. */
async function load(page) {
  await page.goto(`${waxwing.base}/#token=${waxwing.token}`, { waitUntil: "commit" });
  await page.locator("nav.side, nav.tabs").first().waitFor({ state: "attached", timeout: 20_000 });
  const frame = await page.evaluate(() => performance.now());
  const painted = await until("the first frame", () =>
    page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime),
  );
  await page.getByRole("heading", { name: "Trending" }).waitFor({ timeout: 20_000 });
  const content = await page.evaluate(() => performance.now());
  const sizes = await page.evaluate(() =>
    performance.getEntriesByType("resource").map(({ name, transferSize }) => [new URL(name).pathname, transferSize]),
  );
  return { painted, frame, content, sizes };
}

test("the first frame appears within 2 s at 400 ms latency and 50 KB/s", async () => {
  // Without a service worker, whose requests would not be slowed.
  const { page, context, clean } = await openRecorded(browser, waxwing, { serviceWorkers: "block" });
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  const first = await load(page);
  const files = first.sizes.filter(([path]) => path.startsWith("/web/"));
  const bytes = files.reduce((sum, [, size]) => sum + size, 0);
  await page.goto("about:blank");
  const again = await load(page);
  const figures = ({ painted, frame, content }) =>
    `first frame ${Math.round(painted)} ms, player ${Math.round(frame)} ms, songs ${Math.round(content)} ms`;
  console.log(`slow network: ${figures(first)}; ${files.length} files, ${bytes} bytes; again: ${figures(again)}`);
  assert.ok(first.painted < limit, `first visit: got the first frame after ${first.painted} ms, want < ${limit}`);
  assert.ok(again.painted < limit, `next visit: got the first frame after ${again.painted} ms, want < ${limit}`);
  assert.ok(files.length < 12, `got ${files.length} files, want fewer than 12: ${files.join(" ")}`);
  const reloaded = again.sizes.filter(([path, size]) => path.startsWith("/web/v-") && size > 0);
  assert.deepEqual(reloaded, [], "files named by their content that were loaded again");
  clean();
  await context.close();
});
