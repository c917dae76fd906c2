// Plays on the machine, in this browser and on the machine again, while browser_sound_test.go
// records what comes out of the sound server.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { until } from "./harness.mjs";

const { WAXWING_URL: base, WAXWING_TOKEN: token } = process.env;
const Authorization = `Bearer ${token}`;
const get = async (path) => (await fetch(base + path, { headers: { Authorization } })).json();
const post = (path) => fetch(base + path, { method: "POST", headers: { Authorization } });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  ignoreDefaultArgs: ["--mute-audio"],
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`${base}/#token=${token}`);
  await page.waitForFunction(() => document.documentElement.dataset.connection === "online");
  const bar = page.getByRole("region", { name: "Now playing" });
  const slider = bar.getByRole("slider", { name: "Position in the track" });
  const playsUntil = (ms) => until(`position ${ms}`, async () => Number(await slider.inputValue()) >= ms, 60_000);
  const choose = async (index) => {
    await bar.locator(".now-more .output").click();
    const outputs = page.getByRole("menuitemradio");
    await outputs.first().waitFor();
    await (index < 0 ? outputs.last() : outputs.nth(index)).click();
  };
  const machineOutput = (await get("/outputs")).outputs.findIndex(({ active }) => active);

  await post("/play");
  await playsUntil(800);
  await choose(-1);
  await bar.getByRole("button", { name: "Output: this browser" }).waitFor();
  assert.equal((await get("/playback-state")).is_playing, false, "the machine still plays");
  await page.waitForFunction(() => document.title.startsWith("Piece 2"), undefined, { timeout: 60_000 });
  await playsUntil(1000);
  await choose(machineOutput);
  await until("the machine to play", async () => (await get("/playback-state")).is_playing);
  await playsUntil(2500);
  await post("/pause");
} finally {
  await browser.close();
}
