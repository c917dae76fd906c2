package decode

import (
	"io"
	"slices"
	"testing"

	"waxwing/internal/audio"
)

// The channels have the numbers 1, 2, 3 … as samples.
func TestInWaveOrderMovesChannels(t *testing.T) {
	cases := []struct {
		name     string
		mask     uint32
		channels int
		want     []float32
	}{
		{"stereo", 0x3, 2, []float32{1, 2}},
		{"two side speakers", 0x600, 2, []float32{1, 2}},
		{"3.0", 0x7, 3, []float32{1, 2, 3}},
		{"2.1", 0xB, 3, []float32{1, 2, 0, 3, 0, 0}},
		{"quad", 0x33, 4, []float32{1, 2, 3, 4}},
		{"quad with side speakers", 0x603, 4, []float32{1, 2, 3, 4}},
		{"4.0", 0x107, 4, []float32{1, 2, 3, 0, 4, 0, 0}},
		{"3.1", 0xF, 4, []float32{1, 2, 3, 4, 0, 0}},
		{"5.0", 0x37, 5, []float32{1, 2, 3, 4, 5}},
		{"5.1", 0x3F, 6, []float32{1, 2, 3, 4, 5, 6}},
		{"5.1 with side speakers", 0x60F, 6, []float32{1, 2, 3, 4, 5, 6}},
		{"hexagonal", 0x137, 6, []float32{1, 2, 3, 0, 6, 4, 5}},
		{"6.1", 0x70F, 7, []float32{1, 2, 3, 4, 5, 6, 7}},
		{"6.1 with back speakers", 0x13F, 7, []float32{1, 2, 3, 4, 7, 5, 6}},
		{"7.0", 0x637, 7, []float32{1, 2, 3, 0, 4, 5, 6, 7}},
		{"7.1", 0x63F, 8, []float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"7.1 wide", 0xFF, 8, []float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"not stated", 0, 6, []float32{1, 2, 3, 4, 5, 6}},
		{"too many speakers", 0x63F, 6, []float32{1, 2, 3, 4, 5, 6}},
		{"speakers in the ceiling", 0x5003, 4, []float32{1, 2, 3, 4}},
	}
	for _, c := range cases {
		src := inWaveOrder(rogue{info: audio.Info{Rate: 44100, Channels: c.channels}, read: func(dst []float32) (int, error) {
			for i := range dst {
				dst[i] = float32(i%c.channels + 1)
			}
			return len(dst) / c.channels, nil
		}}, c.mask)
		if src.Info().Channels != len(c.want) {
			t.Errorf("%s: got %d channels, want %d", c.name, src.Info().Channels, len(c.want))
			continue
		}
		dst := make([]float32, 2*len(c.want)+1)
		n, err := src.Read(dst)
		if n != 2 || err != nil || !slices.Equal(dst[:2*len(c.want)], slices.Repeat(c.want, 2)) {
			t.Errorf("%s: got %d frames %v and %v, want %v twice", c.name, n, dst, err, c.want)
		}
	}
	atEnd := func([]float32) (int, error) { return 0, io.EOF }
	end := inWaveOrder(rogue{info: audio.Info{Rate: 44100, Channels: 3}, read: atEnd}, 0xB)
	if n, err := end.Read(make([]float32, 60)); n != 0 || err != io.EOF {
		t.Errorf("at the end: got %d frames and %v, want io.EOF", n, err)
	}
}
