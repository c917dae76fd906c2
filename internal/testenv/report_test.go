package testenv_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"waxwing/internal/testenv"
)

func TestReportMarksShortForms(t *testing.T) {
	for _, c := range []struct {
		tally testenv.Tally
		short bool
	}{
		{testenv.Tally{Inputs: 1, Note: testenv.TriedOf(3, 3, "files") + " scanned"}, false},
		{testenv.Tally{Inputs: 1, Note: testenv.TriedOf(2, 3, "files") + " scanned"}, true},
		{testenv.Tally{Inputs: 1, Short: true, Allowance: "second attempt"}, true},
	} {
		dir := t.TempDir()
		t.Setenv("WAXWING_TRUST", dir)
		testenv.Report(t, testenv.Soak, c.tally)
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("got files %v, %v; want one", files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		var saved testenv.Tally
		if err := json.Unmarshal(text, &saved); err != nil {
			t.Fatal(err)
		}
		if saved.Short != c.short || saved.Allowance != c.tally.Allowance {
			t.Errorf("%q: got short %v, allowance %q; want %v, %q",
				c.tally.Note, saved.Short, saved.Allowance, c.short, c.tally.Allowance)
		}
	}
}
