package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEveryRowHasATest: a page made now would not lack a row for want of a test.
func TestEveryRowHasATest(t *testing.T) {
	proofs, err := discover("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !slices.ContainsFunc(proofs, func(p reporter) bool { return slices.Contains(p.rows, row.id) }) {
			t.Errorf("no test reports to %s", row.id)
		}
	}
	for _, p := range proofs {
		for _, id := range p.rows {
			if !isRow(id) && id != "soak" {
				t.Errorf("%s.%s reports to %s, which is no row", p.dir, p.test, id)
			}
		}
	}
}

func TestReportsAreFoundThroughHelpers(t *testing.T) {
	dir := t.TempDir()
	text := `package x
func TestDirect(t *testing.T) { testenv.Report(t, "S1", testenv.Tally{}) }
func TestHelped(t *testing.T) { t.Run("a", func(t *testing.T) { h.tally(t) }) }
func (h *fixture) tally(t *testing.T) { testenv.Report(t, "S2", testenv.Tally{}); testenv.Report(t, "S1", testenv.Tally{}) }
func TestNothing(t *testing.T) {}
`
	if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	proofs, err := discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(proofs) != 2 || proofs[0].test != "TestDirect" || strings.Join(proofs[1].rows, " ") != "S1 S2" {
		t.Errorf("%+v", proofs)
	}
	if suites := byPackage(proofs, "S2"); len(suites) != 1 || len(suites[0].tests) != 1 {
		t.Errorf("%+v", suites)
	}
}

func TestThePageHidesNothing(t *testing.T) {
	s := suite{dir: "internal/x", tests: []string{"TestGood", "TestBad", "TestSilent", "TestGone"}, rows: map[string][]string{
		"TestGood": {"S1"}, "TestBad": {"S2"}, "TestSilent": {"S3"}, "TestGone": {"S5"},
	}}
	ended, err := follow(strings.NewReader(`{"Action":"pass","Test":"TestGood","Elapsed":1.5}
{"Action":"fail","Test":"TestGood/sub"}
{"Action":"fail","Test":"TestBad"}
{"Action":"pass","Test":"TestSilent"}`))
	if err != nil {
		t.Fatal(err)
	}
	results := s.match(ended, []report{
		{Row: "S1", Test: "TestGood/a", Inputs: 1200, Note: "a | b"}, {Row: "S1", Test: "TestGood", Inputs: 34, Faults: 5}, {Row: "S2", Test: "TestBad", Inputs: 1},
	})
	for row, want := range map[string]verdict{"S1": held, "S2": broken, "S3": missing, "S4": missing, "S5": broken} {
		if got := judge(results[row]); got != want {
			t.Errorf("%s: %s, want %s", row, got, want)
		}
	}
	page := write(results, occasion{at: time.Unix(0, 0).UTC(), revision: "abc", took: time.Minute})
	for _, want := range []string{"1 of 23 rows held: 1,235 inputs, 5 faults", "| S1 | `internal/x.TestGood` | 1,234 | 5 | 0 | 1.5 s | a \\| b |", "**failed**", "**reported nothing**", "| S4 | **no test reports", "Revision abc"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on\n%s", want, page)
		}
	}
}
