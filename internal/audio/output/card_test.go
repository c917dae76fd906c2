package output

import (
	"sync"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
)

// fakeCard is a device that plays at the rate of the system clock.
type fakeCard struct {
	mu      sync.Mutex
	pending []float32
	played  []float32
	at      time.Time
}

func (d *fakeCard) advance() {
	now := time.Now()
	if n := 2 * int(now.Sub(d.at).Seconds()*streamtest.Rate); !d.at.IsZero() && n > 0 {
		n = min(n, len(d.pending))
		d.played = append(d.played, d.pending[:n]...)
		d.pending = d.pending[n:]
		d.at = now
	}
}

func (d *fakeCard) write(frames []float32) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.pending) == 0 {
		d.at = time.Now()
	}
	n := min(len(frames), 2*streamtest.Rate/12-len(d.pending))
	n = max(n, 0) &^ 1
	d.pending = append(d.pending, frames[:n]...)
	return n / 2, nil
}

func (d *fakeCard) delay() (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advance()
	return len(d.pending) / 2, nil
}

func (d *fakeCard) drop() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = nil
	return nil
}

func (d *fakeCard) close() {}

func TestCardStreamImplementsStream(t *testing.T) {
	t.Parallel()
	var dev *fakeCard
	streamtest.Verify(t, streamtest.Rig{
		Open: func(_ *testing.T, cfg audio.StreamConfig) audio.Stream {
			dev = &fakeCard{}
			return newCardStream(cfg, dev)
		},
		Recording: func(*testing.T) []float32 {
			dev.mu.Lock()
			defer dev.mu.Unlock()
			return append([]float32(nil), dev.played...)
		},
	})
}
