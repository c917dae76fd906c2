package e2e

import (
	"math"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// TestBrowserOutputGoesOnWhereTheMachineStopped plays noise on the machine, then in Chromium, there
// over the join of two tracks, then on the machine again, and compares the recording of the sound
// server with the tracks.
func TestBrowserOutputGoesOnWhereTheMachineStopped(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg", "chromium", "node", "npm")
	installBrowserTools(t)
	const rate = 44100
	source := noise(7, 6*rate)
	cut := 2*5*rate/2 + 2*1234 // the first track ends in mid-sound
	dir, decoded := album(t, rate, "flac", []string{"-c:a", "flac"}, source[:cut], source[cut:])
	pulse := testenv.StartPulse(t)
	s := listen(t, pulse, dir, 2)
	t.Setenv("WAXWING_URL", s.base)
	t.Setenv("WAXWING_TOKEN", s.token)
	rec := pulse.Record()
	node(t, 2*time.Minute, "node", "hand-over-sound.mjs")
	rec.Wait(rec.Len() + rate/5)

	inTime := func(frames int) time.Duration { return time.Duration(frames) * time.Second / rate }
	stretches := findStretches(rec.Stop(), append(decoded[0], decoded[1]...))
	if len(stretches) < 3 {
		t.Fatalf("got %+v in the recording, want the machine, the browser and the machine again", stretches)
	}
	first, last := stretches[0], stretches[len(stretches)-1]
	if inTime(first.from) > 500*time.Millisecond || inTime(last.to-cut/2) < 2*time.Second {
		t.Errorf("got the music from %v to %v, want all up to second 2 of the second track", inTime(first.from),
			inTime(last.to))
	}
	for i, p := range stretches {
		t.Logf("%v to %v of the music, %v after the start of the recording: correlation %.4f, level %+.2f dB",
			inTime(p.from), inTime(p.to), inTime(p.at), p.correlation, p.level)
		// The first milliseconds after a start may be stretched.
		if long := p.to-p.from > rate/4; long && (p.correlation < 0.99 || math.Abs(p.level) > 0.5) {
			t.Errorf("at %v: got correlation %.4f and level %+.2f dB, want at least 0.99 and 0 ± 0.5 dB", inTime(p.from),
				p.correlation, p.level)
		}
		if i == 0 {
			continue
		}
		before := stretches[i-1]
		skipped := inTime(p.from - before.to)
		t.Logf("%v of the music skipped, %v of silence", skipped, inTime(p.at-before.at-(before.to-before.from)))
		if most := 150 * time.Millisecond; skipped.Abs() > most {
			t.Errorf("at %v: got a jump of %v in the music, want at most %v", inTime(p.from), skipped, most)
		}
	}
}

// stretch is a part of a recording in which a source plays without interruption. All but the level
// are in frames.
type stretch struct {
	at                 int // in the recording
	from, to           int // in the source
	correlation, level float64
}

const window = 1024 // frames that are compared at once

// findStretches finds where a recording has a source.
func findStretches(recorded, source []float32) (found []stretch) {
	var current *stretch
	for at := 0; at+window <= len(recorded)/2; at += window {
		piece := recorded[2*at:][:2*window]
		if loudness(piece) < 1e-5 {
			current = nil
			continue
		}
		if current != nil && current.to+window <= len(source)/2 {
			if c, _ := fidelity(source[2*current.to:][:2*window], piece); c > 0.9 {
				current.to += window
				continue
			}
		}
		current = nil
		if from := searchIn(source, piece); from >= 0 {
			found = append(found, stretch{at: at, from: from, to: from + window})
			current = &found[len(found)-1]
		}
	}
	for i := range found {
		p := &found[i]
		p.correlation, p.level = fidelity(source[2*p.from:2*p.to], recorded[2*p.at:][:2*(p.to-p.from)])
	}
	return found
}

// loudness returns the mean square of samples.
func loudness(samples []float32) (sum float64) {
	for _, v := range samples {
		sum += float64(v) * float64(v)
	}
	return sum / float64(len(samples))
}

// searchIn returns the frame of source at which a piece begins, or -1.
func searchIn(source, piece []float32) int {
	const step = 8 // compares every fourth frame, left channel
	best, at := 0.0, -1
	for from := 0; from+window <= len(source)/2; from++ {
		var ss, pp, sp float64
		for i := 0; i < 2*window; i += step {
			s, p := float64(source[2*from+i]), float64(piece[i])
			ss, pp, sp = ss+s*s, pp+p*p, sp+s*p
		}
		if c := sp / math.Sqrt(ss*pp); c > best {
			best, at = c, from
		}
	}
	if at < 0 {
		return -1
	}
	if c, _ := fidelity(source[2*at:][:2*window], piece); c < 0.9 {
		return -1
	}
	return at
}
