// Scan measures first scans and scans that find nothing new, beside Debian's mpd in one run.
//
//	go run ./bench/scan [-files 5000] [-rounds 7] [-music DIR] [-formats flac,mp3,vorbis] [-program FILE] [-json]
//	go run ./bench/scan -tree 1000000
//
// Both read the same files from a warm page cache, in turn. Our figure is the whole command, from the start of its
// process to its end; that of mpd is an update of a daemon that runs already, until it says that it is done.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/scan/race"
)

func main() {
	var cfg race.Config
	flag.StringVar(&cfg.Music, "music", "", "music folder of this bench; it is made when it does not exist, and kept")
	flag.IntVar(&cfg.Files, "files", 5000, "how many files it holds")
	flag.IntVar(&cfg.Rounds, "rounds", 7, "how often each is measured")
	flag.StringVar(&cfg.Program, "program", "", "a built waxwing; none: it is built now")
	formats := flag.String("formats", "", "comma-separated formats of the files (default: FLAC, MP3, Vorbis, Opus and AAC)")
	tree := flag.Int("tree", 0, "measure instead the memory of waxwing catalog over a folder of so many tiny files")
	asJSON := flag.Bool("json", false, "print all figures as JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *formats != "" {
		cfg.Formats = strings.Split(*formats, ",")
	}
	if err := run(ctx, cfg, *tree, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg race.Config, tree int, asJSON bool) (err error) {
	dir, err := os.MkdirTemp("", "waxwing-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if cfg.Program == "" {
		if cfg.Program, err = gauge.Build(ctx, dir); err != nil {
			return err
		}
	}
	if tree > 0 {
		result, err := race.Memory(ctx, cfg.Program, dir, tree)
		if err != nil {
			return err
		}
		return print(result, asJSON, func() { fmt.Println(result) })
	}
	result, err := race.Run(ctx, cfg)
	if err != nil {
		return err
	}
	return print(result, asJSON, func() { show(result) })
}

func print(result any, asJSON bool, show func()) error {
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	show()
	return nil
}

func show(r race.Result) {
	fmt.Printf("%d files, medians of %d rounds, waxwing beside mpd\n", r.Files, len(r.First.Command))
	fmt.Printf("%-40s %10s %10s   %s\n", "", "waxwing", "mpd", "× mpd (least–most)")
	row := func(name string, ours, theirs []time.Duration) {
		if r.NoPeer != "" {
			fmt.Printf("%-40s %10v %10s   %s\n", name, middle(ours), "–", r.NoPeer)
			return
		}
		ratio := race.Against(ours, theirs)
		fmt.Printf("%-40s %10v %10v   %.2f (%.2f–%.2f)\n", name, middle(ours), middle(theirs), ratio.Median, ratio.Least, ratio.Most)
	}
	heat := func(name string, h race.Heat) {
		row(name+", whole command", h.Command, h.MPD)
		row(name+", the scan alone", h.Scan, h.MPD)
		row(name+", processor time", h.CPU, h.MPDCPU)
		fmt.Printf("%-40s %6.0f MiB\n", name+", peak memory", slices.Max(h.PeakMiB))
	}
	heat("first scan", r.First)
	heat("nothing has changed", r.Again)
}

func middle(took []time.Duration) time.Duration {
	return gauge.Percentile(took, 50).Round(100 * time.Microsecond)
}
