package vorbis

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"waxwing/internal/testenv"
)

// header builds an identification header.
func header(channels byte, rate uint32, sizes byte) []byte {
	h := append([]byte("\x01vorbis\x00\x00\x00\x00"), channels)
	h = binary.LittleEndian.AppendUint32(h, rate)
	h = append(h, make([]byte, 12)...)
	return append(h, sizes, 1)
}

// bitWriter writes the bits that bitReader reads.
type bitWriter struct {
	data []byte
	used int
}

func (w *bitWriter) put(value uint32, n int) {
	for i := range n {
		if w.used%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.used/8] |= byte(value>>i&1) << (w.used % 8)
		w.used++
	}
}

func TestInvalidIdentificationIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		header      []byte
		unsupported bool
	}{
		"empty":             {header: nil},
		"no channels":       {header: header(0, 44100, 0xb8)},
		"no rate":           {header: header(2, 0, 0xb8)},
		"short beyond long": {header: header(2, 44100, 0x8b)},
		"block too small":   {header: header(2, 44100, 0xb5)},
		"block too large":   {header: header(2, 44100, 0xeb)},
		"truncated":         {header: header(2, 44100, 0xb8)[:29]},
		"too many channels": {header: header(9, 44100, 0xb8), unsupported: true},
		"excessive rate":    {header: header(2, 1<<31, 0xb8), unsupported: true},
	} {
		_, err := NewDecoder(c.header, []byte("\x05vorbis"))
		if err == nil || errors.Is(err, ErrUnsupported) != c.unsupported {
			t.Errorf("%s: got %v, want an error, unsupported %v", name, err, c.unsupported)
		}
	}
	if _, err := NewDecoder(header(2, 44100, 0xb8), []byte("\x05vorbis")); err == nil {
		t.Error("empty setup: got no error, want one")
	}
}

// This is the example of the specification: codeword lengths 2 4 4 4 4 2 3 3 give the codewords
// 00 0100 0101 0110 0111 10 110 111.
func TestCodewordsAreAssignedInOrder(t *testing.T) {
	book := &codebook{entries: 8}
	if err := book.build([]uint8{2, 4, 4, 4, 4, 2, 3, 3}); err != nil {
		t.Fatal(err)
	}
	for entry, code := range []string{"00", "0100", "0101", "0110", "0111", "10", "110", "111"} {
		w := &bitWriter{}
		for _, bit := range code {
			w.put(uint32(bit-'0'), 1)
		}
		r := newBitReader(w.data)
		if got := book.scalar(r); got != entry {
			t.Errorf("%s: got entry %d, want %d", code, got, entry)
		}
		if left := r.left(); left != 8-len(code) {
			t.Errorf("%s: got %d bits left, want 0", code, left)
		}
	}
	if got := book.scalar(newBitReader(nil)); got != -1 {
		t.Errorf("an empty packet: got entry %d, want -1", got)
	}
}

func TestCodewordsLongerThanTheTable(t *testing.T) {
	lengths := make([]uint8, 33) // 1, 2, … 31, 32, 32
	for i := range lengths {
		lengths[i] = uint8(min(i+1, 32))
	}
	book := &codebook{entries: len(lengths)}
	if err := book.build(lengths); err != nil {
		t.Fatal(err)
	}
	for entry, n := range lengths {
		w := &bitWriter{}
		w.put(1<<min(entry, 32)-1, int(n))
		if got := book.scalar(newBitReader(w.data)); got != entry {
			t.Errorf("codeword of %d bits: got entry %d, want %d", n, got, entry)
		}
	}
}

func TestIncompleteCodebooksAreRejected(t *testing.T) {
	for name, lengths := range map[string][]uint8{
		"too many":        {1, 1, 1},
		"too few":         {2, 2, 2},
		"one of length 2": {0, 2, 0},
	} {
		if err := (&codebook{}).build(lengths); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}
	single := &codebook{}
	if err := single.build([]uint8{0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	for _, bit := range []byte{0, 1} {
		if got := single.scalar(newBitReader([]byte{bit})); got != 2 {
			t.Errorf("got entry %d, want the only one", got)
		}
	}
}

// A codebook of a few bytes may claim millions of entries.
func TestCodebookSizeIsBounded(t *testing.T) {
	w := &bitWriter{}
	w.put(0x564342, 24)
	w.put(0xffff, 16)
	w.put(0xffffff, 24)
	w.put(1, 1) // ordered
	w.put(23, 5)
	w.put(0xffffff, 24)
	w.data = append(w.data, bytes.Repeat([]byte{0xff}, 64)...)
	if _, err := readCodebook(newBitReader(w.data)); err == nil {
		t.Error("codebook of millions of entries: got no error, want one")
	}
}

func TestRootFloor(t *testing.T) {
	for _, c := range []struct{ n, dim, want int }{
		{81, 4, 3}, {80, 4, 2}, {82, 4, 3}, {1, 1, 1}, {625, 4, 5}, {624, 4, 4}, {7, 1, 7}, {1 << 20, 2, 1024}, {3, 200, 1},
	} {
		if got := rootFloor(c.n, c.dim); got != c.want {
			t.Errorf("root %d of %d: got %d, want %d", c.dim, c.n, got, c.want)
		}
	}
}

func FuzzSetup(f *testing.F) {
	f.Add([]byte("\x00BCV\x01\x00\x02\x00\x00"), []byte{0, 0})
	f.Fuzz(func(t *testing.T, setup, packet []byte) {
		testenv.CheckCost(t, func() {
			d, err := NewDecoder(header(2, 44100, 0xb8), append([]byte("\x05vorbis"), setup...))
			if err != nil {
				return
			}
			for range 3 {
				out, err := d.Decode(packet)
				if err == nil && len(out[0]) > d.sizes[1]/2 {
					t.Fatalf("samples of a packet: got %d, want at most %d", len(out[0]), d.sizes[1]/2)
				}
			}
		})
	})
}
