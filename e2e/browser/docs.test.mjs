// The documentation of both servers and its console.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessibilityFindings } from "./accessibility.mjs";
import { Waxwing, launch } from "./harness.mjs";

let waxwing, browser, servers;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
  const key = waxwing.run("key", "create", "--name", "docs", "--permission", "read", "--permission", "write")
    .split("\n").find((line) => line.startsWith("wxk_"));
  servers = {
    player: {
      base: waxwing.base, secret: waxwing.token, variable: "$TOKEN", path: "/playback-state", part: '"is_playing": ',
    },
    catalog: {
      base: waxwing.catalog.replace(/\/$/, ""), secret: key, variable: "$KEY", path: "/api/songs", part: '"total": ',
    },
  };
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

/** Opens a page whose console errors and requests are recorded. */
async function open(url, options = {}) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.goto(url);
  await page.getByRole("heading", { name: "Try it" }).waitFor();
  return { page, context, errors, requests };
}

for (const name of ["player", "catalog"]) {
  test(`the console of the ${name} sends requests and shows replies and commands`, async () => {
    const { base, secret, variable, path, part } = servers[name];
    const { page, context, errors, requests } = await open(`${base}/docs`);
    assert.equal(await page.locator("header code").first().textContent(), base);
    await page.getByLabel("Operation", { exact: true }).selectOption({ label: `GET ${path}` });
    await page.locator("#console-secret").fill(secret);
    await page.keyboard.press("Enter"); // sends the form
    await page.getByRole("status").filter({ hasText: /^200/ }).waitFor();
    const body = page.getByRole("region", { name: "Body of the reply" });
    await body.filter({ hasText: part }).waitFor();
    assert.match(await page.getByRole("region", { name: "Headers of the reply" }).textContent(), /x-request-id: /);
    const command = await page.getByRole("region", { name: "Equivalent command" }).textContent();
    assert.ok(command.includes(variable) && command.endsWith(`'${base}${path}'`), command);
    const text = await page.locator("body").textContent();
    assert.ok(!text.includes(secret), "the page shows the credential");
    const stored = await page.evaluate(() => localStorage.length + sessionStorage.length + document.cookie.length);
    assert.equal(stored, 0, "the page stores something");
    assert.deepEqual(errors, []);

    await page.locator("#console-secret").fill("wrong");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("status").filter({ hasText: /^401/ }).waitFor();
    await body.filter({ hasText: '"code": "invalid_credential"' }).waitFor();
    assert.deepEqual(requests, ["GET /docs", "GET /docs/console.js", `GET ${path}`, `GET ${path}`]);
    await page.reload();
    await page.getByRole("heading", { name: "Try it" }).waitFor();
    assert.equal(await page.locator("#console-secret").inputValue(), "");
    await context.close();
  });
}

test("the console fills in paths and bodies, shows streams and stops them", async () => {
  const { base, secret } = servers.player;
  const { page, context, errors } = await open(`${base}/docs`);
  await page.getByRole("button", { name: "Try it: setVolume", exact: true }).click();
  await page.locator("#console-secret").fill(secret);
  await page.getByLabel("Body (JSON)").fill('{"volume": 37}');
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("region", { name: "Body of the reply" }).filter({ hasText: '"volume": 37' }).waitFor();
  await page.getByLabel("Operation", { exact: true }).selectOption({ label: "GET /events" });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("region", { name: "Body of the reply" }).filter({ hasText: "event: state" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "Stopped." }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("the console of the catalog changes the catalog with a key", async () => {
  const { base, secret } = servers.catalog;
  const { page, context, errors } = await open(`${base}/docs`);
  const body = page.getByRole("region", { name: "Body of the reply" });
  await page.getByRole("button", { name: "Try it: createPlaylist", exact: true }).click();
  await page.locator("#console-secret").fill(secret);
  await page.getByLabel("Body (JSON)").fill('{"name": "From the docs", "rules": {"match": "all", "rules": ' +
    '[{"field": "year", "op": "gt", "value": 1900}]}}');
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await body.filter({ hasText: '"name": "From the docs"' }).waitFor();
  const { playlist } = JSON.parse(await body.textContent());
  await page.getByRole("button", { name: "Try it: like", exact: true }).click();
  await page.getByLabel("id (required)").fill(playlist.id);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("status").filter({ hasText: /^200/ }).waitFor();
  const { likes } = await waxwing.get("/api/me/likes?type=playlist");
  assert.equal(likes[0].playlist.id, playlist.id);
  assert.deepEqual(errors, []);
  await context.close();
});

test("no address makes the console send or fill in anything", async () => {
  const { base, secret } = servers.player;
  for (const tail of [`?operation=pause&token=${secret}&send=1`, "#pause", `#console?access_token=${secret}`]) {
    const { page, context, requests } = await open(`${base}/docs${tail}`);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(requests, ["GET /docs", "GET /docs/console.js"]);
    assert.equal(await page.locator("#console-secret").inputValue().catch(() => ""), "");
    await context.close();
  }
});

for (const [name, options] of Object.entries({
  "desktop, dark": { colorScheme: "dark" },
  "phone, light": { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
})) {
  test(`the documentation has no serious accessibility finding: ${name}`, async () => {
    for (const { base, path } of Object.values(servers)) {
      const { page, context } = await open(`${base}/docs`, options);
      await page.getByLabel("Operation", { exact: true }).selectOption({ label: `GET ${path}` });
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByRole("status").filter({ hasText: /^401/ }).waitFor();
      assert.deepEqual(await accessibilityFindings(page), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
      await context.close();
    }
  });
}
