// Package scans measures first scans and scans without changes of a music folder, side by side
// with MPD, gonic and Navidrome.
package scans

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	First, Again, Memory = "scan", "rescan", "scan-memory"
)

// Measure returns the requested rows: one pair over a mix of formats, one pair over the formats
// that MPD reads fastest, and the peak memory of scanning many files.
func Measure(ctx context.Context, run *gauge.Run) ([]table.Row, error) {
	var rows []table.Row
	if run.Wants(First, Again) {
		timed, err := measureTime(ctx, run)
		if err != nil {
			return nil, err
		}
		for _, r := range timed {
			if run.Wants(r.Key) {
				rows = append(rows, r)
			}
		}
	}
	if run.Wants(Memory) {
		row, err := memoryRow(ctx, run)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func measureTime(ctx context.Context, run *gauge.Run) ([]table.Row, error) {
	run.Logf("scans of %d files", gauge.LibraryFiles)
	mixed, err := run.Library(ctx, "flac", "mp3", "vorbis", "opus", "aac")
	if err != nil {
		return nil, err
	}
	first, again, err := pair(ctx, run, mixed, "5,000 files")
	if err != nil {
		return nil, err
	}
	again.Beside = append(
		again.Beside,
		table.Figure{Of: "ours, rate", Values: filesPerSecond(again.Ours), Unit: " files/s"},
	)
	if err := scanWithPeers(run, mixed, &first, &again); err != nil {
		return nil, err
	}
	common, err := run.Library(ctx)
	if err != nil {
		return nil, err
	}
	commonFirst, commonAgain, err := pair(ctx, run, common, "FLAC, MP3 and Vorbis only")
	return []table.Row{first, commonFirst, again, commonAgain}, err
}

// pair measures one music folder and returns its two rows.
func pair(ctx context.Context, run *gauge.Run, music, files string) (first, again table.Row, err error) {
	result, err := compare(ctx, run, music)
	first = row(First, "first scan, "+files, result.first, result.noMPD)
	again = row(Again, "no-change scan, "+files, result.again, result.noMPD)
	return first, again, err
}

// row compares the scan inside running programs; our whole command is listed beside it.
func row(key, what string, t timings, noMPD string) table.Row {
	r := table.Row{
		Key: key, What: what, Ours: millis("ours", t.scan),
		Beside: []table.Figure{millis("ours as a command, from start to exit", t.command)},
	}
	if noMPD != "" {
		r.Absent = []string{noMPD}
		return r
	}
	r.Beside = append(r.Beside, millis("MPD", t.mpd))
	r.Goal = table.AtMost(1, gauge.Ratios(r.Ours.Values, r.Beside[1].Values), " × MPD")
	return r
}

func millis(of string, took []time.Duration) table.Figure {
	f := table.Figure{Of: of, Unit: " ms"}
	for _, t := range took {
		f.Values = append(f.Values, gauge.Millis(t))
	}
	return f
}

func filesPerSecond(millis table.Figure) (rates []float64) {
	for _, t := range millis.Values {
		rates = append(rates, gauge.LibraryFiles/t*1000)
	}
	return rates
}

// scanWithPeers scans once with each of the other catalog servers: they take long enough for one
// measurement to be meaningful.
func scanWithPeers(run *gauge.Run, music string, first, again *table.Row) error {
	for _, starter := range peer.Starters {
		server, err := starter.Start(filepath.Join(run.Temp, "scan-"+strings.ToLower(starter.Name)), music)
		if errors.Is(err, peer.ErrAbsent) {
			first.Absent, again.Absent = append(first.Absent, err.Error()), append(again.Absent, err.Error())
			continue
		}
		if err != nil {
			return err
		}
		for _, r := range []*table.Row{first, again} {
			began := time.Now()
			if _, err := server.Scan(); err != nil {
				server.Stop()
				return err
			}
			r.Beside = append(r.Beside, millis(starter.Name+" (once)", []time.Duration{time.Since(began)}))
		}
		server.Stop()
	}
	return nil
}
