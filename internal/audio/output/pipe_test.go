package output

import (
	"encoding/binary"
	"io"
	"os"
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
)

func TestPipeWritesSamplesInRealTime(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := newPipe(w)
	_ = w.Close() // the output has duplicated the descriptor
	s := openOn(t, out, streamtest.NewTape().Config())
	s.Play()
	raw := make([]byte, 4*streamtest.Rate/5)
	start := time.Now()
	if _, err := io.ReadFull(r, raw); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 150*time.Millisecond {
		t.Errorf("time to write 200 ms of audio: got %v, want at least 150ms", took)
	}
	for i := 0; i < len(raw); i += 4 {
		if v := int16(binary.LittleEndian.Uint16(raw[i+2:])); v != 32 { // epoch 0 is 1/1024 of full scale
			t.Fatalf("sample at byte %d: got %d, want 32", i, v)
		}
	}
}

func TestPipeReportsAClosedReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out := newPipe(w)
	_ = w.Close()
	s := openOn(t, out, streamtest.NewTape().Config())
	s.Play()
	// A pipe holds 64 KiB, a third of a second. It is not read, but the clock continues.
	streamtest.WaitFor(t, "playback to continue", func() bool { return s.Clock().Heard > streamtest.Rate })
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	_ = r.Close()
	streamtest.WaitFor(t, "the error of the closed reader", func() bool { return s.Err() != nil })
	if _, err := out.Open(t.Context(), streamtest.NewTape().Config()); err == nil {
		t.Fatal("Open of a pipe without a reader: got no error, want one")
	}
}
