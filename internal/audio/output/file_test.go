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
	path := filepath.Join(t.TempDir(), "heard.wav")
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
			t.Fatalf("header % x of a file of %d bytes", raw[:12], len(raw))
		}
		at := bytes.Index(raw, []byte("data"))
		if at+8 != wavHeaderSize || le.Uint32(raw[at+4:]) != uint32(len(raw)-wavHeaderSize) {
			t.Fatalf("data of %d bytes at %d of %d", le.Uint32(raw[at+4:]), at, len(raw))
		}
		if err := out.write([]float32{0.25, -0.5, 1.5, -1.5}); err != nil {
			t.Fatal(err)
		}
	}
	if out.Rate() != 44100 {
		t.Fatal("the file has no fixed rate")
	}
	if _, err := out.Open(t.Context(), audio.StreamConfig{Rate: 48000}); err == nil {
		t.Fatal("a stream of another rate was opened")
	}
}

func TestHugeFileBecomesRF64(t *testing.T) {
	const size = 5 << 30
	h := wavHeader(size)
	le := binary.LittleEndian
	if len(h) != wavHeaderSize || string(h[:4]) != "RF64" || string(h[12:16]) != "ds64" ||
		le.Uint32(h[4:]) != math.MaxUint32 || le.Uint64(h[28:]) != size || le.Uint64(h[36:]) != size/8 {
		t.Fatalf("% x", h)
	}
}

func TestFileOutputDoesNotOverwriteOtherFiles(t *testing.T) {
	song := filepath.Join(t.TempDir(), "song.flac")
	if err := os.WriteFile(song, []byte("fLaC and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newFile(song); err == nil {
		t.Fatal("a song was overwritten")
	}
	if raw, _ := os.ReadFile(song); string(raw) != "fLaC and more" {
		t.Fatalf("the song is now %q", raw)
	}
}

func TestFailedWriteEndsTheStream(t *testing.T) {
	out, err := newFile(filepath.Join(t.TempDir(), "heard.wav"))
	if err != nil {
		t.Fatal(err)
	}
	_ = out.f.Close() // from here on every write fails
	synctest.Test(t, func(t *testing.T) {
		s, err := out.Open(t.Context(), streamtest.NewTape().Config())
		if err != nil {
			t.Fatal(err)
		}
		s.Play()
		time.Sleep(time.Second)
		synctest.Wait()
		if s.Err() == nil || s.Clock().Running {
			t.Fatalf("error %v, clock %+v", s.Err(), s.Clock())
		}
		s.Close()
	})
}
