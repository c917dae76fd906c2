// Walks through the web player and the overlay with the tokens of a running server, then prints
// every address that the browser showed or asked for, and every header that came back. The tokens
// come on standard input, so that no process list has them.

import { readFileSync } from "node:fs";
import { launch } from "./harness.mjs";

const { base, owner, overlay } = JSON.parse(readFileSync(0, "utf8"));
const seen = { shown: [], asked: [], answered: [], referrers: [], console: [] };
const browser = await launch();
const context = await browser.newContext();
context.on("request", (request) => {
  seen.asked.push(request.url());
  seen.referrers.push(request.headers().referer ?? "");
});
context.on("response", async (response) => { seen.answered.push(JSON.stringify(response.headers())); });
context.on("console", (message) => { seen.console.push(message.text()); });

const page = await context.newPage();
const shown = async () => { seen.shown.push(page.url(), await page.evaluate(() => `${location.href} ${document.title} ${document.referrer} ${JSON.stringify(history.state)}`)); };
await page.goto(`${base}/#token=${owner}`);
await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
await shown();
for (const hash of ["#/songs", "#/albums", "#/artists", "#/playlists", "#/settings", "#/"]) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForTimeout(150);
  await shown();
}
await page.reload();
await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
await shown();

// The overlay takes its token from the address once, and removes it from there.
const card = await context.newPage();
await card.goto(`${base}/overlay?access_token=${overlay}`);
await card.waitForTimeout(500);
seen.shown.push(card.url());
const own = `${base}/overlay?access_token=${overlay}`;
seen.asked = seen.asked.filter((url) => url !== own);
await browser.close();
process.stdout.write(JSON.stringify(seen));
