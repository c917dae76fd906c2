package web

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The forms of import and export that the modules use. Others fail the tests of this package.
var (
	importForm = regexp.MustCompile(`(?m)^import (?:(\{[^}]*\}) from )?"([^"]+)";\n`)
	exportForm = regexp.MustCompile(`(?m)^export ((?:async )?function|class|const) (\w+)`)
	moduleForm = regexp.MustCompile(`(?m)^(?:import|export)\b.*$`)
	comments   = regexp.MustCompile(`(?m)^[ \t]*(?://.*|/\*(?:[^*]|\*+[^*/])*\*+/[ \t]*)\n`)
)

// bundle joins a module and all that it imports to one script: a browser would need a round trip
// for each level of imports, and has six connections for sixty files.
func bundle(read func(name string) (string, bool), entry string) ([]byte, error) {
	b := bundler{read: read}
	if err := b.add(entry); err != nil {
		return nil, err
	}
	return []byte(b.out.String()), nil
}

type bundler struct {
	read  func(name string) (string, bool)
	added []string
	open  []string // modules whose imports are being added
	out   strings.Builder
}

// add appends a module after its imports. Each module is a function that returns its exports.
func (b *bundler) add(name string) error {
	if slices.Contains(b.added, name) {
		return nil
	}
	if slices.Contains(b.open, name) {
		return fmt.Errorf("modules import each other: %s", strings.Join(append(b.open, name), " → "))
	}
	source, ok := b.read(name)
	if !ok {
		return fmt.Errorf("no module %s, imported by %s", name, strings.Join(b.open, " → "))
	}
	b.open = append(b.open, name)
	for _, found := range importForm.FindAllStringSubmatch(source, -1) {
		if err := b.add(path.Join(path.Dir(name), found[2])); err != nil {
			return err
		}
	}
	b.open = b.open[:len(b.open)-1]
	b.added = append(b.added, name)

	var exports []string
	for _, found := range exportForm.FindAllStringSubmatch(source, -1) {
		exports = append(exports, found[2])
	}
	source = importForm.ReplaceAllStringFunc(source, func(text string) string {
		found := importForm.FindStringSubmatch(text)
		if found[1] == "" {
			return ""
		}
		return "const " + found[1] + " = " + variable(path.Join(path.Dir(name), found[2])) + ";\n"
	})
	source = exportForm.ReplaceAllString(source, "$1 $2")
	if left := moduleForm.FindString(source); left != "" {
		return fmt.Errorf("%s has an import or export in another form: %s", name, left)
	}
	fmt.Fprintf(&b.out, "// %s\nconst %s = (() => {\n%sreturn { %s };\n})();\n",
		name, variable(name), comments.ReplaceAllString(source, ""), strings.Join(exports, ", "))
	return nil
}

// variable returns the name of the variable with the exports of a module.
func variable(name string) string {
	return strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(name)
}
