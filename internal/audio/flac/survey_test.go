package flac

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkPlays reads the whole file and then seeks in it.
func checkPlays(t *testing.T, d *Decoder, want []float32) {
	t.Helper()
	frames := len(want) / d.Channels
	if d.Frames != int64(frames) {
		t.Fatalf("got a length of %d frames, want %d", d.Frames, frames)
	}
	same(t, read(t, d, frames+1), want)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		target := rng.IntN(frames + 1)
		if err := d.SeekTo(int64(target)); err != nil {
			t.Fatal(err)
		}
		end := min(target+700, frames)
		same(t, read(t, d, end-target), want[target*d.Channels:end*d.Channels])
	}
}

func TestFalseMetadataDoNotShortenPlayback(t *testing.T) {
	for name, e := range map[string]encoder{
		"old numbering by samples":  {variable: true, old: true, blockSize: 576},
		"declared blocks too small": {blockSize: 1152, declared: 192},
		"declared blocks too large": {blockSize: 192, declared: 4096},
		"declared length too short": {blockSize: 576, total: 4000},
		"short length, old numbers": {variable: true, old: true, blockSize: 576, total: 4000},
		"blocks of 65,536 samples":  {blockSize: 65536, declared: 65535},
		"blocks of one sample":      {blockSize: 1},
	} {
		t.Run(name, func(t *testing.T) {
			e.rng, e.rate, e.channels, e.depth = rand.New(rand.NewPCG(3, 1)), 44100, 2, 16
			frames := 30000
			if e.blockSize > 60000 {
				frames = 150000
			} else if e.blockSize == 1 {
				frames = 300
			}
			samples := music(e.rng, 2, 16, frames)
			checkPlays(t, open(t, e.encode(samples)), floats(samples, 16))
		})
	}
}

func TestFirstFrameOverridesStreamInfo(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	e := encoder{rng: rng, rate: 48000, channels: 1, depth: 16, blockSize: 576, explicit: true}
	samples := music(rng, 1, 16, 5000)
	file := e.encode(samples)
	info := file[8:]
	info[10], info[11], info[12] = 0x0A, 0xC4, 0x48|info[12]&1 // 44,100 Hz, 5 channels
	info[12], info[13] = info[12]|1, info[13]|0x70             // 24 bits
	d := open(t, file)
	if d.Rate != 48000 || d.Channels != 1 || d.Depth != 16 {
		t.Errorf("got %d Hz, %d channels, %d bits; want 48000, 1, 16", d.Rate, d.Channels, d.Depth)
	}
	checkPlays(t, d, floats(samples, 16))
}

// appendFrames adds the frames of another stream to a file, without its metadata.
func appendFrames(file []byte, e encoder, samples [][]int64) []byte {
	other := e.encode(samples)
	return slices.Concat(file, other[e.marks[0]:])
}

func TestStreamsThatChangeFormatPlayToTheEnd(t *testing.T) {
	formats := []encoder{
		{rate: 44100, channels: 2, depth: 16}, {rate: 32000, channels: 2, depth: 16}, {rate: 32000, channels: 1, depth: 16},
		{rate: 48000, channels: 6, depth: 24},
	}
	var file []byte
	var want [][]float32
	number := int64(0)
	for _, e := range formats {
		e.rng, e.blockSize, e.explicit = rand.New(rand.NewPCG(5, 1)), 576, true
		e.first = number
		number += 20
		samples := music(e.rng, e.channels, e.depth, 20*576)
		if file == nil {
			file = e.encode(samples)
		} else {
			file = appendFrames(file, e, samples)
		}
		want = append(want, floats(samples, e.depth))
	}
	d := open(t, file)
	if d.Parts() != len(formats) {
		t.Fatalf("got %d parts, want %d", d.Parts(), len(formats))
	}
	checkPlays(t, d, want[0])
	for i, e := range formats {
		p := d.Part(i)
		if p.Rate != e.rate || p.Channels != e.channels {
			t.Errorf("part %d: got %d Hz, %d channels; want %d, %d", i, p.Rate, p.Channels, e.rate, e.channels)
		}
		checkPlays(t, p, want[i])
	}
}

func TestDepthMayChangeWithinAStream(t *testing.T) {
	e := encoder{rng: rand.New(rand.NewPCG(6, 1)), rate: 44100, channels: 2, depth: 16, blockSize: 576, explicit: true}
	first := music(e.rng, 2, 16, 20*576)
	file := e.encode(first)
	e.depth, e.first = 24, 20
	second := music(e.rng, 2, 24, 20*576)
	file = appendFrames(file, e, second)
	checkPlays(t, open(t, file), append(floats(first, 16), floats(second, 24)...))
}

func TestMetadataWithoutLastFlagEndAtTheFirstFrame(t *testing.T) {
	e := encoder{rng: rand.New(rand.NewPCG(7, 1)), rate: 44100, channels: 2, depth: 16, blockSize: 576}
	samples := music(e.rng, 2, 16, 5000)
	file := e.encode(samples)
	unflagged := bytes.Clone(file)
	unflagged[4] &^= 0x80
	checkPlays(t, open(t, unflagged), floats(samples, 16))
}
