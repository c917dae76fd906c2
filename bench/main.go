// Bench compares Waxwing with a bare HTTP server (the floor), with its peers MPD, gonic and
// Navidrome, and with reference decoders, all in one run, and writes bench/RESULTS.md.
//
//	go run ./bench                       every row
//	go run ./bench -only page,song       some of them
//	go run ./bench -songs 50000 -window 10s -o /tmp/trial.md
//
// Data that is slow to generate is cached between runs (in WAXWING_BENCH_CACHE, or waxwing-bench in
// the user's cache folder); with a million songs that takes about 2.5 GB.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"waxwing/bench/apps"
	"waxwing/bench/codecs"
	"waxwing/bench/controls"
	"waxwing/bench/footprint"
	"waxwing/bench/gauge"
	"waxwing/bench/protocol"
	"waxwing/bench/reads"
	"waxwing/bench/scans"
	"waxwing/bench/sound"
	"waxwing/bench/table"
)

func main() {
	gauge.RunFloorIfRequested()
	codecs.RunDecoderIfRequested()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// families measure the rows, in the order of the table.
var families = []struct {
	keys    []string
	measure func(context.Context, *gauge.Run) ([]table.Row, error)
}{
	{[]string{reads.Page, reads.Random, reads.Depth, reads.Song, reads.Trending, reads.Peers}, reads.Measure},
	{apps.Keys, apps.Measure},
	{[]string{scans.First, scans.Again, scans.Memory}, scans.Measure},
	{[]string{controls.Read, controls.Events}, controls.Measure},
	{[]string{protocol.Status, protocol.Idle, protocol.Queue, protocol.Library, protocol.Search}, protocol.Measure},
	{[]string{sound.Acknowledged, sound.Sample, sound.Silence, sound.CPU, sound.Memory}, sound.Measure},
	{[]string{footprint.Memory, footprint.Idle, footprint.Start}, footprint.Measure},
	{[]string{codecs.FLAC, codecs.MP3, codecs.Vorbis, codecs.Opus, codecs.AAC}, codecs.Measure},
}

func run(ctx context.Context, args []string) (err error) {
	began, loadBefore := time.Now(), gauge.Load()
	r := &gauge.Run{Logf: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%4.0fs  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}}
	var known []string
	for _, f := range families {
		known = append(known, f.keys...)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	only := flags.String("only", "", "rows to measure, comma-separated: "+strings.Join(known, ","))
	results := flags.String("o", "bench/RESULTS.md", "file for the results; with -only it is written only if given")
	flags.IntVar(&r.Songs, "songs", 1_000_000, "songs in the large catalog")
	flags.IntVar(&r.Rounds, "rounds", 5, "measurements of each figure")
	flags.DurationVar(&r.Window, "window", time.Minute, "how long processor time is measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *only != "" {
		r.Only = strings.Split(*only, ",")
		for _, key := range r.Only {
			if !slices.Contains(known, key) {
				return fmt.Errorf("unknown row %q; known rows: %s", key, strings.Join(known, ", "))
			}
		}
		named := false
		flags.Visit(func(f *flag.Flag) { named = named || f.Name == "o" })
		if !named {
			*results = ""
		}
	}
	if r.Cache, err = cacheFolder(); err != nil {
		return err
	}
	if r.Temp, err = os.MkdirTemp("", "waxwing-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.Temp)) }()
	if r.Program, err = gauge.Build(ctx, r.Temp); err != nil {
		return err
	}
	rows, failed := measure(ctx, r)
	if err := table.Text(os.Stdout, rows); err != nil {
		return err
	}
	if failed != nil || *results == "" {
		return failed
	}
	var page bytes.Buffer
	if err := write(&page, r, rows, loadBefore, time.Since(began)); err != nil {
		return err
	}
	return os.WriteFile(*results, page.Bytes(), 0o644)
}

// measure continues after a family that failed, so that the other figures are not lost.
func measure(ctx context.Context, r *gauge.Run) (rows []table.Row, failed error) {
	for _, f := range families {
		if !r.Wants(f.keys...) || ctx.Err() != nil {
			continue
		}
		more, err := f.measure(ctx, r)
		rows = append(rows, more...)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", strings.Join(f.keys, ", "), err))
		}
	}
	return rows, errors.Join(failed, ctx.Err())
}

// cacheFolder returns the folder of the cached data.
func cacheFolder() (string, error) {
	dir := os.Getenv("WAXWING_BENCH_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = os.TempDir()
		}
		dir = filepath.Join(base, "waxwing-bench")
	}
	return dir, os.MkdirAll(dir, 0o700)
}
