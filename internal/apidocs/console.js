// The console of the documentation: sends requests to the server of this page. It starts nothing by
// itself, and reads nothing from the address of the page. The credential stays in its input field.

const longest = 200_000; // characters of a body to show

const get = (id) => document.getElementById(id);
const { credential: scheme, operations } = JSON.parse(get("operations").textContent);
const form = get("console");
const select = get("console-operation");
const secret = get("console-secret");
const body = get("console-body");
let running = null; // the AbortController of the request in progress

const chosen = () => operations.find((operation) => operation.id === select.value);
const fields = () => [...form.querySelectorAll("[data-in]")].filter((field) => field.value !== "");

/** An input field, or a choice, for a parameter. */
function fieldOf(parameter, index) {
  const group = document.createElement("div");
  const label = document.createElement("label");
  const field = document.createElement(parameter.enum ? "select" : "input");
  group.className = "field";
  label.textContent = parameter.name + (parameter.required ? " (required)" : "");
  field.id = label.htmlFor = `console-parameter-${index}`;
  field.name = parameter.name;
  field.dataset.in = parameter.in;
  field.required = parameter.required;
  field.autocomplete = "off";
  if (parameter.enum) field.append(...["", ...parameter.enum].map((value) => new Option(value, value)));
  else field.placeholder = parameter.type;
  group.append(label, field);
  return group;
}

/** Shows the fields of the chosen operation. */
function choose() {
  const operation = chosen();
  get("console-parameters").replaceChildren(...operation.parameters.map(fieldOf));
  get("console-parameter-group").hidden = operation.parameters.length === 0;
  get("console-body-group").hidden = !operation.body;
  body.value = operation.example;
  body.rows = Math.min(Math.max(operation.example.split("\n").length + 1, 4), 16);
  get("console-secret-group").hidden = !operation.permission;
  get("console-need").textContent = operation.permission ? `needs ${operation.permission}` : "";
  showCommand();
}

/** The path and query of the request. {path} may have several segments. */
function target(operation) {
  const query = new URLSearchParams();
  let path = operation.path;
  for (const field of fields()) {
    if (field.dataset.in === "query") query.append(field.name, field.value);
    if (field.dataset.in === "path")
      path = path.replace(`{${field.name}}`, field.name === "path"
        ? field.value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(field.value));
  }
  return location.origin + path + (query.size > 0 ? `?${query}` : "");
}

const headers = () =>
  fields().filter((field) => field.dataset.in === "header").map((field) => [field.name, field.value]);
const sendsBody = (operation) => operation.body && body.value.trim() !== "";
const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The equivalent command, with a variable in place of the credential. */
function showCommand() {
  const operation = chosen();
  const parts = ["curl", "-i"];
  if (operation.permission) parts.push("-H", `"${scheme.header}: ${scheme.prefix}${scheme.variable}"`);
  for (const [name, value] of headers()) parts.push("-H", quote(`${name}: ${value}`));
  if (operation.method !== "GET") parts.push("-X", operation.method);
  if (sendsBody(operation)) parts.push("--json", quote(body.value));
  get("console-command").textContent = [...parts, quote(target(operation))].join(" ");
}

const setStatus = (text) => { get("console-status").textContent = text; };

/** Sends the request and shows the reply while it arrives. */
async function send() {
  const operation = chosen();
  const request = { method: operation.method, headers: headers(), credentials: "omit", cache: "no-store" };
  if (operation.permission && secret.value) request.headers.push([scheme.header, scheme.prefix + secret.value.trim()]);
  if (sendsBody(operation)) {
    request.body = body.value;
    request.headers.push(["Content-Type", "application/json"]);
  }
  running?.abort();
  const own = running = new AbortController();
  get("console-headers").textContent = get("console-reply").textContent = "";
  get("console-result").hidden = false;
  get("console-stop").hidden = false;
  setStatus("Waiting for the reply …");
  const start = performance.now();
  try {
    const reply = await fetch(target(operation), { ...request, signal: own.signal });
    setStatus(`${reply.status} ${reply.statusText}, after ${Math.round(performance.now() - start)} ms`);
    get("console-headers").textContent = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    await show(reply);
  } catch (error) {
    setStatus(own.signal.aborted ? "Stopped." : `The request failed: ${error.message}`);
  }
  if (running === own) {
    running = null;
    get("console-stop").hidden = true;
  }
}

/** Shows a body: text as it arrives, JSON indented, anything else by its size. */
async function show(reply) {
  const output = get("console-reply");
  const type = reply.headers.get("Content-Type") ?? "";
  if (!/^text\/|json|yaml|xml/.test(type)) {
    const size = (await reply.blob()).size;
    output.textContent = size > 0 ? `${size} bytes of ${type}` : "";
    return;
  }
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (type.startsWith("text/event-stream")) output.textContent = text = text.slice(-longest);
    else if (text.length > longest * 10) break;
  }
  void reader.cancel();
  if (type.includes("json")) {
    try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON: shown as it is */ }
  }
  output.textContent = text.length > longest ? `${text.slice(0, longest)}\n… (${text.length} characters)` : text;
}

for (const group of new Set(operations.map((operation) => operation.group))) {
  const element = document.createElement("optgroup");
  element.label = group;
  for (const operation of operations.filter((candidate) => candidate.group === group))
    element.append(new Option(`${operation.method} ${operation.path}`, operation.id));
  select.append(element);
}
select.addEventListener("change", choose);
form.addEventListener("input", showCommand);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});
get("console-stop").addEventListener("click", () => running?.abort());
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-operation]");
  if (!button) return;
  select.value = button.dataset.operation;
  choose();
  get("try-it").scrollIntoView();
  select.focus({ preventScroll: true });
});
addEventListener("pagehide", () => { secret.value = ""; });
for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
choose();
