package riff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

func over(b []byte) *window.Reader { return window.New(bytes.NewReader(b), int64(len(b))) }

// file builds a file from the identifiers and contents of its chunks.
func file(order binary.AppendByteOrder, head string, chunks ...string) []byte {
	b := []byte(head)
	for i := 0; i < len(chunks); i += 2 {
		b = append(b, chunks[i]...)
		b = append(order.AppendUint32(b, uint32(len(chunks[i+1]))), chunks[i+1]...)
		if len(chunks[i+1])%2 == 1 {
			b = append(b, 0)
		}
	}
	copy(b[4:], order.AppendUint32(nil, uint32(len(b)-8)))
	return b
}

func waveFormat(order binary.AppendByteOrder, tag, channels uint16, rate uint32, align, bits uint16) string {
	b := order.AppendUint16(nil, tag)
	b = order.AppendUint16(b, channels)
	b = order.AppendUint32(b, rate)
	b = order.AppendUint32(b, rate*uint32(align))
	b = order.AppendUint16(b, align)
	return string(order.AppendUint16(b, bits))
}

func TestReadWAVE(t *testing.T) {
	le := binary.LittleEndian
	data := "12345678"
	pcm, adpcm := waveFormat(le, PCM, 2, 44100, 4, 16), waveFormat(le, 2, 2, 44100, 4, 4)
	riff := func(chunks ...string) []byte { return file(le, "RIFF\x00\x00\x00\x00WAVE", chunks...) }
	rifx := file(binary.BigEndian, "RIFX\x00\x00\x00\x00WAVE",
		"fmt ", waveFormat(binary.BigEndian, PCM, 2, 44100, 4, 16), "data", data)
	streamed := riff("fmt ", pcm, "data", data)
	copy(streamed[4:], "\xff\xff\xff\xff")
	copy(streamed[len(streamed)-12:], "\xff\xff\xff\xff")
	long := file(le, "RF64\x00\x00\x00\x00WAVE",
		"ds64", "\xff\xff\xff\xff\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00", "fmt ", pcm, "data", data, "LIST", "info")
	copy(long[bytes.Index(long, []byte("data"))+4:], "\xff\xff\xff\xff")
	for name, c := range map[string]struct {
		file   []byte
		frames int64
		other  []string
	}{
		"RIFF":            {riff("bext", "odd", "fmt ", pcm, "data", data, "LIST", "info"), 2, []string{"bext", "LIST"}},
		"RIFX":            {rifx, 2, nil},
		"RF64":            {long, 2, []string{"LIST"}},
		"written to pipe": {streamed, 2, nil},
		"no alignment":    {riff("fmt ", waveFormat(le, PCM, 2, 44100, 0, 16), "data", data), 2, nil},
		"ADPCM":           {riff("fmt ", adpcm, "fact", "\x10\x00\x00\x00", "data", data), 16, nil},
		"ADPCM, no fact":  {riff("fmt ", adpcm, "data", data), 2, nil},
	} {
		var other []string
		f, err := ReadWAVE(over(c.file), func(c Chunk) error {
			other = append(other, c.ID)
			return nil
		})
		if err != nil || f.Frames != c.frames || f.Rate != 44100 || f.Channels != 2 || !slices.Equal(other, c.other) {
			t.Errorf("%s: got %+v, other chunks %v, %v; want %d frames and %v", name, f, other, err, c.frames, c.other)
		}
	}
}

func TestReadRejectsInvalidAudio(t *testing.T) {
	le := binary.LittleEndian
	for name, b := range map[string][]byte{
		"no rate":     file(le, "RIFF\x00\x00\x00\x00WAVE", "fmt ", waveFormat(le, PCM, 2, 0, 4, 16), "data", "1234"),
		"no channels": file(le, "RIFF\x00\x00\x00\x00WAVE", "fmt ", waveFormat(le, PCM, 0, 44100, 4, 16), "data", "1234"),
		"no data":     file(le, "RIFF\x00\x00\x00\x00WAVE", "fmt ", waveFormat(le, PCM, 2, 44100, 4, 16)),
		"no format":   file(le, "RIFF\x00\x00\x00\x00WAVE", "data", "1234"),
		"cut off":     []byte("RIFF"),
	} {
		if f, err := ReadWAVE(over(b), nil); !errors.Is(err, window.ErrDamaged) {
			t.Errorf("WAVE, %s: got %+v and %v, want an error that wraps ErrDamaged", name, f, err)
		}
	}
	aiff := func(chunks ...string) []byte { return file(binary.BigEndian, "FORM\x00\x00\x00\x00AIFF", chunks...) }
	cd := "\x40\x0e\xac\x44\x00\x00\x00\x00\x00\x00"
	for name, b := range map[string][]byte{
		"no rate":     aiff("COMM", "\x00\x02\x00\x00\x00\x01\x00\x10"+string(make([]byte, 10)), "SSND", "12345678abcd"),
		"no channels": aiff("COMM", "\x00\x00\x00\x00\x00\x01\x00\x10"+cd, "SSND", "12345678abcd"),
		"no format":   aiff("SSND", "12345678abcd"),
	} {
		if f, err := ReadAIFF(over(b), nil); !errors.Is(err, window.ErrDamaged) {
			t.Errorf("AIFF, %s: got %+v and %v, want an error that wraps ErrDamaged", name, f, err)
		}
	}
}

func fuzz[F any](f *testing.F, read func(*window.Reader, func(Chunk) error) (F, error), audio func(F) Audio) {
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			file, err := read(over(b), func(Chunk) error { return nil })
			if err != nil {
				return
			}
			a := audio(file)
			if a.Rate <= 0 || a.Channels <= 0 || a.Frames < 0 || a.Size < 0 || a.Size > 0 && a.Off+a.Size > int64(len(b)) {
				t.Fatalf("got impossible audio %+v in %d bytes", a, len(b))
			}
		})
	})
}

func FuzzWAVE(f *testing.F) {
	le := binary.LittleEndian
	f.Add(file(le, "RIFF\x00\x00\x00\x00WAVE", "fmt ", waveFormat(le, PCM, 2, 44100, 4, 16), "data", "12345678"))
	f.Add(file(le, "RF64\x00\x00\x00\x00WAVE", "ds64", string(make([]byte, 16)),
		"fmt ", waveFormat(le, 2, 2, 44100, 4, 4), "data", "1234"))
	fuzz(f, ReadWAVE, func(f *WAVE) Audio { return f.Audio })
}

func FuzzAIFF(f *testing.F) {
	f.Add(file(binary.BigEndian, "FORM\x00\x00\x00\x00AIFC", "COMM",
		"\x00\x02\x00\x00\x00\x01\x00\x10\x40\x0e\xac\x44\x00\x00\x00\x00\x00\x00sowt", "SSND", string(make([]byte, 12))))
	fuzz(f, ReadAIFF, func(f *AIFF) Audio { return f.Audio })
}
