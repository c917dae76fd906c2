package flac

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// mended is a file together with the places of its frames; mend makes all their checksums true
// again after a change, so that damage reaches the parts behind them.
type mended struct {
	file  []byte
	marks []int
}

func newMended(seed uint64, channels, depth int, variable bool) mended {
	rng := rand.New(rand.NewPCG(seed, 1))
	e := encoder{rng: rng, rate: 44100, channels: channels, depth: depth, variable: variable, blockSize: 256}
	file := e.encode(music(rng, channels, depth, 3000))
	return mended{file, append(e.marks, len(file))}
}

func (m mended) mend(file []byte) {
	for i := 1; i < len(m.marks) && m.marks[i] <= len(file); i++ {
		frame := file[m.marks[i-1]:m.marks[i]]
		for n := 5; n < maxHeader && n < len(frame)-3; n++ { // the header's length is not known after damage: try
			was := frame[n]
			frame[n] = crc8(frame[:n])
			if _, ok := parseHeader(append(bytes.Clone(frame), make([]byte, maxHeader)...)); ok {
				break
			}
			frame[n] = was
		}
		binary.BigEndian.PutUint16(frame[len(frame)-2:], crc16(frame[:len(frame)-2]))
	}
}

// use plays a file for a while, seeks in it and plays again. Errors are fine.
func use(file []byte, seeks ...int64) {
	d, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return
	}
	buf := make([]float32, 1000*d.Channels)
	play := func(portions int) {
		for range portions {
			if _, err := d.Read(buf); err != nil {
				return
			}
		}
	}
	play(50)
	for _, target := range seeks {
		if d.SeekTo(target) == nil {
			play(3)
		}
	}
	_ = d.Close() // has nothing to tell
}

// TestMendedDamage changes files behind the back of their checksums, half of them in the same
// places in every run: no panic, no hang, no memory out of proportion.
func TestMendedDamage(t *testing.T) {
	fixed := rand.New(rand.NewPCG(11, 12))
	fresh := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	each := testenv.Size(100, 500, 2500)
	var before, after runtime.MemStats
	var slowest time.Duration
	kinds := []mended{newMended(1, 2, 16, false), newMended(2, 2, 32, true), newMended(3, 8, 24, false), newMended(4, 1, 8, true)}
	for _, m := range kinds {
		for i := range each {
			rng := fixed
			if i >= each/2 {
				rng = fresh
			}
			file := bytes.Clone(m.file)
			for range 1 + rng.IntN(6) {
				at := 8 + rng.IntN(len(file)-8)
				if frame := m.marks[rng.IntN(len(m.marks)-1)]; rng.IntN(2) == 0 {
					at = min(frame+rng.IntN(24), len(file)-1) // headers and the first subframe decide most
				}
				file[at] = []byte{0, 0xFF, 0x7F, byte(rng.Uint32()), file[at] ^ 1<<rng.IntN(8)}[rng.IntN(5)]
			}
			m.mend(file)
			runtime.ReadMemStats(&before)
			start := time.Now()
			use(file, rng.Int64N(3001), rng.Int64N(3001), 0, 2999, 3000)
			slowest = max(slowest, time.Since(start))
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 32<<20 {
				t.Fatalf("change %d allocates %d bytes for a file of %d", i, spent, len(file))
			}
		}
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{Inputs: len(kinds) * each, Note: fmt.Sprintf("FLAC of %d kinds with its checksums mended; slowest %v", len(kinds), slowest.Round(time.Millisecond))})
	if slowest > 10*time.Second {
		t.Errorf("a file of a few kilobytes took %v", slowest)
	}
}

func FuzzDecode(f *testing.F) {
	m := newMended(1, 2, 16, false)
	f.Add(m.file)
	f.Add(newMended(2, 1, 32, true).file)
	f.Fuzz(func(t *testing.T, file []byte) {
		testenv.CheckCost(t, func() {
			use(file, 100, 2000, 0)
			file = bytes.Clone(file)
			m.mend(file)
			use(file, 100, 2000, 0)
		})
	})
}
