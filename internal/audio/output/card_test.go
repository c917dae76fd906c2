package output

import (
	"sync"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
)

// tick is a device that plays by the system's clock.
type tick struct {
	mu      sync.Mutex
	pending []float32
	played  []float32
	at      time.Time
}

func (d *tick) advance() {
	now := time.Now()
	if n := 2 * int(now.Sub(d.at).Seconds()*streamtest.Rate); !d.at.IsZero() && n > 0 {
		n = min(n, len(d.pending))
		d.played = append(d.played, d.pending[:n]...)
		d.pending = d.pending[n:]
		d.at = now
	}
}

func (d *tick) write(frames []float32) (int, error) {
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

func (d *tick) delay() (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advance()
	return len(d.pending) / 2, nil
}

func (d *tick) drop() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = nil
	return nil
}

func (d *tick) close() {}

func TestCardStreamFulfilsItsInterface(t *testing.T) {
	t.Parallel()
	var dev *tick
	streamtest.Verify(t, streamtest.Rig{
		Open: func(_ *testing.T, cfg audio.StreamConfig) audio.Stream {
			dev = &tick{}
			return newCardStream(cfg, dev)
		},
		Heard: func(*testing.T) []float32 {
			dev.mu.Lock()
			defer dev.mu.Unlock()
			return append([]float32(nil), dev.played...)
		},
	})
}
