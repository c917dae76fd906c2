package decode

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// thorough selects the long form of the tests of Vorbis, Opus, AAC and ALAC: 2,000 damaged files of
// each kind, seeks to 50 positions in every file, all variants of the settings of encoders.
var thorough = flag.Bool("thorough", false, "take minutes instead of seconds")

const (
	damageTime   = 10 * time.Second // for one file
	damageMemory = 192 << 20        // allocated in total for one small file
)

// damage changes a few bytes in a copy of file, in half of the cases only in its second half, which
// has audio and no headers, and corrects the checksums.
func damage(rng *rand.Rand, file []byte) []byte {
	out := bytes.Clone(file)
	lowest := rng.IntN(2) * len(out) / 2
	for range 1 + rng.IntN(8) {
		if len(out) <= lowest {
			break
		}
		at := lowest + rng.IntN(len(out)-lowest)
		switch rng.IntN(6) {
		case 0:
			out[at] ^= 1 << rng.IntN(8)
		case 1:
			out[at] = byte(rng.Uint32())
		case 2:
			out[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[rng.IntN(5)]
		case 3:
			for i := at; i < min(at+4, len(out)); i++ {
				out[i] = 0xff
			}
		case 4:
			n := min(rng.IntN(64), len(out)-at)
			copy(out[at:at+n], out[rng.IntN(len(out)-n+1):])
		case 5:
			if rng.IntN(8) == 0 && at > 0 {
				out = out[:at]
			}
		}
	}
	testenv.FixChecksums(out, file)
	return out
}

// exercise opens a file, reads and seeks like a player. It ignores errors of the source and returns
// violations of its contract.
func exercise(open opener, data []byte, rng *rand.Rand) error {
	source, err := open(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	info := source.Info()
	if info.Channels < 1 || info.Channels > 8 || info.Rate < 1 || info.Frames < -1 {
		return errors.New("invalid Info")
	}
	dst := make([]float32, 1000*info.Channels)
	read := func(portions int) error {
		for range portions {
			n, err := source.Read(dst)
			if n < 0 || n > 1000 || (n == 0) == (err == nil) {
				return errors.New("Read violates its contract")
			}
			if err != nil {
				break
			}
		}
		return nil
	}
	if err := read(100); err != nil {
		return err
	}
	end := info.Frames
	if end < 0 { // unknown
		end = 10_000
	}
	for range 4 {
		if source.SeekTo(rng.Int64N(min(end, math.MaxInt64-1)+1)) != nil {
			continue
		}
		if err := read(5); err != nil {
			return err
		}
	}
	if info.Frames > 0 && source.SeekTo(info.Frames) == nil {
		if _, err := source.Read(dst); err != io.EOF {
			return errors.New("Read after a seek to the end does not return io.EOF")
		}
	}
	return source.Close()
}

// survive decodes damaged files: half of them the same in every run, half of them random.
func survive(t *testing.T, open opener, file []byte) {
	t.Helper()
	damages := testenv.Size(10, 150, 2000)
	if *thorough {
		damages = 2000
	}
	rng := rand.New(rand.NewPCG(3, uint64(len(file))))
	random := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	var before, after runtime.MemStats
	var slowest time.Duration
	var largest uint64
	opened := 0
	counting := func(in audio.Input) (audio.Source, error) {
		source, err := open(in)
		if err == nil {
			opened++
		}
		return source, err
	}
	for i := range damages {
		if i == damages/2 {
			rng = random
		}
		data := damage(rng, file)
		runtime.ReadMemStats(&before)
		watch := testenv.StartWatch()
		if err := exercise(counting, data, rng); err != nil {
			t.Fatalf("file %d: %v", i, err)
		}
		took := watch.Elapsed()
		runtime.ReadMemStats(&after)
		slowest = max(slowest, took)
		largest = max(largest, after.TotalAlloc-before.TotalAlloc)
		if took > damageTime {
			t.Fatalf("file %d took %v, want at most %v", i, took, damageTime)
		}
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{
		Inputs: damages,
		Note: fmt.Sprintf("%d of %d opened; slowest %v, at most %d KiB allocated",
			opened, damages, slowest.Round(time.Millisecond), largest>>10),
	})
	if largest > damageMemory {
		t.Errorf("got %d MiB allocated for a file of %d bytes, want at most %d", largest>>20, len(file), damageMemory>>20)
	}
}

func TestDamagedVorbis(t *testing.T) {
	survive(t, openOgg, vorbisFile(t, 44100, 2, 10000))
}

func TestDamagedSurroundVorbis(t *testing.T) {
	survive(t, openOgg, vorbisFile(t, 44100, 6, 5000))
}

func TestDamagedOpus(t *testing.T) {
	survive(t, openOgg, opusFile(t, 10000, "-b:a", "48k"))
}

func TestDamagedSpeechOpus(t *testing.T) {
	survive(t, openOgg, opusFile(t, 20000, "-b:a", "14k", "-application", "voip"))
}

func TestDamagedALAC(t *testing.T) {
	survive(t, openMP4, mp4FileOf(t, 44100, 2, 10000, "alac"))
}

func TestDamagedAAC(t *testing.T) {
	survive(t, openMP4, mp4FileOf(t, 44100, 2, 10000, "aac"))
}

func TestDamagedSurroundAAC(t *testing.T) {
	survive(t, openMP4, mp4FileOf(t, 44100, 6, 5000, "aac"))
}

func TestDamagedFragments(t *testing.T) {
	survive(t, openMP4, mp4FileOf(t, 44100, 2, 10000, "aac",
		"-movflags", "+frag_keyframe+empty_moov", "-frag_duration", "50000"))
}

func TestDamagedADTS(t *testing.T) {
	survive(t, openADTS, adtsFile(t, 10000))
}

func fuzz(f *testing.F, open opener, fix func([]byte), seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if fix != nil {
			data = bytes.Clone(data)
			fix(data)
		}
		testenv.CheckCost(t, func() {
			if err := exercise(open, data, rand.New(rand.NewPCG(1, uint64(len(data))))); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func FuzzVorbis(f *testing.F) {
	fuzz(f, openOgg, testenv.FixOggChecksums, vorbisFile(f, 44100, 2, 3000), vorbisFile(f, 8000, 1, 3000))
}

func FuzzOpus(f *testing.F) {
	fuzz(f, openOgg, testenv.FixOggChecksums, opusFile(f, 3000), opusFile(f, 3000, "-application", "voip", "-b:a", "12k"))
}

func FuzzMP4(f *testing.F) {
	fuzz(f, openMP4, nil, mp4FileOf(f, 44100, 2, 3000, "alac"), mp4FileOf(f, 44100, 2, 3000, "aac"),
		mp4FileOf(f, 44100, 1, 3000, "aac", "-movflags", "+frag_keyframe+empty_moov"), mp4FileOf(f, 48000, 6, 3000, "aac"))
}

func FuzzADTS(f *testing.F) { fuzz(f, openADTS, nil, adtsFile(f, 3000)) }
