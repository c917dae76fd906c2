// The overlay for streaming software and the page that builds its address.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Waxwing, enter, launch, openRecorded, until } from "./harness.mjs";

let waxwing, browser;
before(async () => {
  [waxwing, browser] = await Promise.all([Waxwing.up(), launch()]);
  await waxwing.fillQueue();
});
after(async () => {
  await browser?.close();
  await waxwing?.down();
});

const createToken = (name = "obs") => waxwing.run("token", "create", "--name", name, "--permission", "read");
const card = (page) => page.locator("wax-overlay-card:not(.hidden)");
const offlineErrors = /ERR_|Failed to load resource|waxwing overlay/i;

/** How many pixels of an overlay can be seen. */
async function visiblePixels(page) {
  const png = await page.screenshot({ omitBackground: true });
  const checker = await page.context().newPage();
  const count = await checker.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data: pixels } = canvas.getImageData(0, 0, image.width, image.height);
    return pixels.filter((value, i) => i % 4 === 3 && value > 0).length;
  }, png.toString("base64"));
  await checker.close();
  return count;
}
const isTransparent = (page) => until("a transparent page", async () => (await visiblePixels(page)) === 0);

test("an overlay is transparent on every failure, and the web player tells the owner", async () => {
  const owner = await openRecorded(browser, waxwing);
  await enter(owner.page, waxwing);
  const { page, context } = await openRecorded(browser, waxwing);
  const secret = createToken("revoked");
  await page.goto(`${waxwing.base}/overlay#token=${secret}`);
  await card(page).waitFor();
  assert.ok((await visiblePixels(page)) > 10_000, "the card cannot be seen; nothing was tested");
  waxwing.run("token", "revoke", "revoked");
  await isTransparent(page);
  await owner.page.getByText("its token is not valid any more").waitFor();
  assert.match(await page.title(), /token is not valid/);
  for (const address of ["/overlay", "/overlay?theme=solid#token=wxt_typo", "/overlay?theme=nope&width=-1"]) {
    const other = await context.newPage();
    await other.goto(waxwing.base + address);
    await other.waitForFunction(() => document.title.includes("create another address"));
    await isTransparent(other);
    await other.close();
  }
  await owner.page.getByText("its address has no token").waitFor();
  await owner.page.getByRole("link", { name: "Create another address" }).click();
  await owner.page.getByRole("heading", { name: "Overlay" }).waitFor();
  await owner.context.close();
  await context.close();
});

test("an overlay that is opened while the player is offline appears when the player starts", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  const address = `${waxwing.base}/overlay?theme=solid#token=${createToken()}`;
  await page.goto(address);
  await card(page).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await until("the page to be cached", () =>
    page.evaluate(async () => {
      const { files } = await (await fetch("/web/files.json")).json();
      const cached = (await (await caches.open("waxwing-files")).keys()).map(({ url }) => new URL(url).pathname);
      return ["/overlay", ...files].every((path) => cached.includes(path));
    }),
  );
  await waxwing.kill();
  await isTransparent(page);
  await page.goto("about:blank");
  await page.goto(address);
  await isTransparent(page);
  await waxwing.start();
  await card(page).waitFor({ timeout: 15_000 });
  clean(offlineErrors);
  await context.close();
});

test("the card is in its corner, aligned to it, and visible for some seconds after a change", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing, { viewport: { width: 1920, height: 1080 } });
  const secret = createToken("corners");
  for (const [position, theme] of Object.entries({
    "top-left": "glass", top: "minimal", "top-right": "vinyl", "bottom-left": "minimal", bottom: "glass",
    "bottom-right": "minimal",
  })) {
    await page.goto("about:blank");
    await page.goto(`${waxwing.base}/overlay?position=${position}&theme=${theme}&scale=150#token=${secret}`);
    await card(page).waitFor();
    await until(`the card at ${position}`, async () => {
      const box = await card(page).boundingBox();
      const [left, right, top, bottom] = [box.x, 1920 - box.x - box.width, box.y, 1080 - box.y - box.height];
      const centred = !position.includes("-") && left === right;
      const across = centred || (position.endsWith("left") ? left === 24 : right === 24);
      return across && (position.startsWith("top") ? top === 24 : bottom === 24);
    });
    const [title, place] = await Promise.all([".overlay-title .line-text", ".overlay-title"].map((selector) =>
      page.locator(selector).boundingBox()));
    const [before, behind] = [title.x - place.x, place.x + place.width - title.x - title.width];
    if (position.endsWith("left")) assert.ok(before < 1, `${position}, ${theme}: ${before} px before the title`);
    if (position.endsWith("right")) assert.ok(behind < 1, `${position}, ${theme}: ${behind} px after the title`);
    if (theme === "minimal" && !position.includes("-"))
      assert.ok(Math.abs(before - behind) < 2, `${position}: the title is not centred`);
  }
  await page.goto("about:blank");
  await page.goto(`${waxwing.base}/overlay?show=1#token=${secret}`);
  await card(page).waitFor();
  await page.locator("wax-overlay-card.hidden").waitFor({ state: "attached" });
  await waxwing.post("/next");
  await card(page).waitFor();
  await page.locator("wax-overlay-card.hidden").waitFor({ state: "attached" });
  clean();
  await context.close();
});

test("the builder previews what is playing, and one token serves all addresses", async () => {
  const { page, context, clean } = await openRecorded(browser, waxwing);
  const field = page.getByLabel("Address");
  const secretOf = async () => /#token=(wxt_\w+)$/.exec(await field.inputValue())?.[1];
  const overlays = async () => (await waxwing.get("/tokens")).tokens.filter(({ name }) => name === "Overlay").length;
  await page.goto(`${waxwing.base}/overlay/new`);
  const { width, height } = await page.locator(".builder-stage").boundingBox();
  assert.ok(Math.abs(width / height - 16 / 9) < 0.01, `the stage is ${width} × ${height}, want 16:9`);
  await page.getByText("This browser is not signed in").waitFor();
  await page.getByRole("button", { name: "Request a token" }).click();
  const code = await page.locator(".pair-code").textContent();
  await waxwing.post("/pair/approve", { code });
  const paired = await until("the address", secretOf);
  assert.deepEqual((await waxwing.get("/token", paired)).token.permissions, ["read"]);
  await page.reload();
  await page.getByRole("button", { name: "Copy the address" }).click();
  assert.equal(await until("the address after a reload", secretOf), paired);

  await enter(page, waxwing);
  await page.goto(`${waxwing.base}/overlay/new`);
  const { track } = await waxwing.get("/current-track");
  await page.locator(".builder-stage").getByText(track.title, { exact: true }).waitFor();
  await waxwing.post("/next");
  const { track: next } = await waxwing.get("/current-track");
  await page.locator(".builder-stage").getByText(next.title, { exact: true }).waitFor();
  await page.getByLabel("Theme").selectOption("shade");
  await page.getByRole("button", { name: "Create the address" }).click();
  assert.equal(await until("the address of a signed-in browser", secretOf), paired);
  assert.equal(await overlays(), 1);
  clean();
  await context.close();
});
