package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

// FuzzConfiguration checks that any configuration file is either printed or an error with a
// message.
func FuzzConfiguration(f *testing.F) {
	for _, seed := range []string{
		"", "output = \"null\"", "music = [\"/a\", \"/b\"]", "music = 1", "rate-limit = 1e999", "[output]\nx = 1",
		"scan-every = \"1h\"", "scan-every = 9223372036854775807", "output = [1, 2]", "config = \"x\"", "no-such = true",
		"\xff", "output = \"\\u0000\"", "a.b.c = 1",
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "config.toml")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		testenv.CheckCost(t, func() {
			var out, errs bytes.Buffer
			code := Run(t.Context(), IO{In: strings.NewReader(""), Out: &out, Err: &errs}, "test",
				[]string{"config", "show", "--json", "--config", path, "--data-dir", dir})
			if code != 0 && code != exitUsage || code != 0 && errs.Len() == 0 {
				t.Fatalf("%q: %d %s", text, code, errs.String())
			}
		})
	})
}
