// WebKitGTK's own small browser, driven by the WebKitWebDriver that Debian packages with it, on a
// screen that nobody sees.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, until } from "../harness.mjs";

/** One session with a WebKit that shows one tab. */
export class WebKit {
  static async launch() {
    const it = new WebKit();
    it.home = mkdtempSync(join(tmpdir(), "waxwing-webkit-"));
    const [port, display] = [await freePort(), `:${100 + (process.pid % 800)}`];
    it.screen = spawn("Xvfb", [display, "-screen", "0", "1280x800x24", "-nolisten", "tcp"], { stdio: "ignore" });
    it.driver = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
      stdio: "ignore",
      // Inside containers there is no sandbox to be had, and no graphics card.
      env: { PATH: process.env.PATH, HOME: it.home, XDG_RUNTIME_DIR: it.home, DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", LIBGL_ALWAYS_SOFTWARE: "1", WEBKIT_DISABLE_COMPOSITING_MODE: "1" },
    });
    it.exited = Promise.all([it.screen, it.driver].map((process) => new Promise((resolve) => process.on("exit", resolve))));
    it.base = `http://127.0.0.1:${port}/session`;
    const session = await until("WebKit to start", () => it.call("POST", "", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: smallBrowser(), args: ["--automation"] } } } }), 60_000);
    it.base += `/${session.sessionId}`;
    it.name = `WebKitGTK ${session.capabilities.browserVersion}`;
    return it;
  }

  async call(method, path, body, patience = 30_000) {
    const reply = await fetch(this.base + path, { method, body: body && JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal: AbortSignal.timeout(patience) });
    const { value } = await reply.json();
    if (!reply.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  /**
   * What goes wrong is noted from here on: nothing can be put into the page before its own scripts.
   */
  async goto(url) {
    await this.call("POST", "/url", { url: "about:blank" }); // a fragment alone would load nothing
    await this.call("POST", "/url", { url });
    await this.value(`(() => {
      globalThis.wrong = [];
      const note = (text) => globalThis.wrong.push(text);
      addEventListener("error", (event) => note(event.message));
      addEventListener("unhandledrejection", (event) => note(String(event.reason)));
      addEventListener("securitypolicyviolation", (event) => note("policy: " + event.violatedDirective + " " + event.blockedURI));
    })()`);
  }

  /**
   * The value of an expression. The driver loses one now and then that meets a change of the
   * address: whoever waits asks again.
   */
  async value(expression) {
    const text = await this.call("POST", "/execute/sync", { script: `return JSON.stringify(${expression}) ?? null`, args: [] }, 2000);
    return text === null ? undefined : JSON.parse(text);
  }

  async click({ x, y }) {
    await this.call("POST", "/actions", { actions: [{ type: "pointer", id: "mouse", actions: [{ type: "pointerMove", duration: 0, x, y }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }] }] });
  }

  get errors() {
    return this.value("globalThis.wrong");
  }

  get requests() {
    return this.value(`performance.getEntriesByType("resource").map(({ name }) => name)`);
  }

  async close() {
    await this.call("DELETE", "").catch(() => undefined); // the driver may be gone already
    this.driver.kill("SIGTERM");
    this.screen.kill("SIGTERM");
    await this.exited;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** WebKitGTK brings a browser for tests, in a folder of its version and of the machine. */
function smallBrowser() {
  for (const machine of readdirSync("/usr/lib").filter((name) => name.endsWith("-linux-gnu"))) {
    const version = readdirSync(join("/usr/lib", machine)).filter((name) => name.startsWith("webkit2gtk-4.")).sort().at(-1);
    if (version) return join("/usr/lib", machine, version, "MiniBrowser");
  }
  throw new Error("WebKitGTK's MiniBrowser is not installed: apt-get install webkit2gtk-driver");
}
