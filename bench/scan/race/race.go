// Package race measures scans of the built program beside those of Debian's mpd: both over the same files, in turn and
// within one run, so that the noise of a machine meets both alike.
package race

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"waxwing/bench/genlib/library"
)

// Config says what is scanned and how often.
type Config struct {
	Program string   // the built waxwing
	Music   string   // folder of this bench; it is filled with Files files when it does not exist. Empty: made, and removed afterwards
	Files   int      // 0 is 5,000
	Rounds  int      // 0 is 7
	Formats []string // none: what people have. mpd reads FLAC, MP3 and Vorbis much more quickly than the others
}

// Result is one race. The durations of a round have the same index everywhere.
type Result struct {
	Files  int
	First  Heat
	Again  Heat   // nothing has changed
	NoPeer string `json:",omitempty"` // why there are no figures of mpd
}

// Heat is one kind of scan.
type Heat struct {
	Command []time.Duration // waxwing scan, from the start of the process to its end
	Scan    []time.Duration // the scan within it, which is all that a running server does
	CPU     []time.Duration // of waxwing scan, which a busy machine disturbs less than the clock
	PeakMiB []float64       // of waxwing scan
	MPD     []time.Duration `json:",omitempty"` // from the update command to its end, in a daemon that runs already
	MPDCPU  []time.Duration `json:",omitempty"` // of that update, to ten milliseconds
}

// Ratio is ours to theirs, round by round.
type Ratio struct{ Median, Least, Most float64 }

// Against divides our durations by theirs.
func Against(ours, theirs []time.Duration) Ratio {
	each := make([]float64, len(ours))
	for i := range ours {
		each[i] = float64(ours[i]) / float64(theirs[i])
	}
	slices.Sort(each)
	return Ratio{each[len(each)/2], each[0], each[len(each)-1]}
}

var commonFormats = []string{"flac", "mp3", "vorbis", "opus", "aac"}

// Run measures. Without mpd on the path the result holds our figures alone and says so.
func Run(ctx context.Context, cfg Config) (result Result, err error) {
	if cfg.Files == 0 {
		cfg.Files = 5000
	}
	if cfg.Rounds == 0 {
		cfg.Rounds = 7
	}
	if len(cfg.Formats) == 0 {
		cfg.Formats = commonFormats
	}
	dir, err := os.MkdirTemp("", "waxwing-bench-scan-")
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if cfg.Music == "" {
		cfg.Music = filepath.Join(dir, "music")
	}
	if _, err := os.Stat(cfg.Music); errors.Is(err, os.ErrNotExist) {
		if _, err := library.Generate(ctx, library.Config{Dir: cfg.Music, Files: cfg.Files, Seed: 1, Formats: cfg.Formats}); err != nil {
			return result, err
		}
	}
	if cfg.Music, err = filepath.Abs(cfg.Music); err != nil {
		return result, err
	}
	result.Files = cfg.Files
	_, noPeer := exec.LookPath("mpd")
	if noPeer != nil {
		result.NoPeer = "mpd is not installed"
	}
	for round := range cfg.Rounds + 1 { // the first one only warms the page cache, for both
		place := filepath.Join(dir, fmt.Sprint(round))
		if err := os.Mkdir(place, 0o755); err != nil {
			return result, err
		}
		var one Result
		ours := func() error { return one.ours(ctx, place, cfg) }
		theirs := func() error { return one.theirs(ctx, place, cfg) }
		turns := []func() error{ours, theirs}
		if round%2 == 1 {
			slices.Reverse(turns)
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return result, err
			}
		}
		if round > 0 {
			result.First.add(one.First)
			result.Again.add(one.Again)
		}
	}
	return result, nil
}

func (r *Result) ours(ctx context.Context, place string, cfg Config) error {
	for _, heat := range []*Heat{&r.First, &r.Again} {
		one, err := scan(ctx, cfg.Program, filepath.Join(place, "data"), cfg.Music, cfg.Files, heat == &r.First)
		if err != nil {
			return err
		}
		heat.add(Heat{Command: []time.Duration{one.Command}, Scan: []time.Duration{one.Scan}, CPU: []time.Duration{one.CPU}, PeakMiB: []float64{one.PeakMiB}})
	}
	return nil
}

func (r *Result) theirs(ctx context.Context, place string, cfg Config) error {
	if _, err := exec.LookPath("mpd"); err != nil {
		return nil
	}
	m, err := startMPD(ctx, place)
	if err != nil {
		return err
	}
	defer m.stop()
	if err := m.reveal(cfg.Music); err != nil {
		return err
	}
	for _, heat := range []*Heat{&r.First, &r.Again} {
		took, cpu, err := m.update(cfg.Files)
		if err != nil {
			return err
		}
		heat.add(Heat{MPD: []time.Duration{took}, MPDCPU: []time.Duration{cpu}})
	}
	return nil
}

func (h *Heat) add(more Heat) {
	h.Command = append(h.Command, more.Command...)
	h.Scan = append(h.Scan, more.Scan...)
	h.CPU = append(h.CPU, more.CPU...)
	h.PeakMiB = append(h.PeakMiB, more.PeakMiB...)
	h.MPD = append(h.MPD, more.MPD...)
	h.MPDCPU = append(h.MPDCPU, more.MPDCPU...)
}
