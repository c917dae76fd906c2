// Accessibility findings of a page.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core")), "utf8");

/** Runs axe. It is evaluated by the debugger because the page's policy forbids inline scripts. */
export async function accessibilityFindings(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, {
      resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) =>
          `${id} at ${target.join(" ")}: ${failureSummary.split("\n").slice(1, 3).join(" ").trim()}`,
      ),
    );
}
