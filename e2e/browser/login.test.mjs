// The login of a device lasts over tabs, bookmarks and restarts; that of a tab does not.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Waxwing, launch, openRecorded, visit } from "./harness.mjs";

let waxwing, browser;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

/** The fragment that `waxwing open` gives to a browser. */
async function invitation(lifetime = { idle_expires_in: 2_592_000 }) {
  const permissions = ["read", "write", "keys"];
  const { id } = await waxwing.post("/pair/invite", { name: "Web player", permissions, ...lifetime });
  return `${waxwing.base}/#claim=${id}`;
}
const devices = async () => (await waxwing.get("/tokens")).tokens.filter(({ name }) => name !== "owner");
const isIn = (page) => page.getByRole("heading", { name: "Trending" }).waitFor();
const isOut = (page) => page.getByRole("button", { name: "Request access" }).waitFor();

test("a device stays signed in in other tabs, after a restart of the browser and of the player", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await page.goto(await invitation());
  await isIn(page);
  const bookmark = await context.newPage();
  await bookmark.goto(`${waxwing.base}/#/albums`);
  await bookmark.getByRole("heading", { name: "Albums" }).waitFor();
  assert.deepEqual(await context.cookies(), [], "cookies");
  const restarted = await openRecorded(browser, waxwing, { storageState: await context.storageState() });
  clean();
  await context.close();
  await waxwing.kill();
  await waxwing.start();
  await restarted.page.goto(waxwing.base);
  await isIn(restarted.page);

  // Another link replaces the login, so that the list has one entry for this browser.
  const [first] = await devices();
  assert.match(first.name, /^Chrome on /);
  assert.equal(first.idle_expires_in, 2_592_000);
  await restarted.page.goto(await invitation());
  await isIn(restarted.page);
  const [second, ...others] = await devices();
  assert.ok(second.id !== first.id && others.length === 0, `got ${1 + others.length} devices, want another one`);
  await visit(restarted.page, "#/settings/access");
  const list = restarted.page.getByRole("list", { name: "Tokens" });
  const row = list.getByRole("listitem").filter({ hasText: "Chrome on" });
  await row.getByText("this device").waitFor();
  await row.getByText("ends after 30 days without use").waitFor();

  const other = await restarted.context.newPage();
  await other.goto(waxwing.base);
  await isIn(other);
  const secret = await other.evaluate(() => localStorage.getItem("waxwing.token"));
  await visit(restarted.page, "#/settings");
  await restarted.page.getByRole("button", { name: "Log out" }).click();
  await isOut(restarted.page);
  await isOut(other);
  assert.deepEqual(await devices(), []);
  assert.equal((await waxwing.call("GET", "/token", undefined, secret)).status, 401);
  await restarted.context.close();
});

test("a link for one tab signs in that tab only, until it becomes a device", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await page.goto(`${await invitation({ expires_in: 43_200 })}&tab=1`);
  await isIn(page);
  const other = await context.newPage();
  await other.goto(waxwing.base);
  await isOut(other);
  assert.equal(await other.evaluate(() => localStorage.getItem("waxwing.token")), null);
  await visit(page, "#/settings");
  await page.getByRole("button", { name: "Stay signed in on this device" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await other.goto(waxwing.base);
  await isIn(other);
  clean();
  await context.close();
});

test("a device that requests access chooses whether it stays signed in", async () => {
  for (const mine of [true, false]) {
    const { page, context, clean } = await openRecorded(browser, waxwing);
    await page.goto(waxwing.base);
    await page.getByLabel("This is my device").setChecked(mine);
    await page.getByRole("button", { name: "Request access" }).click();
    const code = await page.locator(".pair-code").textContent();
    await waxwing.post("/pair/approve", { code });
    await isIn(page);
    const { token } = await waxwing.get("/token", await page.evaluate(() =>
      localStorage.getItem("waxwing.token") ?? sessionStorage.getItem("waxwing.token")));
    assert.deepEqual([token.idle_expires_in, token.expires_at === null], mine ? [2_592_000, true] : [null, false]);
    const other = await context.newPage();
    await other.goto(waxwing.base);
    await (mine ? isIn(other) : isOut(other));
    clean();
    await context.close();
  }
});
