package pulse

import (
	"context"
	"errors"
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

func TestLostDeviceIsReportedWithinASecond(t *testing.T) {
	for _, c := range []struct {
		name string
		want error
		lose func(*testenv.Pulse)
	}{
		{"sink removed", errKilled, func(p *testenv.Pulse) { p.Control("unload-module", "module-null-sink") }},
		{"server killed", errClosed, func(p *testenv.Pulse) { p.Kill() }},
	} {
		for _, playing := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				p := testenv.StartPulse(t)
				tape := streamtest.NewTape()
				s := open(t, p, tape.Config())
				if playing {
					s.Play()
					streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > rate/10 })
				}
				for len(tape.Notified) > 0 {
					<-tape.Notified
				}
				c.lose(p)
				start := time.Now()
				select {
				case <-tape.Notified:
				case <-time.After(10 * time.Second):
					t.Fatal("Notify was not called within 10s")
				}
				streamtest.WaitFor(t, "the error", func() bool { return s.Err() != nil })
				took := time.Since(start)
				t.Logf("reported after %v: %v", took, s.Err())
				if took > time.Second {
					t.Errorf("time until the loss was reported: got %v, want at p99 1s", took)
				}
				if !errors.Is(s.Err(), c.want) {
					t.Errorf("stream error: got %v, want %v", s.Err(), c.want)
				}
				at := s.Clock()
				if at.Running || playing && at.Heard < rate/10 {
					t.Errorf("clock after the loss: got %+v, want it stopped at its position", at)
				}
			})
		}
	}
}

func TestMethodsDoNotBlockOnAFrozenServer(t *testing.T) {
	p := testenv.StartPulse(t)
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > rate/10 })
	p.Freeze()
	defer p.Thaw()
	var took []time.Duration
	for i := range 1000 {
		start := time.Now()
		s.Pause()
		s.Cut(uint64(i))
		s.SetVolume(float64(i) / 1000)
		s.Play()
		s.Wake()
		s.Clock()
		_ = s.Err()
		took = append(took, time.Since(start)/7)
	}
	// A call that waits for the server blocks every time and forever; a busy machine delays only a
	// few calls.
	p99, worst := streamtest.Percentile(took, 99), streamtest.Percentile(took, 100)
	t.Logf("time of a call: p99 %v, slowest %v", p99, worst)
	if p99 > 5*time.Millisecond || worst > time.Second {
		t.Errorf("time of a call with a frozen server: got p99 %v, slowest %v; want at p99 5ms, 1s", p99, worst)
	}
	start := time.Now()
	streamtest.WaitFor(t, "the timeout error", func() bool { return s.Err() != nil })
	if took := time.Since(start); took > replyTimeout+3*time.Second || !errors.Is(s.Err(), errTimeout) {
		t.Errorf("frozen server: got %v after %v, want %v within %v", s.Err(), took, errTimeout, replyTimeout+3*time.Second)
	}
	start = time.Now()
	s.Close()
	if took := time.Since(start); took > time.Second {
		t.Errorf("time of Close: got %v, want at p99 1s", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := (Output{Server: p.Server}).Open(ctx, tape.Config()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Open on a frozen server: got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestStreamContinuesAfterAShortFreeze(t *testing.T) {
	p := testenv.StartPulse(t)
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > rate/10 })
	p.Freeze()
	time.Sleep(300 * time.Millisecond)
	s.Cut(5)
	p.Thaw()
	streamtest.WaitFor(t, "playback to continue", func() bool { c := s.Clock(); return c.Epoch == 5 && c.Heard > rate/10 })
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

func TestStreamContinuesOnAnotherSink(t *testing.T) {
	p := testenv.StartPulse(t)
	rec := p.RecordSink("rewind0", rate)
	tape := streamtest.NewTape()
	cfg := tape.Config()
	cfg.Device = "null0"
	s := open(t, p, cfg)
	s.Play()
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > rate/10 })
	p.Control("move-sink-input", "0", "rewind0")
	streamtest.WaitFor(t, "playback to continue", func() bool { return s.Clock().Heard > rate/2 })
	streamtest.WaitFor(t, "samples in the recording of the other sink",
		func() bool { return len(streamtest.WithoutSilence(streamtest.Read(t, rec.Samples()))) > 0 })
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}
