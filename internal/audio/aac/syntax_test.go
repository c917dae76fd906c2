package aac

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"waxwing/internal/testenv"
)

// TestEverySyntaxEqualsFFmpeg decodes random packets with features that common encoders do not use:
// pulses, all codebooks and groupings, filters in both directions, all window shapes.
func TestEverySyntaxEqualsFFmpeg(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	for _, c := range []struct{ rate, channels int }{{4, 1}, {3, 2}, {4, 2}, {8, 2}, {11, 1}, {0, 2}, {5, 3}} {
		t.Run(fmt.Sprintf("rate %d, configuration %d", c.rate, c.channels), func(t *testing.T) {
			t.Parallel()
			config, err := ConfigFromADTS(objectLC-1, c.rate, c.channels, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := newWriter(config, uint64(10*c.rate+c.channels))
			var packets [][]byte
			for range 60 {
				packets = append(packets, w.packet())
			}
			got := decodeAll(t, config, packets)
			want := byFFmpeg(t, writeADTS(t, c.rate, c.channels, packets))
			level := difference(t, got, want) - difference(t, want, make([]float32, len(want)))
			t.Logf("difference from ffmpeg: %.1f dB relative to the signal", level)
			if !(level <= -130) {
				t.Errorf("difference from ffmpeg: got %.1f dB relative to the signal, want at most -130", level)
			}
		})
	}
}

// TestNoiseHasItsLevel checks the energy of noise bands, and of pairs that share their noise.
func TestNoiseHasItsLevel(t *testing.T) {
	tables := loadTables()
	long, _ := divide(4)
	left := &channel{windowing: windowing{division: &long, bands: 20, groups: 1, sizes: [windows]int{1}}}
	right := &channel{windowing: left.windowing}
	var used [maxBands]bool
	for i := range left.bands {
		left.books[i], right.books[i] = noiseBook, noiseBook
		left.factors[i], right.factors[i] = int16(3*i-20), int16(40-i)
		used[i] = i%2 == 0
	}
	var n noise
	n.seed([]byte("a packet"))
	n.fill(left, nil, nil, tables)
	n.fill(right, left, &used, tables)
	for i := range left.bands {
		energy, product := [2]float64{}, 0.0
		for line := long.edges[i]; line < long.edges[i+1]; line++ {
			l, r := left.spectrum[line], right.spectrum[line]
			energy[0] += l * l
			energy[1] += r * r
			product += l * r
		}
		for ch, c := range []*channel{left, right} {
			if want := math.Exp2(float64(c.factors[i]) / 2); math.Abs(energy[ch]/want-1) > 1e-9 {
				t.Errorf("energy of band %d of channel %d: got %g, want %g", i, ch, energy[ch], want)
			}
		}
		if same := product/math.Sqrt(energy[0]*energy[1]) > 1-1e-9; same != used[i] {
			t.Errorf("band %d: equal noise in both channels: got %v, want %v", i, same, used[i])
		}
	}
}

// TestPacketsDependOnlyOnThePreviousOne starts decoding at every packet: only the previous one may
// matter, with noise too.
func TestPacketsDependOnlyOnThePreviousOne(t *testing.T) {
	config, err := ConfigFromADTS(objectLC-1, 4, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(config, 1)
	w.noise = true
	var packets [][]byte
	for i := range 40 {
		p := w.packet()
		if i%10 == 7 {
			p = p[:len(p)/2] // damaged
		}
		packets = append(packets, p)
	}
	linear, other := NewDecoder(config), NewDecoder(config)
	for i, p := range packets {
		want, wantErr := linear.Decode(p)
		if i == 0 {
			continue
		}
		other.Reset()
		_, _ = other.Decode(packets[i-1]) // an error has the same effect as Reset
		if got, err := other.Decode(p); (err == nil) != (wantErr == nil) || !slices.Equal(got, want) {
			t.Errorf("packet %d decoded from the previous one: got other samples or error %v, want %v and equal samples",
				i, err, wantErr)
		}
	}
}

// TestMissingChannelsAreSilent decodes packets with too few and too many channels.
func TestMissingChannelsAreSilent(t *testing.T) {
	surround, err := ConfigFromADTS(objectLC-1, 4, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	mono, err := ConfigFromADTS(objectLC-1, 4, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	single := newWriter(mono, 5).packet()
	d, only := NewDecoder(surround), NewDecoder(mono)
	for range 2 {
		got, err := d.Decode(single)
		if err != nil {
			t.Fatal(err)
		}
		want, err := only.Decode(single)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if got[3*i] != 0 || got[3*i+1] != 0 || got[3*i+2] != v {
				t.Fatalf("frame %d: got %v, want %v in the centre and silence elsewhere", i, got[3*i:3*i+3], v)
			}
		}
	}
	if _, err := only.Decode(newWriter(surround, 5).packet()); !errors.Is(err, ErrUnsupported) {
		t.Errorf("more channels than configured: got %v, want %v", err, ErrUnsupported)
	}
}

// TestUnsupportedPacketsAreRejected tests syntax that AAC-LC forbids or this decoder does not
// implement.
func TestUnsupportedPacketsAreRejected(t *testing.T) {
	config, err := ConfigFromADTS(objectLC-1, 4, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := []int{0, 3, 0, 4, 100, 8, 0, 1, onlyLong, 2, 0, 1} // up to the window shape: values and numbers of bits
	for name, c := range map[string]struct {
		bits        []int
		unsupported bool
	}{
		"nothing":              {nil, false},
		"only the end":         {[]int{endElement, 3}, false},
		"coupling":             {[]int{couplingElement, 3, 0, 32}, true},
		"band replication":     {[]int{fillElement, 3, 2, 4, 13, 4, 0, 12, endElement, 3}, true},
		"prediction":           {append(long, 10, 6, 1, 1, 0, 32), true},
		"too many bands":       {append(long, 50, 6, 0, 1, 0, 32), false},
		"a reserved codebook":  {append(long, 10, 6, 0, 1, 12, 4, 10, 5, 0, 32), false},
		"a section too long":   {append(long, 10, 6, 0, 1, 1, 4, 11, 5, 0, 32), false},
		"gain control":         {append(long, 0, 6, 0, 1, 0, 1, 0, 1, 1, 1, 0, 32), true},
		"a filter of order 13": {append(long, 0, 6, 0, 1, 0, 1, 1, 1, 1, 2, 0, 1, 9, 6, 13, 5, 0, 32), false},
		"pulses out of bands":  {append(long, 0, 6, 0, 1, 1, 1, 0, 2, 60, 6, 0, 32), false},
		"no end":               {append(long, 0, 6, 0, 1, 0, 1, 1, 1, 0, 2, 0, 1), false},
		"truncated data":       {[]int{dataElement, 3, 0, 5, 200, 8, 0, 16}, false},
	} {
		w := &bitWriter{}
		for i := 0; i < len(c.bits); i += 2 {
			w.put(c.bits[i], c.bits[i+1])
		}
		if _, err := NewDecoder(config).Decode(w.data); err == nil || errors.Is(err, ErrUnsupported) != c.unsupported {
			t.Errorf("%s: got %v, want an error, unsupported %v", name, err, c.unsupported)
		}
	}
}
