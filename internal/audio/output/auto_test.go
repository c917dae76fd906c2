package output

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

// lines is a log that can be read while it is written.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// serverOrNull is auto on a machine without a sound card.
func serverOrNull() (*auto, *lines) {
	log := &lines{}
	out := newAuto(slog.New(slog.NewTextHandler(log, nil)))
	out.choices = slices.DeleteFunc(out.choices, func(c choice) bool { return c.name == "the sound card" })
	return out, log
}

func openOn(t *testing.T, out audio.Output, cfg audio.StreamConfig) audio.Stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, err := out.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestAutoUsesTheClockUntilASoundServerAppears(t *testing.T) {
	p := testenv.StartPulse(t)
	p.Kill()
	t.Setenv("PULSE_SERVER", p.Server)
	out, log := serverOrNull()
	tape := streamtest.NewTape()
	s := openOn(t, out, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "it plays without sound", func() bool { return s.Clock().Heard > streamtest.Rate/10 })
	second := openOn(t, out, streamtest.NewTape().Config())
	second.Close()
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "playing without sound") {
		t.Fatalf("%d lines in the log, want one about playing without sound:\n%s", n, log)
	}
	p.Restart()
	streamtest.WaitFor(t, "it gives way to the server", func() bool { return s.Err() != nil })
	if !errors.Is(s.Err(), audio.ErrMoved) {
		t.Fatal(s.Err())
	}
	if c := s.Clock(); c.Running || c.Heard < streamtest.Rate/10 {
		t.Fatalf("the clock is %+v at the end of the stream", c)
	}
	s.Close()

	cfg := streamtest.NewTape().Config()
	cfg.Device = "gone"
	s = openOn(t, out, cfg)
	s.Play()
	streamtest.WaitFor(t, "it plays to the server", func() bool { return s.Clock().Heard > streamtest.Rate/10 })
	if !strings.Contains(log.String(), "playing on the sound server") ||
		!strings.Contains(log.String(), "device is unavailable") {
		t.Fatalf("the log lacks the sound server and the unavailable device:\n%s", log)
	}
	p.Kill()
	streamtest.WaitFor(t, "the loss is reported", func() bool { return s.Err() != nil })
	if again, err := out.Open(t.Context(), streamtest.NewTape().Config()); !errors.Is(err, errUnavailable) {
		t.Fatalf("Open without a device after playback: %v, %v; want an error", again, err)
	}
	p.Restart()
	openOn(t, out, streamtest.NewTape().Config())
}

func TestAutoDoesNotWaitForAFrozenServer(t *testing.T) {
	p := testenv.StartPulse(t)
	t.Setenv("PULSE_SERVER", p.Server)
	p.Freeze()
	defer p.Thaw()
	out, _ := serverOrNull()
	start := time.Now()
	openOn(t, out, streamtest.NewTape().Config())
	if took := time.Since(start); took > serverTimeout+2*time.Second {
		t.Fatalf("Open took %v with a frozen server", took)
	}
}

func TestNewRejectsUnknownOutputs(t *testing.T) {
	for _, spec := range []string{"speaker", "file:", "file", "null:x",
		"file:" + filepath.Join(t.TempDir(), "no", "such", "folder.wav")} {
		if out, err := New(spec, slog.Default()); err == nil {
			t.Errorf("New(%q) returned %T, want an error", spec, out)
		}
	}
}
