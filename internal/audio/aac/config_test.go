package aac

import (
	"errors"
	"math"
	"testing"

	"waxwing/internal/audio"
)

func TestParseConfig(t *testing.T) {
	for name, c := range map[string]struct {
		config         string
		rate, channels int
		speakers       uint32
	}{
		"44.1 kHz":                 {"\x12\x10", 44100, 2, 0x3},
		"mono":                     {"\x12\x08", 44100, 1, 0x4},
		"5.1":                      {"\x11\xb0", 48000, 6, 0x3f},
		"7.1":                      {"\x11\xb8", 48000, 8, 0x63f},
		"without band replication": {"\x12\x10\x56\xe5\x00", 44100, 2, 0x3},
		"explicit rate":            {"\x17\x80\x57\x80\x10", 44800, 2, 0x3},
		"dependent on a core":      {"\x12\x12\x00\x08", 44100, 2, 0x3},
		"without the delay":        {"\x12\x12", 44100, 2, 0x3},
		"6.1":                      {"\x11\xd8", 48000, 7, 0x70f},
	} {
		config, err := ParseConfig([]byte(c.config))
		if err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
			continue
		}
		if config.Rate != c.rate || config.Channels() != c.channels || config.Speakers() != c.speakers {
			t.Errorf("%s: got %d Hz, %d channels, speakers %#x; want %d, %d, %#x",
				name, config.Rate, config.Channels(), config.Speakers(), c.rate, c.channels, c.speakers)
		}
	}
}

// A configuration may describe its channels instead of using a predefined number.
func TestParseDescribedChannels(t *testing.T) {
	w := &bitWriter{}
	w.put(0x1200, 16)
	w.program([3][]int{{1, 2}, nil, {2}}, 1)
	config, err := ParseConfig(w.data)
	if err != nil {
		t.Fatal(err)
	}
	if config.Rate != 44100 || config.Channels() != 6 || config.Speakers() != 0x3f {
		t.Errorf("got %d Hz, %d channels, speakers %#x; want 44100, 6, 0x3f",
			config.Rate, config.Channels(), config.Speakers())
	}
	for n := range w.data {
		if _, err := ParseConfig(w.data[:n]); err == nil {
			t.Errorf("configuration truncated to %d bytes: got no error, want one", n)
		}
	}
}

// program writes a program configuration element with elements of one and two channels at the
// front, the sides and the back, and a comment of one byte.
func (w *bitWriter) program(areas [3][]int, lows int) {
	w.put(0, 10)
	for _, area := range areas {
		w.put(len(area), 4)
	}
	w.put(lows, 2)
	w.put(0, 3+4+3)
	for _, area := range areas {
		for tag, width := range area {
			w.put(width-1, 1)
			w.put(tag, 4)
		}
	}
	for tag := range lows {
		w.put(tag, 4)
	}
	w.put(0, (8-w.used%8)%8)
	w.put(1, 8)
	w.put('a', 8)
}

func TestInvalidConfigsAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		config      string
		unsupported bool
	}{
		"empty":                     {"", true}, // object type 0
		"truncated":                 {"\x12", false},
		"LC followed by SBR":        {"\x13\x90\x56\xe5\xa0", true},
		"SBR":                       {"\x2b\x92\x08\x00", true},
		"parametric stereo":         {"\xeb\x09\x88\x00", true},
		"Main":                      {"\x0a\x10", true},
		"SSR":                       {"\x1a\x10", true},
		"LTP":                       {"\x22\x10", true},
		"an escaped object type":    {"\xf9\x48\x40", true},
		"frames of 960":             {"\x12\x14", true},
		"configuration 8":           {"\x12\x40", true},
		"invalid rate":              {"\x16\x90", false},
		"truncated description":     {"\x12\x00\x05\x08\x10", false},
		"description of no channel": {"\x12\x00\x05\x00\x00\x00\x00\x00\x00", true},
	} {
		if _, err := ParseConfig([]byte(c.config)); err == nil || errors.Is(err, ErrUnsupported) != c.unsupported {
			t.Errorf("%s: got %v, want an error, unsupported %v", name, err, c.unsupported)
		}
	}
	for name, c := range map[string][3]int{"Main": {0, 4, 2}, "no description": {1, 4, 0}} {
		if _, err := ConfigFromADTS(c[0], c[1], c[2], nil); !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: got %v, want %v", name, err, ErrUnsupported)
		}
	}
	if _, err := ConfigFromADTS(1, 13, 2, nil); err == nil {
		t.Error("invalid sample rate: got no error, want one")
	}
}

