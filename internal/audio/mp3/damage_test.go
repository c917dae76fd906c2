package mp3

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/media/mediatest"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/testenv"
)

// mutations is 0 for the default number of the short or long form; a hundred thousand take half a
// minute without the race detector.
var mutations = flag.Int("mutations", 0, "number of damaged files in TestMutations")

// consume opens data, reads it to the end, and again from a fraction of its length. It returns
// violations of the contract of audio.Source; rejecting the file is none.
func consume(data []byte, part float64) error {
	d, err := Open(&memory{data: data})
	if err != nil {
		return nil
	}
	info := d.Info()
	if info.Frames < 0 || info.Frames > int64(len(data)+mpeg.MaxFrame)*1152 || info.Channels < 1 ||
		info.Channels > 2 || info.Rate < 8000 || info.Rate > 48000 {
		return fmt.Errorf("info: got %+v, want values that the file allows", info)
	}
	// The check above limits the silence for missing frames; a part of it is enough here.
	limit := min(info.Frames, 100_000)
	whole := make([]float32, 0, limit*int64(info.Channels))
	buf := make([]float32, 1000*info.Channels)
	for int64(len(whole)) < limit*int64(info.Channels) {
		n, err := d.Read(buf)
		if err != nil || n <= 0 {
			return fmt.Errorf("read after %d of %d frames: got %d, want more: %w", len(whole)/info.Channels, info.Frames, n, err)
		}
		whole = append(whole, buf[:n*info.Channels]...)
	}
	for i, v := range whole {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("sample %d: got %v, want a finite number", i, v)
		}
	}
	if limit == info.Frames {
		if n, err := d.Read(buf); n != 0 || err != io.EOF {
			return fmt.Errorf("read after the end: got %d frames, error %w; want EOF", n, err)
		}
	}
	to := int64(part * float64(limit))
	if to >= limit {
		return nil
	}
	if err := d.SeekTo(to); err != nil {
		return err
	}
	n, err := d.Read(buf)
	if err != nil {
		return err
	}
	want := whole[to*int64(info.Channels):]
	if size := min(n*info.Channels, len(want)); !slices.Equal(buf[:size], want[:size]) {
		return fmt.Errorf("samples after a seek to %d of %d differ from those read before", to, info.Frames)
	}
	return nil
}

// smallFiles returns files of a few frames that use all features of the format.
func smallFiles(t testing.TB) [][]byte {
	tag := mediatest.ID3Tag(3, 0x80, []byte("TXXX\x00\x00\x00\x0a\x00\x00\x00key\x00value"))
	tag4 := mediatest.ID3Tag(4, 0x10, []byte("TXXX\x00\x00\x00\x0a\x00\x00\x03key\x00value"))
	intensity := lame(t, 0.1, 2, 44100, "-t", "-m", "j", "-b", "96")
	for i := 0; i+4 < len(intensity); i++ {
		if _, ok := mpeg.ParseHeader(intensity[i:]); ok {
			intensity[i+3] |= 0x10
		}
	}
	return [][]byte{
		lame(t, 0.1, 2, 44100, "-b", "128"),
		append(tag, lame(t, 0.1, 2, 48000, "-V", "5")...),
		lame(t, 0.15, 1, 8000, "-b", "8"),
		append(tag4, lame(t, 0.1, 2, 22050, "-b", "32", "-p")...),
		lame(t, 0.1, 2, 16000, "-t", "-b", "24"),
		lame(t, 0.05, 2, 44100, "--freeformat", "-b", "330"),
		append(lame(t, 0.1, 1, 32000, "-t", "-b", "48"), append([]byte("APETAGEX\xd0\x07\x00\x00\x20\x00\x00\x00"),
			make([]byte, 16)...)...),
		intensity,
	}
}

func mutate(rng *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	for range 1 + rng.IntN(8) {
		if len(out) < 8 {
			return out
		}
		at := rng.IntN(len(out))
		if rng.IntN(3) == 0 {
			at = rng.IntN(min(len(out), 64)) // headers have the most effect
		}
		n := min(1+rng.IntN(64), len(out)-at)
		switch rng.IntN(8) {
		case 0, 1, 2:
			out[at] ^= 1 << rng.IntN(8)
		case 3:
			out[at] = byte(rng.IntN(256))
		case 4:
			for i := range n {
				out[at+i] = byte(rng.IntN(256))
			}
		case 5:
			out = slices.Delete(out, at, at+n)
		case 6:
			out = slices.Insert(out, at, bytes.Clone(out[at:at+n])...)
		case 7:
			if rng.IntN(4) == 0 {
				out = out[:at]
			} else {
				clear(out[at : at+n])
			}
		}
	}
	return out
}

