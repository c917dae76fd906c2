package transcode_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/audio"
	"waxwing/internal/audio/decode"
	"waxwing/internal/testenv"
	"waxwing/internal/transcode"
)

// open opens a store that the test closes.
func open(t testing.TB, cfg transcode.Config) *transcode.Store {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	if cfg.Quota == 0 {
		cfg.Quota = 1 << 30
	}
	if cfg.Metrics == nil {
		cfg.Metrics = prometheus.NewRegistry()
	}
	cfg.Log = slog.New(slog.DiscardHandler)
	s, err := transcode.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// music creates a file of random notes with ffmpeg.
func music(t testing.TB, name string, seconds, rate, channels string, args ...string) string {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), name)
	signal := "aevalsrc=0.3*sin(2*PI*220*t*(1+0.2*floor(3*t)))+0.1*random(0)*sin(7*t):d=" + seconds + ":s=" + rate
	cmd := exec.CommandContext(t.Context(), "ffmpeg",
		append(append([]string{"-v", "error", "-f", "lavfi", "-i", signal, "-ac", channels}, args...), path)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return path
}

func source(t testing.TB, path string) transcode.Source {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return transcode.Source{
		Name: path, Size: info.Size(), ModTime: info.ModTime(),
		Open: func(context.Context) (io.ReadSeekCloser, time.Time, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, time.Time{}, err
			}
			info, err := f.Stat()
			return f, info.ModTime(), err
		},
	}
}

// get returns the bytes of a transcode and its description.
func get(t testing.TB, s *transcode.Store, src transcode.Source, v transcode.Variant) ([]byte, *transcode.File) {
	t.Helper()
	f, err := s.Get(t.Context(), transcode.Request{Source: src, Variant: v})
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil || int64(len(b)) != f.Size {
		t.Fatalf("%+v: got %d bytes, %v; want %d", v, len(b), err, f.Size)
	}
	return b, f
}

// samples decodes a file from a frame on.
func samples(t testing.TB, file []byte, from int64, convert func(audio.Source) audio.Source) ([]float32, audio.Info) {
	t.Helper()
	src, err := decode.Options{}.Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if convert != nil {
		src = convert(src)
	}
	if err := src.SeekTo(from); err != nil {
		t.Fatal(err)
	}
	var all []float32
	buf := make([]float32, 5000*src.Info().Channels)
	for {
		n, err := src.Read(buf)
		if err == io.EOF {
			return all, src.Info()
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buf[:n*src.Info().Channels]...)
	}
}

// counted returns the value of a counter.
func counted(t testing.TB, r *prometheus.Registry, name string, labels ...string) float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
	next:
		for _, m := range f.GetMetric() {
			for i, l := range m.GetLabel() {
				if i < len(labels) && l.GetValue() != labels[i] {
					continue next
				}
			}
			if m.GetCounter() != nil {
				return m.GetCounter().GetValue()
			}
			return m.GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no metric %s %v", name, labels)
	return 0
}
