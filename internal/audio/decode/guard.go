package decode

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"

	"waxwing/internal/audio"
)

const (
	minRate = 8000
	maxRate = 384000
	// Rates outside of minRate and maxRate, but within these, are converted.
	lowestRate  = 100
	highestRate = 4 << 20

	maxIdle = 16 // reads in a row that give neither a frame nor an error

	// tooLoud is 96 dB above full scale. A sample beyond it is damage, and would become infinite in
	// later processing.
	tooLoud = 1 << 16
)

// guard enforces the contract of audio.Source whatever a decoder does: a panic becomes an error, no
// sample is NaN or infinite, there are no more frames than Info declares, and io.EOF is final.
type guard struct {
	src    audio.Source
	info   audio.Info
	next   int64
	end    bool  // io.EOF was returned since the last SeekTo
	broken error // a panic or a violation of the contract; the decoder is not called again
}

// protect opens a source with the given function and wraps it in a guard.
func protect(in audio.Input, open func(audio.Input) (audio.Source, error)) (src audio.Source, err error) {
	defer recovered(&err)
	inner, err := open(in)
	if err != nil {
		return nil, err
	}
	inner = playableRate(inner)
	info := inner.Info()
	var doubt error
	switch {
	case info.Rate < minRate || info.Rate > maxRate:
		doubt = fmt.Errorf("%w: a sample rate of %d Hz", audio.ErrUnsupported, info.Rate)
	case info.Channels < 1 || info.Channels > 8:
		doubt = fmt.Errorf("%w: %d channels", audio.ErrUnsupported, info.Channels)
	}
	if doubt != nil {
		return nil, errors.Join(doubt, inner.Close())
	}
	info.Frames = max(info.Frames, -1)
	return &guard{src: inner, info: info}, nil
}

// playableRate converts a source whose rate no output plays: by whole factors, so that DSD at 5.6
// MHz, which ffmpeg decodes to 705,600 Hz, becomes 352,800 Hz.
func playableRate(src audio.Source) audio.Source {
	rate := src.Info().Rate
	if rate < lowestRate || rate > highestRate {
		return src
	}
	converted := rate
	for converted > maxRate {
		converted /= 2
	}
	for converted < minRate {
		converted *= 2
	}
	return audio.Resample(src, converted)
}

// recovered converts a panic of the function that defers it to an error of one line.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the decoder failed on this file: %v (%s)", p, panicLine())
	}
}

// panicLine returns the line that panicked: the first one above those of the runtime.
func panicLine() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for panicked := false; ; {
		f, more := frames.Next()
		if inRuntime := strings.HasPrefix(f.Function, "runtime."); panicked && !inRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
		if !more {
			return "unknown line"
		}
	}
}

func (g *guard) Info() audio.Info { return g.info }

func (g *guard) Read(dst []float32) (int, error) {
	want := len(dst) / g.info.Channels
	switch {
	case g.broken != nil:
		return 0, g.broken
	case want == 0:
		return 0, fmt.Errorf("read: room for %d samples is less than a frame of %d channels", len(dst), g.info.Channels)
	case g.end || g.info.Frames >= 0 && g.next >= g.info.Frames:
		return 0, io.EOF
	}
	if g.info.Frames >= 0 {
		want = int(min(int64(want), g.info.Frames-g.next))
	}
	n, err := g.read(dst[:want*g.info.Channels])
	if n > 0 {
		g.next += int64(n)
		mute(dst[:n*g.info.Channels])
		return n, nil // an error that came with frames is returned by the next call
	}
	g.end = err == io.EOF
	return 0, err
}

// read calls the decoder until it returns a frame or an error.
func (g *guard) read(dst []float32) (n int, err error) {
	defer func() {
		if g.broken != nil {
			n, err = 0, g.broken
		}
	}()
	defer recovered(&g.broken)
	for range maxIdle {
		n, err = g.src.Read(dst)
		if n < 0 || n > len(dst)/g.info.Channels {
			g.broken = fmt.Errorf("the decoder failed on this file: it returned %d frames for room of %d",
				n, len(dst)/g.info.Channels)
			return 0, g.broken
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, fmt.Errorf("the decoder returns no more audio: %w", io.ErrNoProgress)
}

// mute replaces invalid samples by silence. Without the sign, the bits of floats have the order of
// their values, and NaN is above all.
func mute(samples []float32) {
	limit := math.Float32bits(tooLoud)
	for i, v := range samples {
		if math.Float32bits(v)&^(1<<31) >= limit {
			samples[i] = 0
		}
	}
}

func (g *guard) SeekTo(frame int64) (err error) {
	if g.broken != nil {
		return g.broken
	}
	if frame < 0 || g.info.Frames >= 0 && frame > g.info.Frames {
		return fmt.Errorf("seek to frame %d of %d", frame, g.info.Frames)
	}
	defer func() {
		if g.broken != nil {
			err = g.broken
		}
	}()
	defer recovered(&g.broken)
	if err := g.src.SeekTo(frame); err != nil {
		return err
	}
	g.next, g.end = frame, false
	return nil
}

func (g *guard) Close() (err error) {
	defer recovered(&err)
	if g.src == nil {
		return nil
	}
	src := g.src
	g.src = nil
	g.broken = errClosed
	return src.Close()
}

var errClosed = errors.New("the source is closed")
