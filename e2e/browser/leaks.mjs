// Opens the screens of the web player and the overlay with the tokens of a running server. Prints
// as JSON every address that the browser displayed or requested and all response headers. The
// tokens are read from standard input, so that they are not in the process list.

import { readFileSync } from "node:fs";
import { launch } from "./harness.mjs";

const { base, owner, overlay } = JSON.parse(readFileSync(0, "utf8"));
const seen = { addresses: [], requests: [], responses: [], referrers: [], console: [] };
const browser = await launch();
const context = await browser.newContext();
context.on("request", (request) => {
  seen.requests.push(request.url());
  seen.referrers.push(request.headers().referer ?? "");
});
context.on("response", async (response) => {
  seen.responses.push(JSON.stringify(response.headers()));
});
context.on("console", (message) => {
  seen.console.push(message.text());
});

const page = await context.newPage();
const recordAddress = async () => {
  const state = await page.evaluate(() =>
    [location.href, document.title, document.referrer, JSON.stringify(history.state)].join(" "),
  );
  seen.addresses.push(page.url(), state);
};
await page.goto(`${base}/#token=${owner}`);
await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
await recordAddress();
for (const hash of ["#/songs", "#/albums", "#/artists", "#/playlists", "#/settings", "#/"]) {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  await page.waitForTimeout(150);
  await recordAddress();
}
await page.reload();
await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
await recordAddress();

// The overlay reads its token from the address and then removes it from the address.
const overlayPage = await context.newPage();
const overlayAddress = `${base}/overlay?access_token=${overlay}`;
await overlayPage.goto(overlayAddress);
await overlayPage.waitForTimeout(500);
seen.addresses.push(overlayPage.url());
seen.requests = seen.requests.filter((url) => url !== overlayAddress);
await browser.close();
process.stdout.write(JSON.stringify(seen));
