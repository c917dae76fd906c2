package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// withoutTests lists rows whose tests are still to be written.
var withoutTests = []testenv.Requirement{
	testenv.Floods,
	testenv.HostileCatalogs, testenv.PublicSuites, testenv.Backups,
}

func TestEveryRowHasATest(t *testing.T) {
	tests, err := discover("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		tested := slices.ContainsFunc(tests, func(r reporter) bool { return slices.Contains(r.rows, row.id) })
		if !tested && !slices.Contains(withoutTests, row.id) {
			t.Errorf("no test reports to row %s (%s)", row.id, row.name)
		}
	}
	for _, test := range tests {
		for _, id := range test.rows {
			if !isRow(id) && id != testenv.Soak {
				t.Errorf("%s.%s reports to %s, which is not a row", test.dir, test.test, id)
			}
		}
	}
}

func TestDiscoverFindsReportsInHelpers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"internal/testenv/requirements.go": `package testenv
const (
	HostHeaders Requirement = "S1"
	WebOrigins  Requirement = "S2"
)
`,
		"x_test.go": `package x
func TestDirect(t *testing.T) { testenv.Report(t, testenv.HostHeaders, testenv.Tally{}) }
func TestHelped(t *testing.T) { t.Run("a", func(t *testing.T) { h.tally(t) }) }
func (h *fixture) tally(t *testing.T) {
	testenv.Report(t, testenv.WebOrigins, testenv.Tally{})
	testenv.Report(t, testenv.HostHeaders, testenv.Tally{})
}
func TestNothing(t *testing.T) {}
`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests, err := discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []reporter{
		{dir, "TestDirect", []testenv.Requirement{"S1"}},
		{dir, "TestHelped", []testenv.Requirement{"S1", "S2"}},
	}
	if !reflect.DeepEqual(tests, want) {
		t.Errorf("got %+v, want %+v", tests, want)
	}
	if suites := byPackage(tests, "S2"); len(suites) != 1 || len(suites[0].tests) != 1 {
		t.Errorf("got %+v, want one package with one test", suites)
	}
}

func TestPageShowsFailuresShortFormsAndAllowances(t *testing.T) {
	s := suite{
		dir: "internal/x", tests: []string{"TestGood", "TestBad", "TestSilent", "TestAbsent", "TestSmall", "TestRetried"},
		rows: map[string][]testenv.Requirement{
			"TestGood": {"S1"}, "TestBad": {"S2"}, "TestSilent": {"S3"}, "TestAbsent": {"S5"}, "TestSmall": {"S6", "S7"},
			"TestRetried": {"S7", "S8"},
		},
	}
	ended, err := readEvents(strings.NewReader(`{"Action":"pass","Test":"TestGood","Elapsed":1.5}
{"Action":"fail","Test":"TestGood/sub"}
{"Action":"fail","Test":"TestBad"}
{"Action":"pass","Test":"TestSmall"}
{"Action":"pass","Test":"TestRetried"}
{"Action":"pass","Test":"TestSilent"}`))
	if err != nil {
		t.Fatal(err)
	}
	results := s.match(ended, []report{
		{Row: "S1", Test: "TestGood/a", Inputs: 1200, Note: "a | b"},
		{Row: "S1", Test: "TestGood", Inputs: 34, Faults: 5},
		{Row: "S2", Test: "TestBad", Inputs: 1},
		{Row: "S6", Test: "TestSmall", Faults: 1, Short: true},
		{Row: "S7", Test: "TestSmall", Faults: 1, Short: true},
		{Row: "S7", Test: "TestRetried", Faults: 1, Allowance: "second attempt"},
		{Row: "S8", Test: "TestRetried", Faults: 1, Allowance: "second attempt", Note: "12 ms"},
	})
	for row, want := range map[testenv.Requirement]string{
		"S1": "held", "S2": "**broken**", "S3": "**missing**", "S4": "**not tested**", "S5": "**broken**", "S6": "short",
		"S7": "short (second attempt)", "S8": "held (second attempt)",
	} {
		if got := conclusion(results[row]); got != want {
			t.Errorf("row %s: got %s, want %s", row, got, want)
		}
	}
	page := write(results, []fuzzRun{{Target: "internal/x.FuzzX", Date: "2026-01-02", Revision: "def", Seconds: 301}},
		environment{start: time.Unix(0, 0).UTC(), revision: "abc", took: time.Minute})
	for _, want := range []string{
		fmt.Sprintf("2 of %d rows held, and 2 in a short form that tried less than required: 1,235 inputs, 9 faults",
			len(rows)),
		"Broken: S2, S5.", "Missing: S3.", "Not tested: S4, S9, ",
		"| S1 | `internal/x.TestGood` | 1,234 | 5 | 0 | 1.5 s | a \\| b |", "| 12 ms; second attempt |",
		"**failed**", "**reported nothing**", "| S4 | **no test**", "Revision abc",
		"| `internal/x.FuzzX` | 2026-01-02 | def | 301 s | 0 | 0 |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page:\n%s", want, page)
		}
	}
}
