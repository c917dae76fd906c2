package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"waxwing/internal/testenv"
)

// result is the outcome of one test for one row.
type result struct {
	test       string // dir.Name
	inputs     int
	faults     int
	violations int
	notes      []string
	short      bool     // it tried less than required
	allowances []string // that its result depends on
	took       time.Duration
	reported   bool
	failed     bool
}

// report is a line written by testenv.Report.
type report struct {
	Row        testenv.Requirement
	Test       string
	Failed     bool
	Inputs     int
	Faults     int
	Violations int
	Note       string
	Short      bool
	Allowance  string
}

// event is a line of go test -json.
type event struct {
	Action  string
	Test    string
	Elapsed float64
	Output  string
}

// run runs the tests of a package, without skipping any, and returns the results by row. The tests
// write their reports to dir.
func (s suite) run(ctx context.Context, dir string, long bool) (map[testenv.Requirement][]result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	args := []string{"test", "-json", "-count=1", "-timeout=6h", "-run", "^(" + strings.Join(s.tests, "|") + ")$"}
	if s.race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(s.dir))...)
	cmd.Env = append(os.Environ(), "CI=true", "WAXWING_TRUST="+dir)
	if long {
		cmd.Env = append(cmd.Env, "WAXWING_LONG=1")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended, err := readEvents(out)
	var failed *exec.ExitError
	if waited := cmd.Wait(); waited != nil && !errors.As(waited, &failed) {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	reports, err := collect(dir)
	if err != nil {
		return nil, err
	}
	return s.match(ended, reports), nil
}

// outcome is how a test ended.
type outcome struct {
	passed bool
	took   time.Duration
}

// readEvents reads the output of go test -json and returns how each test ended. It prints the
// output of failed tests.
func readEvents(out io.Reader) (map[string]outcome, error) {
	ended := map[string]outcome{}
	output := map[string][]string{}
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, 16<<20)
	for scan.Scan() {
		var e event
		if json.Unmarshal(scan.Bytes(), &e) != nil {
			fmt.Fprintln(os.Stderr, scan.Text())
			continue
		}
		top, _, _ := strings.Cut(e.Test, "/")
		switch e.Action {
		case "output":
			output[top] = append(output[top], e.Output)
		case "pass", "fail":
			if e.Test == top {
				ended[top] = outcome{e.Action == "pass", time.Duration(e.Elapsed * float64(time.Second))}
				if e.Action == "fail" {
					fmt.Fprint(os.Stderr, strings.Join(output[top], ""))
				}
				delete(output, top)
			}
		}
	}
	return ended, scan.Err()
}

// collect reads the lines that testenv.Report wrote to a directory.
func collect(dir string) (reports []report, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			var r report
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			reports = append(reports, r)
		}
	}
	return reports, nil
}

// match joins how tests ended with their reports. A test that did not report has a result, too.
func (s suite) match(ended map[string]outcome, reports []report) map[testenv.Requirement][]result {
	found := map[testenv.Requirement][]result{}
	for _, test := range s.tests {
		end, ran := ended[test]
		for _, row := range s.rows[test] {
			r := result{test: filepath.ToSlash(s.dir) + "." + test, took: end.took, failed: !ran || !end.passed}
			for _, line := range reports {
				if top, _, _ := strings.Cut(line.Test, "/"); line.Row == row && top == test {
					r.add(line)
				}
			}
			found[row] = append(found[row], r)
		}
	}
	return found
}

func (r *result) add(line report) {
	r.reported = true
	r.inputs += line.Inputs
	r.faults += line.Faults
	r.violations += line.Violations
	r.failed = r.failed || line.Failed
	r.short = r.short || line.Short
	if line.Allowance != "" {
		r.allowances = append(r.allowances, line.Allowance)
	}
	if line.Note != "" {
		r.notes = append(r.notes, line.Note)
	}
}
