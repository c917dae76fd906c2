package aac

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"waxwing/internal/testenv"
)

// mutations is small by default; a hundred thousand take a minute.
var mutations = flag.Int("mutations", 1000, "number of damaged packets in TestMutations")

// consume decodes a packet twice in a row and returns violations of the decoder's contract.
// Rejecting the packet is none.
func consume(d *Decoder, packet []byte) error {
	for range 2 {
		samples, err := d.Decode(packet)
		if err != nil {
			continue
		}
		if len(samples) != FrameSize*len(d.slots) {
			return fmt.Errorf("samples: got %d, want %d", len(samples), FrameSize*len(d.slots))
		}
		invalid := func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }
		if i := slices.IndexFunc(samples, invalid); i >= 0 {
			return fmt.Errorf("sample %d: got %v, want a finite number", i, samples[i])
		}
	}
	return nil
}

// seeds returns packets that use all features of the format, and decoders for them.
func seeds(t testing.TB, each int) (decoders []*Decoder, packets [][][]byte) {
	t.Helper()
	for _, channels := range []int{1, 2, 6, 7} {
		config, err := ConfigFromADTS(objectLC-1, 4, channels, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := newWriter(config, uint64(channels))
		w.noise = true
		var some [][]byte
		for range each {
			some = append(some, w.packet())
		}
		decoders, packets = append(decoders, NewDecoder(config)), append(packets, some)
	}
	return decoders, packets
}

func TestMutations(t *testing.T) {
	decoders, packets := seeds(t, 10)
	rng := rand.New(rand.NewPCG(11, 13))
	decoded := 0
	for i := range *mutations {
		kind := i % len(decoders)
		packet := bytes.Clone(packets[kind][rng.IntN(len(packets[kind]))])
		for range 1 + rng.IntN(4) {
			switch at := rng.IntN(len(packet)); rng.IntN(5) {
			case 0, 1:
				packet[at] ^= 1 << rng.IntN(8)
			case 2:
				packet[at] = byte(rng.IntN(256))
			case 3:
				for j := at; j < min(at+16, len(packet)); j++ {
					packet[j] = byte(rng.IntN(256))
				}
			case 4:
				packet = packet[:at+1]
			}
		}
		if err := consume(decoders[kind], packet); err != nil {
			t.Fatalf("mutation %d: %v", i, err)
		}
		if _, err := decoders[kind].Decode(packet); err == nil {
			decoded++
		}
	}
	t.Logf("%d of %d damaged packets were decoded without an error", decoded, *mutations)
	if decoded == 0 || decoded == *mutations {
		t.Errorf("decoded packets: got %d of %d, want some but not all", decoded, *mutations)
	}
}

func FuzzDecode(f *testing.F) {
	decoders, packets := seeds(f, 2)
	for kind := range decoders {
		for _, p := range packets[kind] {
			f.Add(byte(kind), p)
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, packet []byte) {
		testenv.CheckCost(t, func() {
			if err := consume(decoders[int(kind)%len(decoders)], packet); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("\x12\x10\x56\xe5\x00"), []byte{0x21})
	f.Add([]byte("\x12\x00\x05\x08\x10\x00\x08\x00\x00\x20\x00"), []byte{0x21})
	f.Fuzz(func(t *testing.T, data, packet []byte) {
		testenv.CheckCost(t, func() {
			config, err := ParseConfig(data)
			if err != nil {
				return
			}
			if n := config.Channels(); n < 1 || n > maxChannels {
				t.Fatalf("channels: got %d, want 1 to %d", n, maxChannels)
			}
			if err := consume(NewDecoder(config), packet); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// TestDecodeDoesNotAllocate: decoding runs for hours.
func TestDecodeDoesNotAllocate(t *testing.T) {
	decoders, packets := seeds(t, 10)
	for kind, d := range decoders {
		if n := testing.AllocsPerRun(3, func() {
			for _, p := range packets[kind] {
				if _, err := d.Decode(p); err != nil {
					t.Fatal(err)
				}
			}
		}); n > 0 {
			t.Errorf("allocations for %d packets of %d channels: got %v, want 0", len(packets[kind]), len(d.slots), n)
		}
	}
}
