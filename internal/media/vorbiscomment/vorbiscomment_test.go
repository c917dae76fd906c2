package vorbiscomment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

func commentBlock(comments ...string) []byte {
	b := append(binary.LittleEndian.AppendUint32(nil, 3), "me!"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(comments)))
	for _, c := range comments {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(c))), c...)
	}
	return b
}

func read(t testing.TB, b []byte) (got []string) {
	t.Helper()
	w := window.New(bytes.NewReader(b), int64(len(b)))
	err := Each(FileBlock(w, 0, int64(len(b))), 0, func(c Comment) {
		if c.Off < 0 || c.Size < int64(len(c.Value)) || c.Off+c.Size > int64(len(b)) {
			t.Fatalf("the value %q is outside of the block: %d bytes at %d of %d", c.Name, c.Size, c.Off, len(b))
		}
		got = append(got, string(c.Name)+"="+string(c.Value))
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestEachReturnsCommentsUpToTheDamage(t *testing.T) {
	picture := "picture=" + string(make([]byte, 9000))
	block := commentBlock("Title=a=b", picture, "TITLE=second", "nonsense", "Replaygain_Track_Gain=-1 dB")
	want := []string{"Title=a=b", picture[:maxValue], "TITLE=second", "Replaygain_Track_Gain=-1 dB"}
	if got := read(t, block); !slices.Equal(got, want) {
		t.Errorf("got %.40q, want %.40q", got, want)
	}
	for n := range block {
		if got := read(t, block[:n:n]); !slices.Equal(got, want[:min(len(got), len(want))]) {
			t.Errorf("cut at %d: got %.40q, want the first of %.40q", n, got, want)
		}
	}
	forged := commentBlock("a=b")
	copy(forged[7:], "\xff\xff\xff\xff")
	if got := read(t, forged); !slices.Equal(got, []string{"a=b"}) {
		t.Errorf("a forged count: got %q, want a=b", got)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

func TestEachReturnsReadErrors(t *testing.T) {
	err := Each(FileBlock(window.New(failing{}, 100), 0, 100), 0, func(Comment) {})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
	}
}

func FuzzEach(f *testing.F) {
	f.Add(commentBlock("Title=a=b", "nonsense"))
	f.Add(commentBlock("a=" + string(make([]byte, 9000))))
	f.Fuzz(func(t *testing.T, b []byte) { testenv.CheckCost(t, func() { read(t, b) }) })
}
