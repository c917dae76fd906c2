package output

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

func TestNullStreamImplementsStream(t *testing.T) {
	t.Parallel()
	out, err := New("null", slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	streamtest.Verify(t, streamtest.Rig{Open: func(t *testing.T, cfg audio.StreamConfig) audio.Stream {
		s, err := out.Open(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}})
}

func TestFileStreamImplementsStream(t *testing.T) {
	t.Parallel()
	var path string
	streamtest.Verify(t, streamtest.Rig{
		Open: func(t *testing.T, cfg audio.StreamConfig) audio.Stream {
			path = filepath.Join(t.TempDir(), "recording.wav")
			out, err := newFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = out.Close() })
			s, err := out.Open(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		Recording: func(t *testing.T) []float32 {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return testenv.Float32s(raw[wavHeaderSize:])
		},
	})
}
