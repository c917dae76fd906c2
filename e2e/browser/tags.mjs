// Opens the web player and the overlay with a library that has a script in every tag. Prints as
// JSON the dialogs, errors, requests to other origins and elements that the scripts caused.

import { readFileSync } from "node:fs";
import { launch } from "./harness.mjs";

const { base, token, ids } = JSON.parse(readFileSync(0, "utf8"));
const seen = { dialogs: [], errors: [], foreign: [], screens: 0, rows: 0, elements: [] };
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
context.on("request", (request) => {
  const { origin, protocol } = new URL(request.url());
  if (origin !== base && !["blob:", "data:"].includes(protocol)) seen.foreign.push(request.url());
});
context.on("page", (page) => {
  page.on("dialog", async (dialog) => {
    seen.dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error") seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
});
await context.addInitScript(() => {
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI}`);
  });
});

const injectedElements = [
  "iframe",
  "object",
  "embed",
  "base",
  "form[action]",
  "meta[http-equiv]",
  "a[href^='javascript:']",
  "body script:not([src])",
  "[onerror]",
  "[onload]",
  "[ontoggle]",
  "[onfocus]",
].join(", ");

/** Records the payloads displayed as text, and the elements that only a payload could create. */
async function inspect(page) {
  seen.screens++;
  const found = await page.evaluate(
    (selector) => ({
      rows: document.body.innerText.split("\n").filter((line) => line.includes("alert(1)")).length,
      elements: [...document.querySelectorAll(selector)].map((element) => element.outerHTML.slice(0, 200)),
    }),
    injectedElements,
  );
  seen.rows += found.rows;
  seen.elements.push(...found.elements);
}

const page = await context.newPage();
await page.goto(`${base}/#token=${token}`);
await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
for (const hash of ["#/songs", "#/albums", "#/artists", "#/search?q=alert", "#/search?q=script", "#/"]) {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  await page.waitForTimeout(300);
  for (let step = 0; step < 8; step++) {
    await inspect(page);
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, 1600);
    await page.waitForTimeout(80);
  }
}
const overlay = await context.newPage();
await overlay.goto(`${base}/overlay#token=${token}`);
const post = (path, body) =>
  fetch(base + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
await page.evaluate(() => {
  location.hash = "#/queue";
});
for (const id of ids) {
  const reply = await post("/play", { track_id: id });
  if (!reply.ok) seen.errors.push(`play ${id}: ${reply.status}`);
  await page.waitForTimeout(60);
  await inspect(page);
  await inspect(overlay);
}
await browser.close();
process.stdout.write(JSON.stringify(seen));
