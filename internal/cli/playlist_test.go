package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSmartPlaylistIsCreatedExportedAndImported(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "new.nsp")
	run := func(args ...string) (string, string, int) { return waxwing(t, append(args, "--data-dir", data)...) }
	if _, errs, code := run("user", "create", "anna"); code != 0 {
		t.Fatal(errs)
	}
	if _, errs, code := run("user", "use", "anna"); code != 0 {
		t.Fatal(errs)
	}
	_, errs, code := run("playlist", "create", "New", "--rule", "year gt 1999", "--rule", "genre in Rock,Jazz",
		"--match", "any", "--sort", "title", "--limit", "50")
	if code != 0 {
		t.Fatal(errs)
	}
	if _, errs, code := run("playlist", "export", "New", file); code != 0 {
		t.Fatal(errs)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `"year": 1999`) || !strings.Contains(string(text), `"limit": 50`) {
		t.Errorf("exported file: got %s, error %v; want the rules", text, err)
	}
	if out, errs, code := run("playlist", "import", file); code != 0 || !strings.Contains(out, "New: 0 songs") {
		t.Errorf("import: got %q, %q, exit code %d; want New with 0 songs", out, errs, code)
	}
	if out, errs, code := run("playlist", "delete", "new"); code != exitFailed || strings.Count(errs, "pl_") != 2 ||
		!strings.Contains(errs, "name one by its id") {
		t.Errorf("two playlists of one name: got %q, %q, exit code %d; want both ids and %d", out, errs, code, exitFailed)
	}
	if _, errs, code := run("playlist", "show", "nope"); code != exitFailed || !strings.Contains(errs, "playlist list") {
		t.Errorf("unknown playlist: got %q, exit code %d; want a hint and %d", errs, code, exitFailed)
	}
	bad := filepath.Join(t.TempDir(), "bad.nsp")
	if err := os.WriteFile(bad, []byte(`{"all":[{"is":{"mood":"x"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run("playlist", "import", bad); code != exitFailed || !strings.Contains(errs, bad) {
		t.Errorf("import: got %q, exit code %d; want the name of the file and %d", errs, code, exitFailed)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--rule", "mood is x"}, `field "mood" is unknown; use one of: title`},
		{[]string{"--rule", "year gt 1999", "--sort", "mood"}, `use one of: title`},
		{[]string{"--rule", "year gt 1999", "so_1"}, "not both"},
		{[]string{"--rule", "year"}, `such as "year gt 1999"`},
		{[]string{"--sort", "title"}, `add a rule, such as --rule "year gt 1999"`},
		{[]string{"--limit", "5"}, `add a rule`},
		{[]string{"--match", "any"}, `add a rule`},
	} {
		_, errs, code := run(append([]string{"playlist", "create", "Bad"}, test.args...)...)
		if code != exitUsage || !strings.Contains(errs, test.want) {
			t.Errorf("%q: got %q, exit code %d; want %q and %d", test.args, errs, code, test.want, exitUsage)
		}
	}
}
