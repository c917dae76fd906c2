package main

import (
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// limits explains goals that were missed when it was written: a section for each key of a row.
//
//go:embed limits.md
var limits string

// write is the page of results.
func write(w io.Writer, r *gauge.Run, rows []table.Row, loadBefore string, took time.Duration) error {
	_, err := fmt.Fprintf(w, `# Results

Written by `+"`make bench`"+` on %s, revision %s, in %s.
Machine: %s; load before the run %s. Beside ours: %s.
The large catalog has %d songs; processor time was watched for %s.

Every figure is the median of %d rounds with the least and the most in brackets. Sides of a comparison take turns
within each round, and a ratio is taken round by round, so that noise meets both. The floor is a bare `+"`net/http`"+`
server in a process of its own that checks the credential and sends the same body. “Reached” is judged by the median.

`, time.Now().UTC().Format("2006-01-02 15:04 MST"), gauge.Revision(), took.Round(time.Second), gauge.Machine(), loadBefore, peers(), r.Songs, r.Window, r.Rounds)
	if err != nil {
		return err
	}
	if err := table.Markdown(w, rows); err != nil {
		return err
	}
	return writeLimits(w, rows)
}

// writeLimits adds what is known about the goals that this run missed.
func writeLimits(w io.Writer, rows []table.Row) error {
	missed := map[string]bool{}
	for _, r := range rows {
		missed[r.Key] = missed[r.Key] || r.Missed()
	}
	head := "\n## What stands in the way\n"
	for _, section := range strings.Split(limits, "\n## ")[1:] {
		key, text, _ := strings.Cut(section, "\n")
		if !missed[strings.TrimSpace(key)] {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n**%s.** %s\n", head, key, strings.TrimSpace(text)); err != nil {
			return err
		}
		head = ""
	}
	return nil
}

// peers are the versions of the programs beside ours, in their own words.
func peers() string {
	var found []string
	for _, ask := range [][]string{{"mpd", "--version"}, {"gonic", "-version"}, {"navidrome", "--version"}, {"pulseaudio", "--version"}} {
		out, err := exec.Command(ask[0], ask[1:]...).CombinedOutput()
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil || line == "" {
			line = ask[0] + ": not installed"
		}
		if !strings.Contains(strings.ToLower(line), ask[0][:3]) && !strings.Contains(line, "Music Player Daemon") {
			line = ask[0] + " " + line
		}
		found = append(found, line)
	}
	return strings.Join(found, ", ")
}
