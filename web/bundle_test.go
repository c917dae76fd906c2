package web

import (
	"strings"
	"testing"
)

func TestBundleJoinsModulesAfterTheirImports(t *testing.T) {
	modules := map[string]string{
		"app.js": "// The page.\n\nimport { one,\n  two } from \"./core/a-b.js\";\nimport \"./core/c.js\";\n" +
			"/** @type {X} */ (one)(two); // kept\n/** removed */\n",
		"core/a-b.js": "import { c } from \"./c.js\";\nexport const one = c;\nexport async function two() {}\n",
		"core/c.js":   "export class c {}\n",
	}
	got, err := joined(modules)
	want := "// core/c.js\nconst core_c_js = (() => {\nclass c {}\nreturn { c };\n})();\n" +
		"// core/a-b.js\nconst core_a_b_js = (() => {\nconst { c } = core_c_js;\nconst one = c;\n" +
		"async function two() {}\nreturn { one, two };\n})();\n" +
		"// app.js\nconst app_js = (() => {\n\nconst { one,\n  two } = core_a_b_js;\n" +
		"/** @type {X} */ (one)(two); // kept\nreturn {  };\n})();\n"
	if err != nil || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestBundleRefusesWhatItCannotJoin(t *testing.T) {
	for want, modules := range map[string]map[string]string{
		"import each other":  {"app.js": "import \"./b.js\";\n", "b.js": "import \"./app.js\";\n"},
		"no module x.js":     {"app.js": "import \"./x.js\";\n"},
		"in another form":    {"app.js": "export let x = 1;\n"},
		"export default app": {"app.js": "export default app;\n"},
		"import * as all":    {"app.js": "import * as all from \"./b.js\";\n", "b.js": ""},
	} {
		if got, err := joined(modules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %q, %v; want an error with %q", modules, got, err, want)
		}
	}
}

func joined(modules map[string]string) (string, error) {
	out, err := bundle(func(name string) (string, bool) { text, ok := modules[name]; return text, ok }, "app.js")
	return string(out), err
}
