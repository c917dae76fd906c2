// Scan measures first scans and scans that find nothing new, beside Debian's mpd in one run.
//
//	go run ./bench/scan [-files 5000] [-rounds 7] [-music DIR] [-json]
//
// Both read the same files from a warm page cache, in turn. Our figure is the whole command, from the start of its
// process to its end; that of mpd is an update of a daemon that runs already, until it says that it is done.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/scan/race"
)

func main() {
	var cfg race.Config
	flag.StringVar(&cfg.Music, "music", "", "music folder of this bench; it is made when it does not exist, and kept")
	flag.IntVar(&cfg.Files, "files", 5000, "how many files it holds")
	flag.IntVar(&cfg.Rounds, "rounds", 7, "how often each is measured")
	asJSON := flag.Bool("json", false, "print all figures as JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := race.Run(ctx, cfg)
	if err == nil && *asJSON {
		err = json.NewEncoder(os.Stdout).Encode(result)
	} else if err == nil {
		show(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scan:", err)
		os.Exit(1)
	}
}

func show(r race.Result) {
	fmt.Printf("%-34s %10s %10s %10s   %s\n", fmt.Sprintf("%d files, median of %d", r.Files, len(r.First.Command)), "waxwing", "of it scan", "mpd", "× mpd (least–most); the scan alone; peak of ours")
	row := func(name string, h race.Heat) {
		middle := func(took []time.Duration) time.Duration {
			return gauge.Percentile(took, 50).Round(100 * time.Microsecond)
		}
		peak := slices.Max(h.PeakMiB)
		if r.NoPeer != "" {
			fmt.Printf("%-34s %10v %10v %10s   %s; %.0f MiB\n", name, middle(h.Command), middle(h.Scan), "–", r.NoPeer, peak)
			return
		}
		whole, alone := race.Against(h.Command, h.MPD), race.Against(h.Scan, h.MPD)
		fmt.Printf("%-34s %10v %10v %10v   %.2f (%.2f–%.2f); %.2f (%.2f–%.2f); %.0f MiB\n", name, middle(h.Command), middle(h.Scan), middle(h.MPD),
			whole.Median, whole.Least, whole.Most, alone.Median, alone.Least, alone.Most, peak)
	}
	row("first scan", r.First)
	row("nothing has changed", r.Again)
}
