// Genlib generates a music folder of small tagged files for benchmarks and tests of scans.
//
//	go run ./bench/genlib --out DIR --n 5000
//	go run ./bench/genlib --out DIR --n 5000 --formats flac,mp3,vorbis
//
// It needs ffmpeg to encode the audio.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"waxwing/bench/genlib/library"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "genlib:", err)
		os.Exit(1)
	}
}

func run() error {
	var cfg library.Config
	flag.StringVar(&cfg.Dir, "out", "", "folder to fill; created if missing")
	flag.IntVar(&cfg.Files, "n", 5000, "number of audio files")
	flag.Uint64Var(&cfg.Seed, "seed", 1, "random seed; the same seed generates the same library")
	seconds := flag.Float64("seconds", 2, "length of each file in seconds")
	tiny := flag.Bool("tiny", false, "write MP3 files of three frames, without ffmpeg; fast enough for a million files")
	formats := flag.String("formats", "all", "comma-separated list of "+strings.Join(library.Formats(), ", "))
	flag.Parse()
	if cfg.Dir == "" {
		return fmt.Errorf("no folder given; use --out")
	}
	cfg.Length = time.Duration(*seconds * float64(time.Second))
	if *formats != "all" {
		cfg.Formats = strings.Split(*formats, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	began := time.Now()
	if *tiny {
		if err := library.Tiny(ctx, cfg.Dir, cfg.Files, cfg.Seed); err != nil {
			return err
		}
		fmt.Printf("%d tiny files in %s (%s)\n", cfg.Files, cfg.Dir, time.Since(began).Round(time.Millisecond))
		return nil
	}
	songs, err := library.Generate(ctx, cfg)
	if err != nil {
		return err
	}
	fmt.Printf("%d files in %s (%s)\n", len(songs), cfg.Dir, time.Since(began).Round(time.Millisecond))
	return nil
}