// TestMutations decodes damaged files: half of them the same in every run, half of them random.
func TestMutations(t *testing.T) {
	files := smallFiles(t)
	rng := rand.New(rand.NewPCG(11, 13))
	fresh := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	damages := *mutations
	if damages == 0 {
		damages = testenv.Size(300, 4_000, 100_000)
	}
	opened := 0
	for i := range damages {
		if i == damages/2 {
			rng = fresh
		}
		data := mutate(rng, files[i%len(files)])
		if _, err := Open(&memory{data: data}); err == nil {
			opened++
		}
		if err := consume(data, rng.Float64()); err != nil {
			t.Fatalf("mutation %d: %v", i, err)
		}
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{Inputs: damages,
		Note: fmt.Sprintf("MP3 of %d kinds: %d of %d opened, read to their ends and again after a seek", len(files),
			opened, damages)})
}

func FuzzOpen(f *testing.F) {
	for _, data := range smallFiles(f) {
		f.Add(data, 0.5)
	}
	f.Fuzz(func(t *testing.T, data []byte, part float64) {
		if !(part >= 0 && part <= 1) || len(data) > 1<<16 {
			return
		}
		testenv.CheckCost(t, func() {
			if err := consume(data, part); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func TestFilesWithoutMP3AreRejected(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	random := make([]byte, 1<<20)
	for i := range random {
		random[i] = byte(rng.IntN(256))
	}
	layer2 := bytes.Repeat(append([]byte{0xff, 0xfd, 0x84, 0x00}, make([]byte, 413)...), 10)
	for name, data := range map[string][]byte{
		"nothing": nil, "a byte": {0xff}, "text": bytes.Repeat([]byte("la la "), 1000),
		"noise": random, "sync only": bytes.Repeat([]byte{0xff}, 1<<20),
		"only a tag": mediatest.ID3Tag(3, 0), "Layer II": layer2, "zeros": make([]byte, 1<<20),
	} {
		if _, err := Open(&memory{data: data}); !errors.Is(err, audio.ErrUnsupported) {
			t.Errorf("%s: got %v, want %v", name, err, audio.ErrUnsupported)
		}
	}
	// A file with correct headers and invalid side information is a damaged MP3.
	for name, frame := range map[string][]byte{
		"nothing":               append([]byte{0xff, 0xfb, 0x90, 0x00}, bytes.Repeat([]byte{0xff}, 413)...),
		"headers of many kinds": {0xff, 0xfb, 0x00, 0x00, 0xff, 0xf3, 0x04, 0x00},
	} {
		if _, err := Open(&memory{data: bytes.Repeat(frame, 1<<12)}); !errors.Is(err, errDamaged) {
			t.Errorf("frames of %s: got %v, want %v", name, err, errDamaged)
		}
	}
}

// broken is an input whose reads after an offset fail until recovered is set.
type broken struct {
	memory
	from      int64
	recovered bool
}

var errBroken = errors.New("connection lost")

func (b *broken) ReadAt(p []byte, off int64) (int, error) {
	if !b.recovered && off+int64(len(p)) > b.from {
		n, _ := b.memory.ReadAt(p[:max(0, min(int64(len(p)), b.from-off))], off)
		return n, errBroken
	}
	return b.memory.ReadAt(p, off)
}

// TestReadErrorsAreReturnedAndRecoverable: a read error is not the end of the file; reading
// continues once the input works again.
func TestReadErrorsAreReturnedAndRecoverable(t *testing.T) {
	data := lame(t, 3, 2, 44100, "-V", "4")
	want := readAll(t, open(t, data))
	in := &broken{memory: memory{data: data}, from: int64(len(data)) / 2}
	d, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []float32
	buf := make([]float32, 2000)
	for {
		n, err := d.Read(buf)
		if errors.Is(err, errBroken) {
			break
		} else if err != nil {
			t.Fatalf("read after %d samples: got %v, want %v", len(got), err, errBroken)
		}
		got = append(got, buf[:2*n]...)
	}
	if err := d.SeekTo(d.info.Frames - 1000); !errors.Is(err, errBroken) {
		t.Errorf("seek past the failing offset: got %v, want %v", err, errBroken)
	}
	in.recovered = true
	got = append(got, readAll(t, d)...)
	if !slices.Equal(got, want) {
		t.Errorf("samples after recovery: got %d, want the same %d as without an error", len(got), len(want))
	}
	in.recovered = false
	if _, err := Open(&broken{memory: memory{data: data}, from: 10}); !errors.Is(err, errBroken) {
		t.Errorf("Open of a failing input: got %v, want %v", err, errBroken)
	}
}
