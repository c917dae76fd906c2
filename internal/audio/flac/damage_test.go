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

// sample is a file and the offsets of its frames.
type sample struct {
	file  []byte
	marks []int
}

func newSample(seed uint64, channels, depth int, variable bool) sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	e := encoder{rng: rng, rate: 44100, channels: channels, depth: depth, variable: variable, blockSize: 256}
	file := e.encode(music(rng, channels, depth, 3000))
	return sample{file, append(e.marks, len(file))}
}

// fixChecksums corrects the checksums of a changed copy of the file, so that the decoder uses the
// damaged data.
func (m sample) fixChecksums(file []byte) {
	for i := 1; i < len(m.marks) && m.marks[i] <= len(file); i++ {
		frame := file[m.marks[i-1]:m.marks[i]]
		for n := 5; n < maxHeader && n < len(frame)-3; n++ { // the length of a damaged header is unknown
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

// use reads some of a file and seeks in it. Errors are ignored.
func use(file []byte, seeks ...int64) {
	d, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return
	}
	buf := make([]float32, 1000*d.Channels)
	read := func(portions int) {
		for range portions {
			if _, err := d.Read(buf); err != nil {
				return
			}
		}
	}
	read(50)
	for _, target := range seeks {
		if d.SeekTo(target) == nil {
			read(3)
		}
	}
	_ = d.Close() // always nil
}

// The damaged files have correct checksums. Half of them are the same in every run.
func TestDamagedFilesCauseNoPanicAndBoundedCost(t *testing.T) {
	fixed := rand.New(rand.NewPCG(11, 12))
	random := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	each := testenv.Size(30, 500, 2500)
	var before, after runtime.MemStats
	var slowest time.Duration
	kinds := []sample{
		newSample(1, 2, 16, false), newSample(2, 2, 32, true), newSample(3, 8, 24, false), newSample(4, 1, 8, true),
	}
	for _, m := range kinds {
		for i := range each {
			rng := fixed
			if i >= each/2 {
				rng = random
			}
			file := bytes.Clone(m.file)
			for range 1 + rng.IntN(6) {
				at := 8 + rng.IntN(len(file)-8)
				if frame := m.marks[rng.IntN(len(m.marks)-1)]; rng.IntN(2) == 0 {
					at = min(frame+rng.IntN(24), len(file)-1) // headers and first subframes have the most effect
				}
				file[at] = []byte{0, 0xFF, 0x7F, byte(rng.Uint32()), file[at] ^ 1<<rng.IntN(8)}[rng.IntN(5)]
			}
			m.fixChecksums(file)
			runtime.ReadMemStats(&before)
			watch := testenv.StartWatch()
			use(file, rng.Int64N(3001), rng.Int64N(3001), 0, 2999, 3000)
			slowest = max(slowest, watch.Elapsed())
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 32<<20 {
				t.Fatalf("file %d of %d bytes: got %d bytes allocated, want at most %d", i, len(file), spent, 32<<20)
			}
		}
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{
		Inputs: len(kinds) * each,
		Note: fmt.Sprintf("FLAC of %d kinds with corrected checksums; slowest %v",
			len(kinds), slowest.Round(time.Millisecond)),
	})
	if slowest > 10*time.Second {
		t.Errorf("the slowest file took %v, want at most 10s", slowest)
	}
}

func FuzzDecode(f *testing.F) {
	m := newSample(1, 2, 16, false)
	f.Add(m.file)
	f.Add(newSample(2, 1, 32, true).file)
	f.Fuzz(func(t *testing.T, file []byte) {
		testenv.CheckCost(t, func() {
			use(file, 100, 2000, 0)
			file = bytes.Clone(file)
			m.fixChecksums(file)
			use(file, 100, 2000, 0)
		})
	})
}
