// Debian's Firefox, controlled with its built-in WebDriver BiDi.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, until } from "../harness.mjs";

/** A connection to a Firefox process with one tab. */
export class Firefox {
  #nextId = 1;
  #pending = new Map();
  errors = [];
  requests = [];

  static async launch() {
    const it = new Firefox();
    it.profile = mkdtempSync(join(tmpdir(), "waxwing-firefox-"));
    const port = await freePort();
    it.process = spawn(
      process.env.FIREFOX ?? "firefox-esr",
      [
        "--headless",
        "--no-remote",
        "--profile",
        it.profile,
        "--remote-debugging-port",
        String(port),
        "--width",
        "1280",
        "--height",
        "800",
      ],
      { stdio: "ignore", env: { PATH: process.env.PATH, HOME: it.profile } },
    );
    it.exited = new Promise((resolve) => it.process.on("exit", resolve));
    it.socket = await until(
      "Firefox to listen",
      () =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(`ws://127.0.0.1:${port}/session`);
          socket.onopen = () => resolve(socket);
          socket.onerror = () => reject(new Error("not listening yet"));
        }),
      60_000,
    );
    it.socket.onmessage = ({ data }) => it.#handle(JSON.parse(data));
    const { capabilities } = await it.send("session.new", { capabilities: {} });
    it.name = `Firefox ${capabilities.browserVersion}`;
    await it.send("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });
    await it.send("script.addPreloadScript", {
      functionDeclaration: `() => addEventListener("securitypolicyviolation", (event) =>
        console.error("policy: " + event.violatedDirective + " " + event.blockedURI))`,
    });
    it.tab = (await it.send("browsingContext.getTree", {})).contexts[0].context;
    return it;
  }

  #handle(message) {
    if (message.method === "log.entryAdded" && message.params.level === "error")
      this.errors.push(message.params.text);
    if (message.method === "network.beforeRequestSent") this.requests.push(message.params.request.url);
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === "error") pending?.reject(new Error(`${message.error}: ${message.message}`));
    else pending?.resolve(message.result);
  }

  send(method, params) {
    const id = this.#nextId++;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  goto(url) {
    return this.send("browsingContext.navigate", { context: this.tab, url, wait: "complete" });
  }

  /** Evaluates an expression in the page. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("script.evaluate", {
      expression: `JSON.stringify(${expression})`,
      target: { context: this.tab },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value);
  }

  /** Clicks with the mouse. @param {{x: number, y: number}} position */
  async click({ x, y }) {
    await this.send("input.performActions", {
      context: this.tab,
      actions: [
        {
          type: "pointer",
          id: "mouse",
          actions: [
            { type: "pointerMove", x, y },
            { type: "pointerDown", button: 0 },
            { type: "pointerUp", button: 0 },
          ],
        },
      ],
    });
  }

  async close() {
    this.socket.close();
    this.process.kill("SIGTERM");
    await this.exited;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
