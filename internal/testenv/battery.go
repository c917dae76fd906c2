package testenv

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tally is what one test tried for a row of the battery, and what came of it.
type Tally struct {
	Inputs     int    // requests, files, payloads, histories
	Faults     int    // kills, cuts, refused writes, stalled clients
	Violations int    // promises seen broken; anything but 0 fails the test
	Note       string // one clause with the figure that matters beside the one asked for, as "p99 12 ms of 50"; see Of
}

// Report says what a test tried for a row of the battery (S1, B2, R10 …) and fails the test when a
// promise was broken or nothing was tried. With WAXWING_TRUST set to a folder, the line is kept
// there as well, and `make trust` makes its page of them.
func Report(t testing.TB, row string, tally Tally) {
	t.Helper()
	line := fmt.Sprintf("battery %s: %d inputs, %d faults, %d violations", row, tally.Inputs, tally.Faults, tally.Violations)
	if tally.Note != "" {
		line += "; " + tally.Note
	}
	t.Log(line)
	if tally.Inputs+tally.Faults == 0 {
		t.Errorf("battery %s: nothing was tried", row)
	}
	if tally.Violations != 0 {
		t.Errorf("battery %s: %d violations", row, tally.Violations)
	}
	keep(t, row, tally)
}

// keep appends the line to a file of its own for each test, so that packages under test side by
// side never write into one another's lines.
func keep(t testing.TB, row string, tally Tally) {
	t.Helper()
	dir := os.Getenv("WAXWING_TRUST")
	if dir == "" {
		return
	}
	record := struct {
		Row    string
		Test   string
		Failed bool
		Tally
	}{row, t.Name(), t.Failed(), tally}
	data, err := json.Marshal(record)
	if err != nil {
		t.Fatalf("keep the line of %s: %v", row, err)
	}
	name := fmt.Sprintf("%s-%s-%d.json", row, strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid())
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.Write(append(data, '\n'))
		if closed := f.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		t.Fatalf("keep the line of %s: %v", row, err)
	}
}
