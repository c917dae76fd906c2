// Package scanning measures how soon a music folder is known, for the first time and again, beside MPD and the other
// catalog servers.
package scanning

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/scan/race"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	First, Again = "scan", "rescan"
)

// Measure returns the rows that are asked for: over files of the formats that people have, and over those alone that
// MPD reads quickly.
func Measure(ctx context.Context, run *gauge.Run) ([]table.Row, error) {
	if !run.Wants(First, Again) {
		return nil, nil
	}
	run.Say("scans of %d files", gauge.LibraryFiles)
	music := filepath.Join(run.Cache, "scan-music")
	first, again, err := scans(ctx, run, music, "5,000 files")
	if err != nil {
		return nil, err
	}
	again.Beside = append(again.Beside, table.Figure{Of: "ours reads off", Values: perSecond(again.Ours), Unit: " files/s"})
	if err := peers(run, music, &first, &again); err != nil {
		return nil, err
	}
	if music, err = run.Library(ctx); err != nil {
		return nil, err
	}
	quick, quickAgain, err := scans(ctx, run, music, "FLAC, MP3 and Vorbis alone")
	if err != nil {
		return nil, err
	}
	var rows []table.Row
	for _, r := range []table.Row{first, quick, again, quickAgain} {
		if run.Wants(r.Key) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// scans are the two rows of a music folder.
func scans(ctx context.Context, run *gauge.Run, music, files string) (first, again table.Row, err error) {
	result, err := race.Run(ctx, race.Config{Program: run.Program, Music: music, Files: gauge.LibraryFiles, Rounds: run.Rounds})
	return row(First, "first scan, "+files, result.First, result.NoPeer), row(Again, "no-change scan, "+files, result.Again, result.NoPeer), err
}

// row compares scans within running programs, which is like with like; our whole command stands beside it.
func row(key, what string, heat race.Heat, noPeer string) table.Row {
	r := table.Row{
		Key: key, What: what, Ours: millis("ours", heat.Scan),
		Beside: []table.Figure{millis("ours as a command, from its start to its end", heat.Command)},
	}
	if noPeer != "" {
		r.Absent = []string{noPeer}
		return r
	}
	r.Beside = append(r.Beside, millis("MPD", heat.MPD))
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

func perSecond(millis table.Figure) (rates []float64) {
	for _, t := range millis.Values {
		rates = append(rates, gauge.LibraryFiles/t*1000)
	}
	return rates
}

// peers scan once each: they are slow enough for that to tell.
func peers(run *gauge.Run, music string, first, again *table.Row) error {
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
