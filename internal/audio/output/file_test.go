package output

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
)

func TestFileIsValidAfterEveryWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recording.wav")
	out, err := newFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for range 3 {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		le := binary.LittleEndian
		if string(raw[:4]) != "RIFF" || string(raw[8:12]) != "WAVE" || le.Uint32(raw[4:]) != uint32(len(raw)-8) {
			t.Fatalf("header: got % x, want a RIFF WAVE of %d bytes", raw[:12], len(raw))
		}
		at := bytes.Index(raw, []byte("data"))
		if at+8 != wavHeaderSize || le.Uint32(raw[at+4:]) != uint32(len(raw)-wavHeaderSize) {
			t.Fatalf("data chunk: got %d bytes at %d, want %d bytes at %d",
				le.Uint32(raw[at+4:]), at, len(raw)-wavHeaderSize, wavHeaderSize-8)
		}
		if err := out.write([]float32{0.25, -0.5, 1.5, -1.5}); err != nil {
			t.Fatal(err)
		}
	}
	if out.Rate() != 44100 {
		t.Fatalf("rate of the file: got %d, want 44100", out.Rate())
	}
	if _, err := out.Open(t.Context(), audio.StreamConfig{Rate: 48000}); err == nil {
		t.Fatal("Open at 48000 Hz: got no error, want one")
	}
}

func TestHugeFileBecomesRF64(t *testing.T) {
	const size = 5 << 30
	h := wavHeader(size)
	le := binary.LittleEndian
	if len(h) != wavHeaderSize || string(h[:4]) != "RF64" || string(h[12:16]) != "ds64" ||
		le.Uint32(h[4:]) != math.MaxUint32 || le.Uint64(h[28:]) != size || le.Uint64(h[36:]) != size/8 {
		t.Fatalf("header of a file of 5 GiB: got % x, want RF64 with a ds64 chunk", h)
	}
}

func TestFileOutputDoesNotOverwriteOtherFiles(t *testing.T) {
	song := filepath.Join(t.TempDir(), "song.flac")
	if err := os.WriteFile(song, []byte("fLaC and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newFile(song); err == nil {
		t.Fatal("output to an existing song: got no error, want one")
	}
	if raw, _ := os.ReadFile(song); string(raw) != "fLaC and more" {
		t.Fatalf("content of the song: got %q, want it unchanged", raw)
	}
}

func TestFailedWriteEndsTheStream(t *testing.T) {
	out, err := newFile(filepath.Join(t.TempDir(), "recording.wav"))
	if err != nil {
		t.Fatal(err)
	}
	_ = out.f.Close() // every write fails from now on
	synctest.Test(t, func(t *testing.T) {
		s, err := out.Open(t.Context(), streamtest.NewTape().Config())
		if err != nil {
			t.Fatal(err)
		}
		s.Play()
		time.Sleep(time.Second)
		synctest.Wait()
		if s.Err() == nil || s.Clock().Running {
			t.Fatalf("after a failed write: got error %v, clock %+v; want an error and a stopped clock", s.Err(), s.Clock())
		}
		s.Close()
	})
}
