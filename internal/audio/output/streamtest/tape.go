// Package streamtest checks that an audio.Stream fulfils its interface, by the samples that it
// plays.
package streamtest

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"waxwing/internal/audio"
)

// Rate is the rate of every stream under test.
const Rate = 44100

// Tape is a source of numbered frames: the left sample is the number of the frame in its epoch, the
// right one the epoch. A recording without loss identifies every frame.
type Tape struct {
	Notified chan struct{} // one slot: Notify was called

	mu     sync.Mutex
	length map[uint64]int64
	ready  map[uint64]int64
	pulled map[uint64]int64
	calls  int
}

// NewTape returns a tape with endless frames in every epoch.
func NewTape() *Tape {
	return &Tape{Notified: make(chan struct{}, 1), length: map[uint64]int64{}, ready: map[uint64]int64{},
		pulled: map[uint64]int64{}}
}

// Config returns the configuration of a stream that plays this tape.
func (p *Tape) Config() audio.StreamConfig {
	return audio.StreamConfig{Rate: Rate, Volume: 1, Pull: p.pull, Notify: p.notify}
}

// End limits an epoch to the given number of frames.
func (p *Tape) End(epoch uint64, frames int64) { p.set(p.length, epoch, frames) }

// Ready makes only the given number of frames of an epoch available for now.
func (p *Tape) Ready(epoch uint64, frames int64) { p.set(p.ready, epoch, frames) }

func (p *Tape) set(m map[uint64]int64, epoch uint64, frames int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m[epoch] = frames
}

// Pulled returns the number of frames of an epoch that were pulled.
func (p *Tape) Pulled(epoch uint64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pulled[epoch]
}

// Calls returns the number of callbacks so far.
func (p *Tape) Calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

func left(frame int64) float32   { return float32(frame+1) / (1 << 23) }
func right(epoch uint64) float32 { return float32(epoch+1) / (1 << 10) }

func (p *Tape) pull(epoch uint64, dst []float32) (n int, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	from := p.pulled[epoch]
	to := from + int64(len(dst)/2)
	if end, ok := p.length[epoch]; ok && to >= end {
		to, last = end, true
	}
	if end, ok := p.ready[epoch]; ok && to > end {
		to, last = end, false
	}
	for f := from; f < to; f++ {
		dst[2*(f-from)], dst[2*(f-from)+1] = left(f), right(epoch)
	}
	p.pulled[epoch] = to
	return int(to - from), last
}

func (p *Tape) notify() {
	p.mu.Lock()
	p.calls++
	p.mu.Unlock()
	select {
	case p.Notified <- struct{}{}:
	default:
	}
}

// Span is a part of a recording: consecutive frames of one epoch, or silence.
type Span struct {
	Silence  bool
	Epoch    uint64
	From, To int64 // frames of the epoch; for silence 0 and its length
	At       int64 // start in the recording
}

func (s Span) String() string {
	if s.Silence {
		return fmt.Sprintf("%d: silence of %d", s.At, s.To)
	}
	return fmt.Sprintf("%d: epoch %d, %d to %d", s.At, s.Epoch, s.From, s.To)
}

// Read splits a recording into spans, and fails the test on a frame that was never sent.
func Read(t testing.TB, recording []float32) []Span {
	t.Helper()
	var out []Span
	for i := range int64(len(recording) / 2) {
		l, r := recording[2*i], recording[2*i+1]
		s := Span{Silence: l == 0 && r == 0, At: i}
		if !s.Silence {
			s.From = int64(math.Round(float64(l)*(1<<23))) - 1
			s.Epoch = uint64(math.Round(float64(r)*(1<<10))) - 1
			if left(s.From) != l || right(s.Epoch) != r {
				t.Fatalf("frame %d of the recording: got %v, %v; want a frame that was sent", i, l, r)
			}
		}
		s.To = s.From + 1
		if n := len(out); n > 0 && out[n-1].Silence == s.Silence && out[n-1].Epoch == s.Epoch &&
			(s.Silence || out[n-1].To == s.From) {
			out[n-1].To++
			continue
		}
		out = append(out, s)
	}
	return out
}

// WithoutSilence removes silence and joins the spans that it separated.
func WithoutSilence(list []Span) []Span {
	var out []Span
	for _, s := range list {
		if s.Silence {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Epoch == s.Epoch && out[n-1].To == s.From {
			out[n-1].To = s.To
			continue
		}
		out = append(out, s)
	}
	return out
}

// WaitFor waits for a condition.
func WaitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("timeout after 15s: waited for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// Percentile returns the p-th percentile of durations.
func Percentile(list []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)-1)*p/100]
}
