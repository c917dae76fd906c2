// Uses the web player through a TLS proxy. Arguments: public URL, address of the proxy, token.

import { enter, launch, openRecorded, visit } from "./harness.mjs";

const [base, proxy, token] = process.argv.slice(2);
const browser = await launch(
  "--ignore-certificate-errors", // also for the service worker, unlike the option of a context
  `--host-resolver-rules=MAP ${new URL(base).host} ${proxy}`,
);
try {
  const { page, context, clean } = await openRecorded(browser, { base });
  await enter(page, { base, token });
  const bar = page.getByRole("region", { name: "Now playing" });
  await bar.getByRole("button", { name: "Play", exact: true }).click();
  await bar.getByRole("button", { name: "Pause", exact: true }).waitFor();
  await page.waitForFunction(() => document.title !== "Waxwing"); // the event stream brings the song

  // A device that is signed in needs no link in another tab.
  await visit(page, "#/settings");
  await page.getByRole("button", { name: "Stay signed in on this device" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  const bookmark = await context.newPage();
  await bookmark.goto(`${base}/#/albums`);
  await bookmark.getByRole("heading", { name: "Albums" }).waitFor();
  clean();
  console.log(`played ${await page.title()}`);
} finally {
  await browser.close();
}
