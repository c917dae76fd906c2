// Pairing requests of several apps, some of them strangers that try to be approved by mistake.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { request } from "node:http";
import { pathToFileURL } from "node:url";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Waxwing, enter, launch, stableBox, until, openRecorded } from "./harness.mjs";

let waxwing, browser;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

/** Sends a pairing request from an address of this machine. */
function pairFrom(localAddress, name) {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", localAddress, headers: { "Content-Type": "application/json" } };
    const sent = request(`${waxwing.base}/pair`, options, (reply) => {
      let text = "";
      reply.on("data", (part) => { text += part; });
      reply.on("end", () => (reply.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ name, permissions: ["read"] }));
  });
}

const claimStatus = async ({ id }) => (await waxwing.call("POST", "/pair/claim", { id }, "")).status;

test("a card stays in its place and never turns into that of another app", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  await page.waitForFunction(() => document.fonts.size > 0); // the typeface changes widths when it arrives
  const notice = page.getByRole("alert");
  const card = (name) => notice.locator(".pair-card", { hasText: name });
  const names = () => notice.locator(".pair-card strong").allTextContents();

  const radio = await pairFrom("127.0.0.1", "Kitchen radio");
  const approve = card("Kitchen radio").getByRole("button", { name: "Approve" });
  await approve.waitFor();
  const place = await stableBox(approve);
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  await page.mouse.move(x, y);

  // Strangers replace the request at the moment of the click: the radio's ends, theirs come in.
  const strangers = [await pairFrom("127.0.0.2", "Stranger 1"), await pairFrom("127.0.0.3", "Stranger 2")];
  await card("Stranger 2").waitFor();
  assert.deepEqual(await names(), ["Kitchen radio", "Stranger 1", "Stranger 2"]);
  assert.deepEqual(await stableBox(approve), place, "the card moved");
  await waxwing.post("/pair/deny", { code: radio.code });
  await card("Kitchen radio").getByText("It no longer waits.").waitFor();
  strangers.push(await pairFrom("127.0.0.1", "Kitchen radio "));
  await card("Kitchen radio").nth(1).waitFor();
  const last = await stableBox(card("Stranger 1"));
  for (let clicks = 0; clicks < 3; clicks++) await page.mouse.click(x, y);
  await page.waitForTimeout(4000); // longer than an answered card stays without the pointer
  await page.mouse.click(x, y);
  assert.deepEqual(await stableBox(card("Stranger 1")), last, "a card moved under the pointer");
  assert.deepEqual(await names(), ["Kitchen radio", "Stranger 1", "Stranger 2", "Kitchen radio"]);
  for (const stranger of strangers) assert.equal(await claimStatus(stranger), 202, "a stranger was approved");

  // Each card answers its own request.
  await card("Stranger 2").getByRole("button", { name: "Refuse" }).click();
  await card("Stranger 2").getByText("Refused.").waitFor();
  await card("Kitchen radio").nth(1).getByRole("button", { name: "Approve" }).click();
  await card("Kitchen radio").nth(1).getByText("Approved.").waitFor();
  assert.deepEqual(await Promise.all(strangers.map(claimStatus)), [202, 409, 200]);
  await page.mouse.move(5, 5);
  await until("answered cards to be removed", async () => (await names()).join() === "Stranger 1");
  await waxwing.post("/pair/deny", { code: strangers[0].code });
  await until("the last card to be removed", async () => (await names()).length === 0);
  clean();
  await context.close();
});

test("a card ends when the visitor leaves the page that requested access", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  await enter(page, waxwing);
  const asker = await openRecorded(browser, waxwing);
  await asker.page.goto(waxwing.base);
  await asker.page.getByRole("button", { name: "Request access" }).click();
  const card = page.getByRole("alert").locator(".pair-card");
  await card.getByRole("button", { name: "Approve" }).waitFor();
  await asker.page.goto("about:blank");
  await card.getByText("It no longer waits.").waitFor();
  await until("the card to be removed", async () => (await card.count()) === 0);
  await asker.context.close();
  clean();
  await context.close();
});

test("a private file that leads to the page gives access once, as waxwing open uses it", async () => {
  const { id, request: name } = await waxwing.post("/pair/invite", { name: "Web player", permissions: ["read"] });
  const link = `${waxwing.base}/#claim=${id}`;
  const file = join(waxwing.dir, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">`, { mode: 0o600 });
  const { page, context } = await openRecorded(browser, waxwing);
  await page.goto(pathToFileURL(file).href);
  await page.getByRole("heading", { name: "Trending" }).waitFor();
  assert.ok(!page.url().includes(id));
  assert.equal((await waxwing.get(`/pair/invite/${name}`)).claimed, true);
  assert.equal(await claimStatus({ id }), 404);
  await context.close();
});
