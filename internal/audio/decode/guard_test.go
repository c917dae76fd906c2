package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"waxwing/internal/audio"
)

// rogue is a decoder that violates the contract of audio.Source.
type rogue struct {
	info audio.Info
	read func(dst []float32) (int, error)
	seek func(int64) error
}

func (r rogue) Info() audio.Info                { return r.info }
func (r rogue) Read(dst []float32) (int, error) { return r.read(dst) }
func (r rogue) SeekTo(frame int64) error        { return r.seek(frame) }
func (r rogue) Close() error                    { return nil }

func guarded(t *testing.T, r rogue) audio.Source {
	t.Helper()
	if r.info.Rate == 0 {
		r.info = audio.Info{Rate: 44100, Channels: 2, Frames: 100}
	}
	if r.seek == nil {
		r.seek = func(int64) error { return nil }
	}
	return mustOpen(t, func(in audio.Input) (audio.Source, error) {
		return protect(in, func(audio.Input) (audio.Source, error) { return r, nil })
	}, bytes.NewReader(nil))
}

func TestGuardConvertsPanicsToErrors(t *testing.T) {
	_, err := protect(bytes.NewReader(nil), func(audio.Input) (audio.Source, error) { panic("open") })
	if err == nil || !strings.Contains(err.Error(), "open") {
		t.Errorf("open: got %v, want an error with the panic", err)
	}
	calls := 0
	src := guarded(t, rogue{read: func([]float32) (int, error) {
		calls++
		panic(errors.New("read"))
	}})
	for range 2 {
		if n, err := src.Read(make([]float32, 8)); n != 0 || err == nil || !strings.Contains(err.Error(), "read") {
			t.Errorf("Read: got %d frames and %v, want 0 and an error with the panic", n, err)
		}
	}
	if calls != 1 {
		t.Errorf("calls of a broken decoder: got %d, want 1", calls)
	}
	src = guarded(t, rogue{seek: func(int64) error { panic("seek") }})
	if err := src.SeekTo(3); err == nil || !strings.Contains(err.Error(), "seek") {
		t.Errorf("SeekTo: got %v, want an error with the panic", err)
	}
}

func TestGuardReplacesInvalidSamplesBySilence(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	src := guarded(t, rogue{read: func(dst []float32) (int, error) {
		return copy(dst, []float32{0.5, nan, inf, -inf, 1e30, -3}) / 2, nil
	}})
	buf := make([]float32, 6)
	if n, err := src.Read(buf); n != 3 || err != nil {
		t.Fatalf("Read: got %d frames and %v, want 3", n, err)
	}
	checkSame(t, buf, []float32{0.5, 0, 0, 0, 0, -3})
}

func TestGuardReturnsEOFUntilSeek(t *testing.T) {
	calls := 0
	info := audio.Info{Rate: 44100, Channels: 2, Frames: -1}
	src := guarded(t, rogue{info: info, read: func([]float32) (int, error) {
		if calls++; calls%2 == 0 {
			return 0, io.EOF
		}
		return 1, nil
	}})
	buf := make([]float32, 6)
	if n, err := src.Read(buf); n != 1 || err != nil {
		t.Fatalf("Read: got %d frames and %v, want 1", n, err)
	}
	for range 3 {
		if n, err := src.Read(buf); n != 0 || err != io.EOF {
			t.Fatalf("Read after the end: got %d frames and %v, want io.EOF", n, err)
		}
	}
	if err := src.SeekTo(0); err != nil {
		t.Fatal(err)
	}
	if n, err := src.Read(buf); n != 1 || err != nil {
		t.Errorf("Read after a seek: got %d frames and %v, want 1", n, err)
	}
}

func TestGuardEnforcesTheContract(t *testing.T) {
	endless := func(dst []float32) (int, error) { return len(dst) / 2, nil }
	src := guarded(t, rogue{read: endless})
	total := 0
	for buf := make([]float32, 64); ; {
		n, err := src.Read(buf)
		if err == io.EOF {
			break
		}
		total += n
	}
	if total != 100 {
		t.Errorf("got %d frames, want 100", total)
	}
	if src.SeekTo(-1) == nil || src.SeekTo(101) == nil || src.SeekTo(100) != nil {
		t.Error("SeekTo(-1), SeekTo(101), SeekTo(100): want errors for the first two only")
	}
	for name, read := range map[string]func([]float32) (int, error){
		"too many": func(dst []float32) (int, error) { return len(dst), nil },
		"negative": func([]float32) (int, error) { return -1, nil },
		"nothing":  func([]float32) (int, error) { return 0, nil },
	} {
		if n, err := guarded(t, rogue{read: read}).Read(make([]float32, 8)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("%s: got %d frames and %v, want an error", name, n, err)
		}
	}
	for _, info := range []audio.Info{
		{Rate: 0, Channels: 2}, {Rate: 1 << 23, Channels: 2}, {Rate: 44100}, {Rate: 44100, Channels: 9},
	} {
		_, err := protect(nil, func(audio.Input) (audio.Source, error) { return rogue{info: info}, nil })
		if !errors.Is(err, audio.ErrUnsupported) {
			t.Errorf("%+v: got %v, want ErrUnsupported", info, err)
		}
	}
	if n, err := guarded(t, rogue{read: endless}).Read(make([]float32, 1)); n != 0 || err == nil {
		t.Errorf("room for half a frame: got %d frames and %v, want an error", n, err)
	}
	src = guarded(t, rogue{read: endless})
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := src.Read(make([]float32, 8)); err == nil {
		t.Error("Read of a closed source: got no error, want one")
	}
}
