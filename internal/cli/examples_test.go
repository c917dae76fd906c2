package cli

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// TestEveryCommandHasExamples walks the command tree and parses every example.
func TestEveryCommandHasExamples(t *testing.T) {
	app, err := kong.New(&grammar{}, kong.Writers(io.Discard, io.Discard), kong.Vars{"version": "test", "data_dir": "x"},
		kong.ExplicitGroups(groups),
		kong.KindMapper(reflect.Int, intValue), kong.KindMapper(reflect.Int64, intValue),
		kong.KindMapper(reflect.Float64, floatValue),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), durationValue))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if help, _, _ := waxwing(t, "queue", "move", "--help"); !strings.Contains(help,
		"\nExamples:\n  waxwing queue move 5 1") {
		t.Error("--help prints no examples:", help)
	}
	seen := map[string]bool{"": true}
	var walk func(n *kong.Node, path []string)
	walk = func(n *kong.Node, path []string) {
		for _, child := range n.Children {
			if child.Hidden {
				continue
			}
			path := append(slices.Clone(path), child.Name)
			name := strings.Join(path, " ")
			seen[name] = true
			if len(examples[name]) == 0 {
				t.Errorf("waxwing %s has no example", name)
			}
			if !slices.ContainsFunc(examples[name], func(line string) bool { return shows(line, child, path) }) {
				t.Errorf("no example runs waxwing %s: %q", name, examples[name])
			}
			walk(child, path)
		}
	}
	walk(app.Model.Node, nil)
	for name, lines := range examples {
		if !seen[name] {
			t.Errorf("examples of unknown command waxwing %s", name)
		}
		for _, line := range lines {
			for _, args := range commandsIn(files.ReplaceAllString(line, file)) {
				forget(app.Model.Node)
				if _, err := app.Parse(escapeNegativeNumbers(args)); err != nil {
					t.Errorf("an example of waxwing %s does not parse: %s: %v", name, line, err)
				}
			}
		}
	}
}

// shows reports whether a line runs the command, by its name or as the default of its group.
func shows(line string, n *kong.Node, path []string) bool {
	return slices.ContainsFunc(commandsIn(line), func(args []string) bool {
		return len(args) >= len(path) && slices.Equal(args[:len(path)], path) || n.Parent.DefaultCmd == n &&
			args[0] == path[0]
	})
}

// forget resets the parser, because creating one for each line takes seconds.
func forget(n *kong.Node) {
	for _, f := range n.Flags {
		f.Set = false
	}
	for _, child := range n.Children {
		forget(child)
	}
}

var (
	comments   = regexp.MustCompile(` +# .*$`)
	ours       = regexp.MustCompile(`\bwaxwing((?: +(?:'[^']*'|[^\s|&>;()']+))*)(?:$|[\s)])`)
	shellWords = regexp.MustCompile(`'[^']*'|\S+`)
	files      = regexp.MustCompile(`\S+\.(tar|jpg|m3u)\b`) // files that must exist
)

// commandsIn returns the arguments of each waxwing command in a line of shell.
func commandsIn(line string) (all [][]string) {
	for _, m := range ours.FindAllStringSubmatch(comments.ReplaceAllString(line, ""), -1) {
		args := []string{}
		for _, word := range shellWords.FindAllString(m[1], -1) {
			args = append(args, strings.Trim(word, "'"))
		}
		if len(args) == 0 {
			args = []string{"up"}
		}
		all = append(all, args)
	}
	return all
}
