package alac

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"waxwing/internal/testenv"
)

// config returns the configuration that encoders write.
func config(frames, depth, channels int) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(frames))
	c = append(c, 0, byte(depth), 40, 10, 14, byte(channels), 0, 255)
	c = append(c, make([]byte, 8)...)
	return binary.BigEndian.AppendUint32(c, 44100)
}

// bitWriter writes the bits that bitReader reads.
type bitWriter struct {
	data []byte
	used int
}

func (w *bitWriter) put(value uint32, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.used%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.used/8] |= byte(value>>i&1) << (7 - w.used%8)
		w.used++
	}
}

// golomb writes a number that the function of the same name reads.
func (w *bitWriter) golomb(value uint32, k int, unit uint32, escape int) {
	ones := value / unit
	if ones >= maxOnes {
		w.put(1<<maxOnes-1, maxOnes)
		w.put(value, escape)
		return
	}
	w.put(1<<ones-1, int(ones))
	w.put(0, 1)
	rest := value % unit
	switch {
	case k == 1:
	case rest == 0:
		w.put(0, k-1)
	default:
		w.put(rest+1, k)
	}
}

// rice writes a number that rice.read reads.
func (w *bitWriter) rice(c rice, residuals []int32) {
	mean, afterRun := c.history, uint32(0)
	for i := 0; i < len(residuals); {
		k := min(bits.Len32(mean>>riceUnit+3)-1, c.limit)
		value := uint32(residuals[i]<<1 ^ residuals[i]>>31)
		i++
		w.golomb(value-afterRun, k, 1<<k-1, c.escapeTo)
		mean += c.rate*value - c.rate*mean>>riceUnit
		if value-afterRun > 0xffff {
			mean = 0xffff
		}
		afterRun = 0
		if mean<<2 >= 1<<riceUnit || i == len(residuals) {
			continue
		}
		run := 0
		for i+run < len(residuals) && residuals[i+run] == 0 {
			run++
		}
		k = bits.LeadingZeros32(mean) - 24 + int((mean+16)>>6)
		w.golomb(uint32(run), k, (1<<k-1)&(1<<c.limit-1), maxRun)
		i += run
		mean, afterRun = 0, 1
	}
}

// compress writes one packet of one or two channels, without prediction or mixing.
func compress(samples [][]int32, depth, shift int) []byte {
	w := &bitWriter{}
	width := len(samples)
	w.put(uint32(width-1), 3)
	w.put(0, 4+12)
	w.put(1, 1)
	w.put(uint32(shift/8), 2)
	w.put(0, 1)
	w.put(uint32(len(samples[0])), 32)
	w.put(0, 16)
	for range width {
		w.put(0, 8)
		w.put(4<<5, 8)
	}
	if shift > 0 {
		for i := range samples[0] {
			for _, s := range samples {
				w.put(uint32(s[i])&(1<<shift-1), shift)
			}
		}
	}
	for _, s := range samples {
		high := slices.Clone(s)
		for i := range high {
			high[i] >>= shift
		}
		w.rice(rice{10, 40, 14, depth - shift + width - 1}, high)
	}
	w.put(end, 3)
	return w.data
}

// verbatim writes one packet without compression.
func verbatim(samples [][]int32, depth int) []byte {
	w := &bitWriter{}
	w.put(fill, 3)
	w.put(2, 4)
	w.put(0xabcd, 16)
	w.put(uint32(len(samples)-1), 3)
	w.put(0, 4+12)
	w.put(0b1001, 4)
	w.put(uint32(len(samples[0])), 32)
	for i := range samples[0] {
		for _, s := range samples {
			w.put(uint32(s[i]), depth)
		}
	}
	return w.data
}

func TestDecodesEveryDepth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, depth := range []int{16, 20, 24, 32} {
		for _, channels := range []int{1, 2} {
			samples := make([][]int32, channels)
			for ch := range samples {
				samples[ch] = make([]int32, 600)
				for i := range samples[ch] {
					if i%200 < 120 { // with silence, and values of all sizes
						samples[ch][i] = int32(rng.Uint32()) >> (32 - depth) >> rng.IntN(depth)
					}
				}
			}
			packets := map[string][]byte{"verbatim": verbatim(samples, depth)}
			if depth < 32 {
				packets["compressed"] = compress(samples, depth, 0)
			}
			if depth > 16 {
				packets["with low bits apart"] = compress(samples, depth, 8)
				packets["with more low bits apart"] = compress(samples, depth, 16)
			}
			for name, packet := range packets {
				d, err := NewDecoder(config(4096, depth, channels))
				if err != nil {
					t.Fatal(err)
				}
				out := make([]int32, 4096*channels)
				n, err := d.Decode(packet, out)
				if err != nil || n != 600 {
					t.Errorf("%d bits, %d channels, %s: got %d frames and %v, want 600", depth, channels, name, n, err)
					continue
				}
				for i := range n {
					for ch := range channels {
						if out[i*channels+ch] != samples[ch][i] {
							t.Fatalf("%d bits, %d channels, %s: sample %d of channel %d is %d, want %d",
								depth, channels, name, i, ch, out[i*channels+ch], samples[ch][i])
						}
					}
				}
			}
		}
	}
}

func TestInvalidConfigIsRejected(t *testing.T) {
	for name, c := range map[string]struct {
		config      []byte
		unsupported bool
	}{
		"short":         {config: config(4096, 16, 2)[:23]},
		"17 bits":       {config: config(4096, 17, 2)},
		"no channels":   {config: config(4096, 16, 0)},
		"no frames":     {config: config(0, 16, 2)},
		"9 channels":    {config: config(4096, 16, 9), unsupported: true},
		"large packets": {config: config(1<<30, 16, 2), unsupported: true},
	} {
		if _, err := NewDecoder(c.config); err == nil || errors.Is(err, ErrUnsupported) != c.unsupported {
			t.Errorf("%s: got %v, want an error, unsupported %v", name, err, c.unsupported)
		}
	}
}

func TestInvalidPacketsAreRejected(t *testing.T) {
	silence := [][]int32{make([]int32, 100), make([]int32, 100)}
	good := compress(silence, 16, 0)
	d, err := NewDecoder(config(64, 16, 2))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int32, 128)
	for name, packet := range map[string][]byte{
		"empty":                    {},
		"more frames than allowed": good,
		"another element":          {coupled << 5, 0, 0, 0},
		"only the end":             {end << 5},
		"one channel":              compress(silence[:1], 16, 0),
		"truncated":                verbatim([][]int32{silence[0][:50], silence[1][:50]}, 16)[:100],
	} {
		if n, err := d.Decode(packet, out); err == nil {
			t.Errorf("%s: got %d frames, want an error", name, n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := [][]int32{make([]int32, 64), make([]int32, 64)}
	for i := range samples[0] {
		samples[0][i], samples[1][i] = rng.Int32N(1000), -rng.Int32N(1000)
	}
	for _, depth := range []byte{16, 20, 24, 32} {
		f.Add(depth, byte(2), compress(samples, int(depth), 8))
		f.Add(depth, byte(2), verbatim(samples, int(depth)))
	}
	f.Fuzz(func(t *testing.T, depth, channels byte, packet []byte) {
		testenv.CheckCost(t, func() {
			d, err := NewDecoder(config(256, int(depth), int(channels)))
			if err != nil {
				return
			}
			if n, err := d.Decode(packet, make([]int32, 256*d.Channels())); err == nil && (n < 1 || n > 256) {
				t.Fatalf("frames: got %d, want 1 to 256", n)
			}
		})
	})
}
