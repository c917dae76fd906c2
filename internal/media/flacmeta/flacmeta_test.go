package flacmeta

import (
	"bytes"
	"errors"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

func block(kind byte, last bool, content string) string {
	if last {
		kind |= 0x80
	}
	n := len(content)
	return string([]byte{kind, byte(n >> 16), byte(n >> 8), byte(n)}) + content
}

// streamInfo describes 1000 samples of 16 bits, 2 channels, 44.1 kHz in blocks of 4096.
const streamInfo = "\x10\x00\x10\x00\x00\x00\x00\x00\x00\x00\x0a\xc4\x42\xf0\x00\x00\x03\xe8" + "0123456789abcdef"

func read(b string) (Metadata, error) {
	return Read(window.New(bytes.NewReader([]byte(b)), int64(len(b))), 0)
}

func TestReadLocatesBlocks(t *testing.T) {
	file := "fLaC" + block(0, false, streamInfo) + block(1, false, "padding") + block(4, false, "comments") +
		block(6, false, "front") + block(6, true, "back") + "audio"
	m, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := StreamInfo{4096, 4096, 44100, 2, 16, 1000, [16]byte([]byte("0123456789abcdef"))}
	if m.StreamInfo != want {
		t.Errorf("got %+v, want %+v", m.StreamInfo, want)
	}
	content := func(b Block) string { return file[b.Off : b.Off+b.Size] }
	if content(m.Comments) != "comments" || file[m.End:] != "audio" ||
		len(m.Pictures) != 2 || content(m.Pictures[1]) != "back" {
		t.Errorf("got %+v", m)
	}
}

func TestReadRejectsInvalidMetadata(t *testing.T) {
	noRate := []byte(streamInfo)
	noRate[10], noRate[11], noRate[12] = 0, 0, 0x02
	for name, file := range map[string]string{
		"empty":               "",
		"another file":        "RIFF" + block(0, true, streamInfo),
		"cut off":             "fLaC" + block(0, true, streamInfo)[:20],
		"no stream info":      "fLaC" + block(4, true, "comments"),
		"rate of 0":           "fLaC" + block(0, true, string(noRate)),
		"short stream info":   "fLaC" + block(0, true, streamInfo[:33]),
		"forbidden block":     "fLaC" + block(0, false, streamInfo) + block(127, true, ""),
		"block past the end":  "fLaC" + block(0, false, streamInfo) + "\x84\xff\xff\xff",
		"blocks without last": "fLaC" + block(0, false, streamInfo),
	} {
		if m, err := read(file); !errors.Is(err, window.ErrDamaged) {
			t.Errorf("%s: got %+v and %v, want an error that wraps ErrDamaged", name, m, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("fLaC" + block(0, false, streamInfo) + block(4, false, "comments") + block(6, true, "front") + "audio"))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			m, err := Read(window.New(bytes.NewReader(b), int64(len(b))), 0)
			if err == nil && (m.Rate <= 0 || m.Channels <= 0 || m.End > int64(len(b))) {
				t.Fatalf("got impossible metadata %+v", m)
			}
		})
	})
}
