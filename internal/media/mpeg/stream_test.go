package mpeg

import (
	"bytes"
	"errors"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

// frames returns n frames of 128 kbit/s at 44.1 kHz; every frame but each 25th is padded as LAME
// does.
func frames(n int) []byte {
	var b []byte
	for i := range n {
		length := 417
		head := "\xff\xfb\x90\x00"
		if ideal := (i + 1) * 144 * 128000 / 44100; ideal > len(b)+length {
			length, head = 418, "\xff\xfb\x92\x00"
		}
		b = append(b, append([]byte(head), make([]byte, length-4)...)...)
	}
	return b
}

func open(t *testing.T, b []byte) *Stream {
	t.Helper()
	s, err := Open(window.New(bytes.NewReader(b), int64(len(b))))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConstantBitRateIsCountedFromTheEnd(t *testing.T) {
	b := frames(5000)
	for name, file := range map[string][]byte{
		"whole": b, "cut": b[:len(b)-100], "tagged": append(bytes.Clone(b), append([]byte("TAG"), make([]byte, 125)...)...),
	} {
		reads := &countingReader{Reader: bytes.NewReader(file)}
		s, err := Open(window.New(reads, int64(len(file))))
		if err != nil {
			t.Fatal(err)
		}
		skip, samples, err := s.Length()
		if err != nil || skip != 0 || samples != 5000*1152 {
			t.Errorf("%s: %d samples behind %d (%v), want %d", name, samples, skip, err, 5000*1152)
		}
		if reads.n > 10 {
			t.Errorf("%s: %d reads, want at most 10", name, reads.n)
		}
	}
}

type countingReader struct {
	*bytes.Reader
	n int
}

func (c *countingReader) ReadAt(b []byte, off int64) (int, error) {
	c.n++
	return c.Reader.ReadAt(b, off)
}

func TestVariableBitRateIsWalked(t *testing.T) {
	other := append([]byte("\xff\xfb\xa0\x00"), make([]byte, 522-4)...) // 160 kbit/s
	b := append(append(frames(1000), other...), frames(1000)...)
	if _, samples, err := open(t, b).Length(); err != nil || samples != 2001*1152 {
		t.Errorf("%d samples (%v), want %d", samples, err, 2001*1152)
	}
}

func TestLayersHaveTheirOwnFrameLengths(t *testing.T) {
	for _, c := range []struct {
		head                  string
		layer                 uint8
		length, samples, rate int
	}{
		{"\xff\xff\x90\x00", 1, 312, 384, 44100},
		{"\xff\xff\x92\x00", 1, 316, 384, 44100},
		{"\xff\xfd\x90\x00", 2, 522, 1152, 44100},
		{"\xff\xfb\x90\x00", 3, 417, 1152, 44100},
		{"\xff\xf3\x90\x00", 3, 261, 576, 22050},
		{"\xff\xe3\x90\x00", 3, 522, 576, 11025},
	} {
		h, ok := ParseHeader([]byte(c.head))
		if !ok || h.Layer != c.layer || h.Length(0) != c.length || h.Samples() != c.samples || h.Rate() != c.rate {
			t.Errorf("%x: layer %d, %d bytes, %d samples, %d Hz; want %+v", c.head, h.Layer, h.Length(0), h.Samples(),
				h.Rate(), c)
		}
	}
}

func FuzzStream(f *testing.F) {
	f.Add(frames(4))
	f.Add(append([]byte("ID3\x03\x00\x00\x00\x00\x00\x02\x00\x00"), frames(3)...))
	f.Add(append([]byte("\xff\xfb\x90\x00"+string(make([]byte, 32))+"Xing\x00\x00\x00\x03\x00\x00\x00\x03"), frames(3)...))
	f.Add([]byte("\xff\xf1\x50\x80\x08\x1f\xfc"))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			w := window.New(bytes.NewReader(b), int64(len(b)))
			s, err := Open(w)
			if err == nil {
				_, samples, lengthErr := s.Length()
				if lengthErr != nil || samples < 0 || samples > int64(len(b)+MaxFrame)*1152 {
					t.Fatalf("%d samples in %d bytes, %v", samples, len(b), lengthErr)
				}
			} else if !errors.Is(err, ErrNoFrames) && !errors.Is(err, window.ErrDamaged) {
				t.Fatal(err)
			}
			err = WalkADTS(w, func(at int64, h ADTSHeader) error {
				if at < 0 || at+int64(h.Length) > int64(len(b)) || h.Rate() == 0 {
					t.Fatalf("frame %+v at %d of %d bytes", h, at, len(b))
				}
				return nil
			})
			if err != nil && !errors.Is(err, window.ErrDamaged) {
				t.Fatal(err)
			}
		})
	})
}
