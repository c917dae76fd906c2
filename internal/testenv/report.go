package testenv

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tally counts what one test tried for a requirement.
type Tally struct {
	Inputs     int    // requests, files, payloads, histories
	Faults     int    // kills, cuts, refused writes, stalled clients
	Violations int    // of the requirement; any fails the test
	Note       string // the figure that matters and its limit, as in "p99 12 ms of 50"; see TriedOf

	// Short says that the test tried less than the row requires. TriedOf in the Note sets it as well.
	Short bool
	// Allowance says what the result depends on beyond the requirement, as in "second attempt". It is
	// empty if nothing of the kind was needed.
	Allowance string
}

// Report logs the tally of a requirement. It fails the test if nothing was tried or the requirement
// was violated. If WAXWING_TRUST names a directory, it also saves the tally there for `make trust`.
func Report(t testing.TB, r Requirement, tally Tally) {
	t.Helper()
	tally.Short = tally.Short || strings.Contains(tally.Note, shortMark)
	line := fmt.Sprintf("docs/trust.md, row %s: %d inputs, %d faults, %d violations",
		r, tally.Inputs, tally.Faults, tally.Violations)
	if tally.Short {
		line += "; short form"
	}
	for _, text := range []string{tally.Allowance, tally.Note} {
		if text != "" {
			line += "; " + text
		}
	}
	t.Log(line)
	if tally.Inputs+tally.Faults == 0 {
		t.Errorf("row %s: nothing was tried", r)
	}
	if tally.Violations != 0 {
		t.Errorf("row %s: got %d violations, want 0", r, tally.Violations)
	}
	if dir := os.Getenv("WAXWING_TRUST"); dir != "" {
		if err := save(t, dir, r, tally); err != nil {
			t.Fatalf("save the tally of row %s: %v", r, err)
		}
	}
}

// save appends the tally to a file of the test and the process, so that packages whose tests run in
// parallel do not write to one file.
func save(t testing.TB, dir string, r Requirement, tally Tally) (err error) {
	record := struct {
		Row    Requirement
		Test   string
		Failed bool
		Tally
	}{r, t.Name(), t.Failed(), tally}
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-%d.json", r, strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
