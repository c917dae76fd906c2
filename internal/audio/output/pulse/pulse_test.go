package pulse

import (
	"context"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

const rate = streamtest.Rate

func open(t *testing.T, p *testenv.Pulse, cfg audio.StreamConfig) audio.Stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, err := Output{Server: p.Server}.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestPulseStreamImplementsStream(t *testing.T) {
	p := testenv.StartPulse(t)
	rec := p.Record()
	from := 0
	streamtest.Verify(t, streamtest.Rig{
		Open: func(t *testing.T, cfg audio.StreamConfig) audio.Stream {
			from = rec.Len()
			return open(t, p, cfg)
		},
		Recording: func(*testing.T) []float32 { return rec.Samples()[2*from:] },
	})
}
