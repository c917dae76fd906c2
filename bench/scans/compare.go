package scans

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
)

// timings holds one kind of scan; the values of one round have the same index in each slice.
type timings struct {
	command []time.Duration // waxwing scan, from start to exit
	scan    []time.Duration // the scan inside it, which is what a running server spends
	mpd     []time.Duration // from MPD's update command to its end, in a running daemon
}

type result struct {
	first, again timings
	noMPD        string // why MPD was not measured
}

// compare scans music with both programs in turn, so that noise of the machine affects both. Each
// round starts with empty databases; a round before the first only warms the page cache.
func compare(ctx context.Context, run *gauge.Run, music string) (r result, err error) {
	dir, err := os.MkdirTemp(run.Temp, "scan-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for round := range run.Rounds + 1 {
		base := filepath.Join(dir, fmt.Sprint(round))
		var one result
		steps := []func() error{
			func() error { return one.scanOurs(ctx, run.Program, filepath.Join(base, "data"), music) },
			func() error { return one.scanMPD(filepath.Join(base, "mpd"), music) },
		}
		if round%2 == 1 {
			slices.Reverse(steps)
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return r, err
			}
		}
		if round > 0 {
			r.first.add(one.first)
			r.again.add(one.again)
		}
		r.noMPD = one.noMPD
	}
	return r, nil
}

func (t *timings) add(more timings) {
	t.command = append(t.command, more.command...)
	t.scan = append(t.scan, more.scan...)
	t.mpd = append(t.mpd, more.mpd...)
}

// scanOurs runs the scan command twice and checks the number of songs it reports.
func (r *result) scanOurs(ctx context.Context, program, data, music string) error {
	for _, t := range []*timings{&r.first, &r.again} {
		cmd := exec.CommandContext(ctx, program, "scan", "--json", "--data-dir", data, "--music", music)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		began := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("waxwing scan: %w: %s", err, stderr.Bytes())
		}
		took := time.Since(began)
		var report struct {
			Added, Unchanged int
			Took             time.Duration
		}
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			return fmt.Errorf("decode the scan report: %w", err)
		}
		got := report.Added
		if t == &r.again {
			got = report.Unchanged
		}
		if got != gauge.LibraryFiles {
			return fmt.Errorf("waxwing scan found %d songs, want %d", got, gauge.LibraryFiles)
		}
		t.command, t.scan = append(t.command, took), append(t.scan, report.Took)
	}
	return nil
}

// scanMPD updates the database of a running MPD twice. The music is linked into its folder after
// the start, because MPD scans at start-up when it has no database.
func (r *result) scanMPD(data, music string) error {
	folder := filepath.Join(data, "music")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	mpd, _, err := peer.StartMPD(data, folder, nil)
	if errors.Is(err, peer.ErrAbsent) {
		r.noMPD = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	defer mpd.Stop()
	c, err := mpd.Dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.WaitForUpdate(); err != nil {
		return err
	}
	if err := os.Symlink(music, filepath.Join(folder, "library")); err != nil {
		return err
	}
	for _, t := range []*timings{&r.first, &r.again} {
		began := time.Now()
		if err := c.Update(); err != nil {
			return err
		}
		t.mpd = append(t.mpd, time.Since(began))
	}
	stats, err := c.Do("stats")
	if err == nil && !strings.Contains(stats, fmt.Sprintf("songs: %d\n", gauge.LibraryFiles)) {
		err = fmt.Errorf("MPD found another number of songs, want %d: %s", gauge.LibraryFiles, stats)
	}
	return err
}
