package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"waxwing/internal/audio"
	"waxwing/internal/audio/decode"
)

// outcome is what became of one file.
type outcome int

const (
	exact    outcome = iota // every sample is equal
	oneLSB                  // no sample differs by more than a step of 16 bits
	close                   // a lossy codec whose error is below lossyLimit
	refused                 // no reference decodes it either
	external                // played by ffmpeg, because none of our decoders does
	alone                   // played by our decoders and by no reference
	differs                 // for a reason that is listed
	wrong
	outcomes
)

func (o outcome) String() string {
	return [...]string{"exact", "one LSB", "close", "refused", "ffmpeg", "ours only", "differs", "wrong"}[o]
}

const (
	// lossyLimit is the largest power of the difference for lossy codecs, in dB of full scale.
	lossyLimit = -90.0
	// maxFrames bounds what is decoded of one file.
	maxFrames = 20 * 60 * 48000
	// maxSlack is by how many frames lossy decoders may differ in length.
	maxSlack = 4096
)

type result struct {
	outcome outcome
	why     string
}

// sound is a decoded file.
type sound struct {
	codec    string
	rate     int
	channels int
	samples  []float32
	err      error // after the samples
}

func (s sound) frames() int { return len(s.samples) / max(s.channels, 1) }

// lossless reports whether every decoder of the codec must give the same samples.
func (s sound) lossless() bool { return s.codec == "flac" || s.codec == "alac" || s.codec == "pcm" }

// compare decodes a file and looks up the reason of a difference.
func compare(ctx context.Context, references []reference, path string) result {
	r := bestAgreement(ctx, references, path)
	if r.outcome != wrong {
		return r
	}
	for _, k := range knownDifferences {
		if strings.HasSuffix(path, k.file) && strings.HasPrefix(r.why, k.result) {
			return result{differs, k.reason + " (" + r.why + ")"}
		}
	}
	return r
}

// bestAgreement decodes a file with our decoders and with the references.
func bestAgreement(ctx context.Context, references []reference, path string) result {
	ours := decodeWith(path, decode.Options{NoExternal: true})
	best := result{alone, "no reference decodes it"}
	played := false
	for _, ref := range references {
		theirs, ok := ref.decode(ctx, path, ours)
		if !ok || len(theirs.samples) == 0 {
			continue
		}
		played = played || theirs.err == nil && ref.version != ""
		if len(ours.samples) == 0 {
			continue
		}
		if r := agreement(ours, theirs); best.outcome == alone || r.outcome < best.outcome {
			best = r
			best.why += " (" + ref.name + ")"
		}
	}
	switch {
	case best.outcome == wrong && changesFormat(path, ours):
		return result{alone, "its format changes; every frame has its checksum"}
	case len(ours.samples) > 0:
		return best
	case !played:
		return result{refused, errorText(ours.err)}
	case errors.Is(ours.err, audio.ErrUnsupported):
		return withFFmpeg(path, ours.err)
	}
	return result{wrong, errorText(ours.err)}
}

func errorText(err error) string {
	if err == nil {
		return "no sound"
	}
	return err.Error()
}

// withFFmpeg decodes a file that our decoders do not support.
func withFFmpeg(path string, reason error) result {
	s := decodeWith(path, decode.Options{})
	if s.err != nil || len(s.samples) == 0 {
		return result{wrong, fmt.Sprintf("%v; with ffmpeg: %s", reason, errorText(s.err))}
	}
	return result{external, reason.Error()}
}

func decodeWith(path string, options decode.Options) (s sound) {
	file, err := os.Open(path)
	if err != nil {
		return sound{err: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return sound{err: err}
	}
	source, err := options.Open(io.NewSectionReader(file, 0, info.Size()))
	if err != nil {
		return sound{err: err}
	}
	defer func() { s.err = errors.Join(s.err, source.Close()) }()
	s = sound{codec: source.Info().Codec, rate: source.Info().Rate, channels: source.Info().Channels}
	buf := make([]float32, 8192*s.channels)
	for s.frames() < maxFrames {
		n, err := source.Read(buf)
		s.samples = append(s.samples, buf[:n*s.channels]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			s.err = err
			break
		}
	}
	return s
}

// agreement compares two decodings of a file sample by sample.
func agreement(ours, theirs sound) result {
	slack := len(ours.samples) - len(theirs.samples)
	if limit := maxSlack * ours.channels; slack != 0 && (ours.lossless() || slack < -limit || slack > limit) {
		why := fmt.Sprintf("got %d frames, want %d", ours.frames(), len(theirs.samples)/ours.channels)
		if ours.err != nil {
			why += "; " + ours.err.Error()
		}
		return result{wrong, why}
	}
	best := judge(ours, ours.samples, theirs.samples)
	if best.outcome != wrong || ours.lossless() {
		return best
	}
	// Decoders of lossy codecs disagree on how much of the encoder's delay they remove.
	for _, delay := range delays {
		shift := delay * ours.channels
		for _, pair := range [][2][]float32{{ours.samples, theirs.samples}, {theirs.samples, ours.samples}} {
			if shift >= len(pair[0]) {
				continue
			}
			if r := judge(ours, pair[0][shift:], pair[1]); r.outcome < best.outcome {
				r.why += fmt.Sprintf(", shifted by %d frames", delay)
				best = r
			}
		}
	}
	return best
}

// delays are the differences in frames that occur: of AAC, iTunes, LAME and their decoders.
var delays = []int{1, 528, 529, 576, 1024, 1088, 1105, 1152, 1600, 1681, 2048, 2112, 2257}

// judge compares samples as far as both have them.
func judge(ours sound, a, b []float32) result {
	n := min(len(a), len(b))
	var largest, power float64
	for i, v := range a[:n] {
		d := math.Abs(float64(v) - float64(b[i]))
		largest = max(largest, d)
		power += d * d
	}
	level := 10 * math.Log10(power/float64(n))
	switch {
	case n == 0:
		return result{wrong, "no sound"}
	case largest == 0:
		return result{exact, "equal"}
	case largest <= 1.0/(1<<15):
		return result{oneLSB, fmt.Sprintf("%.1f dBFS", level)}
	case level <= lossyLimit && !ours.lossless():
		return result{close, fmt.Sprintf("%.1f dBFS", level)}
	}
	return result{wrong, fmt.Sprintf("differs by %.1f dBFS, at most %.5f", level, largest)}
}
