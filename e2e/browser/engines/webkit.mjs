// WebKitGTK's MiniBrowser, controlled with Debian's WebKitWebDriver on a virtual display (Xvfb).

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, until } from "../harness.mjs";

/** A WebDriver session with one tab. */
export class WebKit {
  static async launch() {
    const it = new WebKit();
    it.home = mkdtempSync(join(tmpdir(), "waxwing-webkit-"));
    const [port, display] = [await freePort(), `:${100 + (process.pid % 800)}`];
    it.screen = spawn("Xvfb", [display, "-screen", "0", "1280x800x24", "-nolisten", "tcp"], { stdio: "ignore" });
    it.driver = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
      stdio: "ignore",
      // Containers have neither a sandbox nor a graphics card.
      env: {
        PATH: process.env.PATH,
        HOME: it.home,
        XDG_RUNTIME_DIR: it.home,
        DISPLAY: display,
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
        LIBGL_ALWAYS_SOFTWARE: "1",
        WEBKIT_DISABLE_COMPOSITING_MODE: "1",
      },
    });
    it.exited = Promise.all(
      [it.screen, it.driver].map((process) => new Promise((resolve) => process.on("exit", resolve))),
    );
    it.base = `http://127.0.0.1:${port}/session`;
    const session = await until(
      "WebKit to start",
      () =>
        it.call("POST", "", {
          capabilities: {
            alwaysMatch: { "webkitgtk:browserOptions": { binary: findMiniBrowser(), args: ["--automation"] } },
          },
        }),
      60_000,
    );
    it.base += `/${session.sessionId}`;
    it.name = `WebKitGTK ${session.capabilities.browserVersion}`;
    return it;
  }

  async call(method, path, body, timeout = 30_000) {
    const reply = await fetch(this.base + path, {
      method,
      body: body && JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
      signal: AbortSignal.timeout(timeout),
    });
    const { value } = await reply.json();
    if (!reply.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }

  /**
   * Opens an address and records errors from then on. WebDriver cannot run a script before those of
   * the page, so errors during loading are not recorded.
   */
  async goto(url) {
    await this.call("POST", "/url", { url: "about:blank" }); // a new fragment alone does not load the page
    await this.call("POST", "/url", { url });
    await this.evaluate(`(() => {
      globalThis.pageErrors = [];
      const record = (text) => globalThis.pageErrors.push(text);
      addEventListener("error", (event) => record(event.message));
      addEventListener("unhandledrejection", (event) => record(String(event.reason)));
      addEventListener("securitypolicyviolation", (event) =>
        record("policy: " + event.violatedDirective + " " + event.blockedURI));
    })()`);
  }

  /**
   * Evaluates an expression in the page. The driver sometimes sends no reply if the address changes
   * meanwhile: the call then times out and the caller retries.
   */
  async evaluate(expression) {
    const text = await this.call(
      "POST",
      "/execute/sync",
      { script: `return JSON.stringify(${expression}) ?? null`, args: [] },
      2000,
    );
    return text === null ? undefined : JSON.parse(text);
  }

  async click({ x, y }) {
    await this.call("POST", "/actions", {
      actions: [
        {
          type: "pointer",
          id: "mouse",
          actions: [
            { type: "pointerMove", duration: 0, x, y },
            { type: "pointerDown", button: 0 },
            { type: "pointerUp", button: 0 },
          ],
        },
      ],
    });
  }

  get errors() {
    return this.evaluate("globalThis.pageErrors");
  }

  get requests() {
    return this.evaluate(`performance.getEntriesByType("resource").map(({ name }) => name)`);
  }

  async close() {
    await this.call("DELETE", "").catch(() => undefined); // the driver may have exited already
    this.driver.kill("SIGTERM");
    this.screen.kill("SIGTERM");
    await this.exited;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns the path of the MiniBrowser, which contains the architecture and WebKitGTK's version. */
function findMiniBrowser() {
  for (const architecture of readdirSync("/usr/lib").filter((name) => name.endsWith("-linux-gnu"))) {
    const version = readdirSync(join("/usr/lib", architecture))
      .filter((name) => name.startsWith("webkit2gtk-4."))
      .sort()
      .at(-1);
    if (version) return join("/usr/lib", architecture, version, "MiniBrowser");
  }
  throw new Error("WebKitGTK's MiniBrowser is not installed: apt-get install webkit2gtk-driver");
}
