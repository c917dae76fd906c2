// Catalog keys, tokens and permissions, managed in the web player.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityFindings } from "./accessibility.mjs";
import { Waxwing, enter, launch, until, visit, openRecorded } from "./harness.mjs";

let waxwing, browser;
before(async () => {
  const url = ["--public-url", "http://music.test:7845", "--player-public-url", "http://player.test"];
  [waxwing, browser] = await Promise.all([Waxwing.up(...url), launch()]);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

const keyNames = async () => (await waxwing.get("/api/keys")).keys.map(({ name }) => name);
const catalogStatus = async (secret) =>
  (await fetch(`${waxwing.catalog}/api/songs?limit=1`, { headers: { "x-api-key": secret } })).status;

test("catalog keys can be created, copied, rotated and revoked, and are displayed only once", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await enter(page, waxwing, "#/settings/access");
  const row = (name) =>
    page.getByRole("list", { name: "Catalog keys" }).getByRole("listitem").filter({ hasText: name });
  await row("this player").waitFor();
  assert.equal(
    await row("this player").getByRole("button").count(),
    0,
    "the player's own key can be revoked by mistake",
  );
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("What is it for?").fill("Discord bot");
  await page.getByLabel("It may").selectOption("read");
  await page.getByLabel("It expires").selectOption("2592000");
  await page.getByRole("button", { name: "Create" }).click();
  const secret = await page.locator(".secret").textContent();
  assert.match(secret, /^wxk_[0-9A-Za-z]{36}$/);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied.").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
  await page.getByRole("button", { name: "Done" }).click();
  assert.ok(!(await page.content()).includes(secret), "the secret is still on the page");
  await row("Discord bot").getByText("read").waitFor();
  assert.equal(await catalogStatus(secret), 200);
  assert.deepEqual(await keyNames(), ["player", "Discord bot"]);

  await page.getByRole("button", { name: "New secret for Discord bot" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create a new secret" }).click();
  const second = await page.locator(".secret").textContent();
  await page.getByRole("button", { name: "Done" }).click();
  assert.equal(await catalogStatus(second), 200);
  await until("the old secret to be invalid", async () => (await catalogStatus(secret)) === 401);

  await page.getByRole("button", { name: "Revoke Discord bot" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(await keyNames(), ["player", "Discord bot"], "revoked without a confirmation");
  await page.getByRole("button", { name: "Revoke Discord bot" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row("Discord bot").waitFor({ state: "detached" });
  await until("the key to be invalid", async () => (await catalogStatus(second)) === 401);
  clean();
  await context.close();
});

test("an app gets a login that is displayed once, works on another device, and is revoked", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/settings/apps");
  assert.equal(await page.getByLabel("Address for apps").textContent(), "http://music.test:7845");
  await page.getByText("No apps yet").waitFor();
  await page.getByRole("button", { name: "Connect an app" }).click();
  await page.getByLabel("Name of the app").fill("Symfonium");
  const [reply] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === "POST" && /api.keys$/.test(response.url())),
    page.getByRole("button", { name: "Create the login" }).click(),
  ]);
  const { secret, key, link } = await reply.json();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(secret).waitFor();
  const shown = await dialog.locator(".secret").allTextContents();
  assert.deepEqual(shown, ["http://music.test:7845", key.owner.username, secret]);
  const drawn = await dialog.getByRole("img", { name: "QR code of the login" }).locator("path").getAttribute("d");
  assert.equal(drawn.split("M").length - 1, link.qr.join("").replaceAll("0", "").length);
  assert.deepEqual(await accessibilityFindings(page), []);
  await dialog.getByRole("button", { name: "Done" }).click();
  assert.ok(!(await page.content()).includes(secret), "the secret is still on the page");

  const { hash } = new URL(link.url);
  const phone = await openRecorded(browser, { base: waxwing.catalog }, { viewport: { width: 390, height: 844 } });
  await phone.page.goto(`${waxwing.catalog}/connect${hash}`);
  const entered = (label) => phone.page.getByLabel(label, { exact: true }).inputValue();
  const [address, user, password] = [await entered("Address"), await entered("User name"),
    await entered("Password or API key")];
  assert.deepEqual([address, user, password], [waxwing.catalog, key.owner.username, secret]);
  assert.equal(phone.page.url(), `${waxwing.catalog}/connect`, "the secret is in the address");
  assert.deepEqual(await accessibilityFindings(phone.page), []);
  phone.clean();
  await phone.context.close();

  const ping = async () => {
    const query = new URLSearchParams({ u: user, p: password, f: "json" });
    return (await (await fetch(`${address}/rest/ping?${query}`)).json())["subsonic-response"].status;
  };
  assert.equal(await ping(), "ok");
  await visit(page, "#/settings/access");
  await page.getByRole("list", { name: "Catalog keys" }).waitFor();
  assert.equal(await page.getByText("Symfonium").count(), 0, "an app is among the catalog keys");
  await visit(page, "#/settings/apps");
  await page.getByRole("list", { name: "Apps" }).getByText(`user name ${user}`).waitFor();
  await page.getByRole("button", { name: "Revoke Symfonium" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No apps yet").waitFor();
  await until("the login to be invalid", async () => (await ping()) === "failed");
  clean();
  await context.close();
});

test("a token with read and write permission cannot manage access, in the page or over HTTP", async () => {
  const { secret } = await waxwing.post("/tokens", { name: "Control only", permissions: ["read", "write"] });
  for (const [method, path, body] of [
    ["GET", "/tokens"],
    ["POST", "/tokens", { name: "x", permissions: ["read"] }],
    ["GET", "/api/keys"],
    ["POST", "/api/keys", { name: "x", permissions: ["read"] }],
    ["GET", "/pair"],
  ]) {
    assert.equal((await waxwing.call(method, path, body, secret)).status, 403, `${method} ${path}`);
  }
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, { base: waxwing.base, token: secret }, "#/settings/access");
  await page.getByText("This tab may not manage access").waitFor();
  await page.getByText("This tab may not manage keys").waitFor();
  assert.equal(await page.getByRole("button", { name: /^New (key|token)$/ }).count(), 0);
  clean(/403/);
  await context.close();
});

test("missing permission, an unavailable catalog and an empty list of keys are explained", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  let reply = { status: 403, json: { error: "this needs the permission keys; yours has only read, write" } };
  await context.route("**/api/keys", (route) => route.fulfill(reply));
  await enter(page, waxwing, "#/settings/access");
  await page.getByText("This player’s key may not manage keys").waitFor();
  await page.getByText("waxwing key", { exact: true }).waitFor();
  reply = { status: 503, json: { error: "the catalog cannot be reached" } };
  await visit(page, "#/settings");
  await visit(page, "#/settings/access");
  await page.getByText("The catalog cannot be reached.").waitFor();
  reply = { status: 200, json: { keys: [] } };
  await page.getByRole("region", { name: "Catalog keys" }).getByRole("button", { name: "Try again" }).click();
  await page.getByText("No keys yet").waitFor();
  clean(/403|503/);
  await context.close();
});

test("a device can be approved with the permission to manage access", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/settings/access");
  const second = await openRecorded(browser, waxwing, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await second.page.goto(waxwing.base);
  await second.page.getByRole("button", { name: "Request access" }).click();
  await page.getByRole("alert").getByLabel("It is mine").check();
  await page.getByRole("alert").getByRole("button", { name: "Approve" }).click();
  await second.page.getByRole("heading", { name: "Trending" }).waitFor();
  await visit(second.page, "#/settings/access");
  await second.page.getByRole("list", { name: "Catalog keys" }).waitFor();
  await page.getByRole("list", { name: "Tokens" }).getByText("Chrome on").waitFor();
  second.clean();
  await second.context.close();
  clean();
  await context.close();
});
