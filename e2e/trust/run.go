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
)

// result is what one test says about one row.
type result struct {
	test       string // dir.Name
	inputs     int
	faults     int
	violations int
	notes      []string
	took       time.Duration
	reported   bool
	failed     bool
}

// report is a line that testenv.Report left.
type report struct {
	Row        string
	Test       string
	Failed     bool
	Inputs     int
	Faults     int
	Violations int
	Note       string
}

// event is a line of go test -json.
type event struct {
	Action  string
	Test    string
	Elapsed float64
	Output  string
}

// run runs the tests of a package, nothing left out, and returns what they say by row.
func (s suite) run(ctx context.Context, lines string, long bool) (map[string][]result, error) {
	if err := os.MkdirAll(lines, 0o755); err != nil {
		return nil, err
	}
	args := []string{"test", "-json", "-count=1", "-timeout=6h", "-run", "^(" + strings.Join(s.tests, "|") + ")$"}
	if s.raced {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(s.dir))...)
	cmd.Env = append(os.Environ(), "CI=true", "WAXWING_TRUST="+lines)
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
	ended, err := follow(out)
	var failed *exec.ExitError
	if waited := cmd.Wait(); waited != nil && !errors.As(waited, &failed) {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	reports, err := collect(lines)
	if err != nil {
		return nil, err
	}
	return s.match(ended, reports), nil
}

// ending is how a test ended.
type ending struct {
	passed bool
	took   time.Duration
}

// follow reads how each test ended, and passes on what a failing one said.
func follow(out io.Reader) (map[string]ending, error) {
	ended := map[string]ending{}
	said := map[string][]string{}
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
			said[top] = append(said[top], e.Output)
		case "pass", "fail":
			if e.Test == top {
				ended[top] = ending{e.Action == "pass", time.Duration(e.Elapsed * float64(time.Second))}
				if e.Action == "fail" {
					fmt.Fprint(os.Stderr, strings.Join(said[top], ""))
				}
				delete(said, top)
			}
		}
	}
	return ended, scan.Err()
}

// collect reads the lines that testenv.Report left in a folder.
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

// match joins how tests ended with what they reported. A test that was to report and did not is
// a result too, and no good one.
func (s suite) match(ended map[string]ending, reports []report) map[string][]result {
	found := map[string][]result{}
	for _, test := range s.tests {
		end, ran := ended[test]
		for _, row := range s.rows[test] {
			r := result{test: filepath.ToSlash(s.dir) + "." + test, took: end.took, failed: !ran || !end.passed}
			for _, said := range reports {
				if top, _, _ := strings.Cut(said.Test, "/"); said.Row == row && top == test {
					r.add(said)
				}
			}
			found[row] = append(found[row], r)
		}
	}
	return found
}

func (r *result) add(said report) {
	r.reported = true
	r.inputs += said.Inputs
	r.faults += said.Faults
	r.violations += said.Violations
	r.failed = r.failed || said.Failed
	if said.Note != "" {
		r.notes = append(r.notes, said.Note)
	}
}

// fuzz runs every fuzz target for a while.
func fuzz(ctx context.Context, lines string, long bool) (result, error) {
	if err := os.MkdirAll(lines, 0o755); err != nil {
		return result{}, err
	}
	began := time.Now()
	cmd := exec.CommandContext(ctx, "scripts/fuzz")
	cmd.Env = append(os.Environ(), "WAXWING_TRUST="+lines)
	if os.Getenv("FUZZTIME") == "" {
		cmd.Env = append(cmd.Env, map[bool]string{false: "FUZZTIME=2s", true: "FUZZTIME=5m"}[long])
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return result{}, err
	}
	r := result{test: "scripts/fuzz", took: time.Since(began), failed: err != nil}
	reports, err := collect(lines)
	for _, said := range reports {
		r.add(said)
	}
	return r, err
}
