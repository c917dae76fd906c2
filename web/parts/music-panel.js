// The music folders, what the last scan found in them, and a button that scans again.

import { catalog } from "../core/catalog.js";
import { fill, h } from "../core/dom.js";
import { ago, plural } from "../core/format.js";
import { get, post } from "../core/http.js";
import { showError, showNotice } from "../core/notices.js";
import { button } from "./controls.js";
import { icon } from "./icons.js";
import { liveElement } from "./live-element.js";
import "./scan-progress.js";

/**
 * @typedef {{name: string, song_count: number, problems: number}} Folder
 * @typedef {import("../core/types.js").Scan} Scan
 */

export function musicPanel() {
  const list = h("ul", { class: "folders", "aria-label": "Music folders" });
  const last = h("p", { class: "by" });
  const update = async () => {
    const [folders, scan] = await Promise.all([
      get("/api/folders").then((reply) => /** @type {Folder[]} */ (reply.folders), () => null),
      get("/api/scan").then((reply) => /** @type {Scan} */ (reply.scan), () => null),
    ]);
    if (folders) fill(list, ...folders.map(folderRow));
    fill(last, scan ? scanText(scan) : "The catalog is unavailable.");
  };
  const rescan = async () => {
    try {
      await post("/api/scan", { full: false });
      showNotice("The scan of the music folders begins.");
      catalog.changed();
    } catch (error) {
      showError(error);
    }
  };
  const content = liveElement((signal) => { catalog.onChange(update, signal); void update(); });
  content.append(list, last, document.createElement("wax-scan-progress"));
  return h("section", { class: "panel", "aria-label": "Music" }, h("header", { class: "panel-head" },
    h("span", { class: "panel-icon" }, icon("folder")),
    h("div", null, h("h2", null, "Music"),
      h("p", { class: "by" }, "New and changed files are found by themselves in most folders.")),
    button("Scan again", () => void rescan(), { icon: "refresh", edits: true })), content);
}

/** @param {Folder} folder */
function folderRow({ name, song_count: songs, problems }) {
  const found = [plural(songs, "song"), problems > 0 && `${plural(problems, "file")} cannot be read`];
  return h("li", null, icon("folder"), h("span", { class: "title", dir: "auto" }, name),
    h("span", { class: "by" }, found.filter(Boolean).join(" · ")));
}

/** @param {Scan} scan */
function scanText(scan) {
  if (scan.running) return "A scan is running.";
  if (!scan.finished_at) return "No scan has run since the start.";
  const found = [
    scan.songs_added && `${scan.songs_added.toLocaleString()} added`,
    scan.songs_changed && `${scan.songs_changed.toLocaleString()} changed`,
    scan.songs_missing && `${scan.songs_missing.toLocaleString()} missing`,
    scan.problems && `${plural(scan.problems, "file")} with problems`,
  ].filter(Boolean).join(", ");
  const files = plural(scan.files_found, "file");
  return `Last scan ${ago(scan.finished_at)}: ${found || "nothing has changed"}, ${files} in all.`;
}
