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

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// serverOrNull returns the automatic output without its sound card, and its log.
func serverOrNull() (*auto, *logBuffer) {
	log := &logBuffer{}
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

func TestAutoPlaysWithoutSoundUntilASoundServerAppears(t *testing.T) {
	p := testenv.StartPulse(t)
	p.Kill()
	t.Setenv("PULSE_SERVER", p.Server)
	out, log := serverOrNull()
	tape := streamtest.NewTape()
	s := openOn(t, out, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "playback without sound", func() bool { return s.Clock().Heard > streamtest.Rate/10 })
	second := openOn(t, out, streamtest.NewTape().Config())
	second.Close()
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "playing without sound") {
		t.Fatalf("log: got %d lines, want one that says \"playing without sound\":\n%s", n, log)
	}
	p.Restart()
	streamtest.WaitFor(t, "the stream to end in favour of the server", func() bool { return s.Err() != nil })
	if !errors.Is(s.Err(), audio.ErrMoved) {
		t.Fatalf("stream error: got %v, want %v", s.Err(), audio.ErrMoved)
	}
	if c := s.Clock(); c.Running || c.Heard < streamtest.Rate/10 {
		t.Fatalf("clock at the end of the stream: got %+v, want it stopped after at least %d frames",
			c, streamtest.Rate/10)
	}
	s.Close()

	cfg := streamtest.NewTape().Config()
	cfg.Device = "missing"
	s = openOn(t, out, cfg)
	s.Play()
	streamtest.WaitFor(t, "playback on the server", func() bool { return s.Clock().Heard > streamtest.Rate/10 })
	if !strings.Contains(log.String(), "playing on the sound server") ||
		!strings.Contains(log.String(), "device is unavailable") {
		t.Fatalf("the log does not name the sound server and the unavailable device:\n%s", log)
	}
	p.Kill()
	streamtest.WaitFor(t, "the error of the lost server", func() bool { return s.Err() != nil })
	if again, err := out.Open(t.Context(), streamtest.NewTape().Config()); !errors.Is(err, errUnavailable) {
		t.Fatalf("Open without a device after playback: got %v, error %v; want %v", again, err, errUnavailable)
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
		t.Fatalf("Open with a frozen server: got %v, want at most %v", took, serverTimeout+2*time.Second)
	}
}

func TestNewRejectsUnknownOutputs(t *testing.T) {
	for _, spec := range []string{"speaker", "file:", "file", "null:x",
		"file:" + filepath.Join(t.TempDir(), "no", "such", "folder.wav")} {
		if out, err := New(spec, slog.Default()); err == nil {
			t.Errorf("New(%q): got %T, want an error", spec, out)
		}
	}
}