// TestSpeakersOfProgramConfigs tests layouts of elements at the front, the sides and the back; 1
// and 2 are their channels.
func TestSpeakersOfProgramConfigs(t *testing.T) {
	for name, c := range map[string]struct {
		areas [3][]int
		want  []uint32
	}{
		"5.0, centre first": {[3][]int{{1, 2}, nil, {2}},
			[]uint32{audio.FrontCenter, audio.FrontLeft, audio.FrontRight, audio.BackLeft, audio.BackRight}},
		"5.0, centre last": {[3][]int{{2, 1}, nil, {2}},
			[]uint32{audio.FrontLeft, audio.FrontRight, audio.FrontCenter, audio.BackLeft, audio.BackRight}},
		"two singles are pairs": {[3][]int{{1, 1}, nil, {1, 1}},
			[]uint32{audio.FrontLeft, audio.FrontRight, audio.BackLeft, audio.BackRight}},
		"two pairs in front": {[3][]int{{1, 2, 2}, nil, nil},
			[]uint32{audio.FrontCenter, audio.FrontLeftOfCenter, audio.FrontRightOfCenter, audio.FrontLeft, audio.FrontRight}},
		"two pairs behind": {[3][]int{{2}, nil, {2, 2}},
			[]uint32{audio.FrontLeft, audio.FrontRight, audio.SideLeft, audio.SideRight, audio.BackLeft, audio.BackRight}},
		"sides": {[3][]int{{2}, {2}, {1}}, []uint32{audio.FrontLeft, audio.FrontRight, audio.SideLeft,
			audio.SideRight, audio.BackCenter}},
		"a single side": {[3][]int{{2, 1}, {1}, {2, 2}},
			[]uint32{audio.FrontLeft, audio.FrontRight, audio.FrontCenter, audio.LowFrequency, audio.BackLeft,
				audio.BackRight, audio.SideLeft, audio.SideRight}},
		"three pairs in front": {[3][]int{{2, 2, 2}, nil, nil}, nil},
		"three singles":        {[3][]int{{1, 1, 1}, nil, nil}, nil},
		"sides twice":          {[3][]int{{2}, {2}, {2, 2}}, nil},
	} {
		w := &bitWriter{}
		w.program(c.areas, 0)
		for _, skip := range []bool{false, true} {
			r := &bitReader{data: w.data}
			if skip {
				skipProgram(r)
			} else {
				elements, err := readProgram(r)
				if (err != nil) != (c.want == nil) || err != nil && !errors.Is(err, ErrUnsupported) {
					t.Errorf("%s: got %v, want an unsupported layout %v", name, err, c.want == nil)
				}
				i := 0
				for _, e := range elements {
					for _, speaker := range e.speakers[:e.width()] {
						if speaker != c.want[i] {
							t.Errorf("%s: speaker of channel %d: got %#x, want %#x", name, i, speaker, c.want[i])
						}
						i++
					}
				}
			}
			if r.left() != 0 {
				t.Errorf("%s: unread bits: got %d, want 0", name, r.left())
			}
		}
	}
}

// TestWindowSlopes compares with the first numbers of single-precision tables, and checks that the
// squares of overlapping slopes add up to one.
func TestWindowSlopes(t *testing.T) {
	slopes := loadTables().slopes
	for _, c := range []struct {
		slope []float64
		want  [2]float64
	}{
		{slopes[1].long, [2]float64{0.00029256153896361, 0.00042998567353047}},
		{slopes[1].short, [2]float64{0.000043795702929469, 0.00011867384265436617}},
		{slopes[0].long, [2]float64{math.Sin(math.Pi / 4096), math.Sin(3 * math.Pi / 4096)}},
	} {
		for i, want := range c.want {
			if math.Abs(c.slope[i]/want-1) > 1e-7 {
				t.Errorf("slope %d: got %.17g, want %.17g", i, c.slope[i], want)
			}
		}
		for i, v := range c.slope {
			if w := c.slope[len(c.slope)-1-i]; math.Abs(v*v+w*w-1) > 1e-12 {
				t.Errorf("sum of squares at %d: got %g, want 1", i, v*v+w*w)
			}
		}
	}
}

// TestTransformEqualsDefinition compares with the direct sum of the definition.
func TestTransformEqualsDefinition(t *testing.T) {
	for _, n := range []int{shortLines, frameLines} {
		in, out := make([]float64, n), make([]float64, n)
		for i := range in {
			in[i] = math.Sin(float64(i*i%97)) * 1000
		}
		newTransform(n, 0.5).run(in, out)
		for i := range out {
			want := 0.0
			for k, v := range in {
				want += v * math.Cos(math.Pi/float64(n)*(float64(i)+0.5)*(float64(k)+0.5)) / 2
			}
			if math.Abs(out[i]-want) > 1e-7 {
				t.Fatalf("output %d of %d: got %g, want %g", i, n, out[i], want)
			}
		}
	}
}
