// A tab that reconnects to another program on the player's port does not send its token.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { hex, hmac, sha256 } from "../../web/core/sha256.js";
import { Waxwing, enter, launchDesktop, openRecorded, until } from "./harness.mjs";

let waxwing, browser;
before(async () => {
  waxwing = await Waxwing.up();
  browser = await launchDesktop();
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

/** Takes the player's port, replies 200 to everything and records each request. */
async function takePort(port) {
  const received = [];
  const server = createServer((request, reply) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      received.push({ line: `${request.method} ${request.url}`, headers: JSON.stringify(request.headers), body });
      reply.setHeader("X-Waxwing-Version", "fake");
      reply.setHeader("Content-Type", "application/json");
      reply.end(JSON.stringify({ ok: true, signature: "0".repeat(64) }));
    });
  });
  await until("the port", () =>
    new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", () => resolve(true))),
  );
  return { received, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

test("an open tab and an overlay send no token to another program, and return to the player", async () => {
  const { page, context } = await openRecorded(browser, waxwing);
  await enter(page, waxwing, "#/settings");
  await page.getByRole("button", { name: "Stay signed in on this device" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  const login = await page.evaluate(() => localStorage.getItem("waxwing.token"));
  const overlay = await context.newPage();
  const events = overlay.waitForResponse((reply) => reply.url().endsWith("/events"));
  await overlay.goto(`${waxwing.base}/overlay#token=${waxwing.token}`);
  await events;
  await waxwing.kill();
  const thief = await takePort(waxwing.port);
  await page.getByText("Another program answers").first().waitFor();
  await page.evaluate(() => {
    location.hash = "#/albums"; // requests of another screen
  });
  await until("several checks of both pages", () =>
    thief.received.filter(({ line }) => line === "POST /identity").length >= 6,
  );
  for (const { line, headers, body } of thief.received) {
    for (const secret of [waxwing.token, login])
      assert.ok(!`${line} ${headers} ${body}`.includes(secret.slice(4)), `the token was sent: ${line}`);
    assert.ok(!/authorization/i.test(headers), `a credential was sent: ${line} ${headers}`);
    if (line.startsWith("POST")) assert.equal(line, "POST /identity");
  }
  console.log(`impostor: ${thief.received.length} requests, 0 tokens`);
  await thief.close();
  await waxwing.start();
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  await context.close();
});

test("a tab whose token is unknown or revoked says so", async () => {
  const { page, context } = await openRecorded(browser, waxwing);
  await page.goto(`${waxwing.base}/#token=wxt_0000000000000000000000000000000000000`);
  await page.getByText("The token of this tab is not valid").waitFor();
  const secret = waxwing.run("token", "create", "--name", "tab", "--permission", "read");
  await page.goto(`${waxwing.base}/?again#token=${secret}`);
  await page.locator("main .view h1").first().waitFor();
  waxwing.run("token", "revoke", "tab");
  await page.getByText("The token of this tab is not valid").waitFor();
  await context.close();
});

test("SHA-256 and HMAC equal those of the system", () => {
  for (let length = 0; length < 300; length++) {
    const text = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    assert.equal(hex(sha256(text)), createHash("sha256").update(text).digest("hex"), `length ${length}`);
    assert.equal(hex(hmac(text, text)), createHmac("sha256", text).update(text).digest("hex"), `length ${length}`);
  }
});
