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

// limits explains missed goals, in one section per key of a row.
//
//go:embed limits.md
var limits string

// write prints the results as Markdown.
func write(w io.Writer, r *gauge.Run, rows []table.Row, loadBefore string, took time.Duration) error {
	_, err := fmt.Fprintf(w, `# Results

Written by `+"`make bench`"+` on %s, revision %s, in %s.
Machine: %s; load before the run %s. Compared with: %s.
The large catalog has %d songs, and its server was idle before it was measured; processor time was measured for %s.

Every figure is the median of %d rounds with minimum and maximum in brackets. The sides of a comparison alternate within
each round, and ratios are computed per round, so that noise affects both. The floor is a bare `+"`net/http`"+` server
in a process of its own that checks the credential and sends the same body. “Reached” refers to the median.

`, time.Now().UTC().Format("2006-01-02 15:04 MST"), gauge.Revision(), took.Round(time.Second), gauge.Machine(),
		loadBefore, peers(), r.Songs, r.Window, r.Rounds)
	if err != nil {
		return err
	}
	if err := table.Markdown(w, rows); err != nil {
		return err
	}
	return writeLimits(w, rows)
}

// writeLimits adds the explanations of the goals that this run missed.
func writeLimits(w io.Writer, rows []table.Row) error {
	missed := map[string]bool{}
	for _, r := range rows {
		missed[r.Key] = missed[r.Key] || r.Missed()
	}
	head := "\n## Goals not reached\n"
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

// peers returns the versions of the other programs, as they print them.
func peers() string {
	var found []string
	for _, cmd := range [][]string{
		{"mpd", "--version"}, {"gonic", "-version"}, {"navidrome", "--version"}, {"pulseaudio", "--version"},
		{"flac", "--version"}, {"mpg123", "--version"}, {"oggdec", "--version"}, {"opusdec", "--version"},
	} {
		out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput()
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		if err != nil || line == "" {
			line = cmd[0] + ": not installed"
		}
		if !strings.Contains(strings.ToLower(line), cmd[0][:3]) && !strings.Contains(line, "Music Player Daemon") {
			line = cmd[0] + " " + line
		}
		found = append(found, line)
	}
	return strings.Join(found, ", ")
}
