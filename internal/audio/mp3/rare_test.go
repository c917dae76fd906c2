package mp3

import (
	"bytes"
	"strconv"
	"testing"

	"waxwing/internal/media/mpeg"
	"waxwing/internal/media/window"
)

// setBit sets a bit of b, counted from the most significant bit of the first byte.
func setBit(b []byte, bit int) { b[bit/8] |= 0x80 >> (bit % 8) }

func bitsAt(b []byte, bit, n int) (v int) {
	for i := bit; i < bit+n; i++ {
		v = v<<1 | int(b[i/8]>>(7-i%8)&1)
	}
	return v
}

// everyFrame calls change with each frame of a file.
func everyFrame(t *testing.T, data []byte, change func(frame []byte, h mpeg.Header)) {
	t.Helper()
	for _, f := range framesOf(t, data) {
		change(data[f.Offset:f.Offset+int64(f.Length)], f.Header)
	}
}

// framesOf returns the audio frames of a file.
func framesOf(t *testing.T, data []byte) (frames []mpeg.Frame) {
	t.Helper()
	s, err := mpeg.Open(window.New(bytes.NewReader(data), int64(len(data))))
	if err != nil {
		t.Fatal(err)
	}
	for p := s.Begin(); ; {
		f, err := s.Next(&p)
		if err != nil {
			return frames
		}
		frames = append(frames, f)
	}
}

// TestMixedBlocksEqualFFmpeg turns short, start and stop blocks into mixed ones, which common
// encoders do not write. Where the lower scale factors have no bits, the layout of the frame does
// not change, so the result can be compared with ffmpeg's.
func TestMixedBlocksEqualFFmpeg(t *testing.T) {
	for _, rate := range []int{44100, 22050} {
		data := lame(t, 1.5, 2, rate, "-t", "-q", "9", "-m", "s", "-b", "128")
		mixed := map[int]int{}
		everyFrame(t, data, func(frame []byte, h mpeg.Header) {
			channelBits, first, compressBits := 59, 8*mpeg.HeaderSize+20, 4
			if h.LSF {
				channelBits, first, compressBits = 63, 8*mpeg.HeaderSize+10, 9
			}
			for part := range granules(h) * h.Channels() {
				at := first + part*channelBits + 12 + 9 + 8
				compress := bitsAt(frame, at, compressBits)
				at += compressBits
				block := bitsAt(frame, at, 3) - 4
				if block > 0 && (compress == 0 || block != int(shortBlock)) {
					setBit(frame, at+3)
					mixed[block]++
				}
			}
		})
		if len(mixed) < 3 || mixed[int(shortBlock)] < 10 {
			t.Fatalf("%d Hz: got %v blocks to change by type, want 3 types and 10 short blocks", rate, mixed)
		}
		likeFFmpeg(t, data)
	}
}

// TestIntensityEqualsFFmpeg enables intensity stereo in files that were not encoded with it: the
// scale factors of the right channel become positions. At the lower rates it uses files without
// scale factors, because ffmpeg does not know the value for "no position" there.
func TestIntensityEqualsFFmpeg(t *testing.T) {
	for _, c := range []struct {
		rate    int
		args    []string
		midSide bool
	}{
		{44100, []string{"-b", "112"}, false},
		{44100, []string{"-b", "160"}, true},
		{48000, []string{"-b", "96"}, true},
		{16000, []string{"-q", "9", "-b", "32"}, true},
	} {
		data := lame(t, 1.5, 2, c.rate, append([]string{"-t", "-m", "j", "--resample",
			strconv.FormatFloat(float64(c.rate)/1000, 'f', -1, 64)}, c.args...)...)
		everyFrame(t, data, func(frame []byte, h mpeg.Header) {
			frame[3] |= 0x10
			if c.midSide {
				frame[3] |= 0x20
			}
		})
		likeFFmpeg(t, data)
	}
}

// likeFFmpeg compares the decoded samples with those of ffmpeg.
func likeFFmpeg(t *testing.T, data []byte) {
	t.Helper()
	want := ffmpeg(t, data)
	got := readAll(t, open(t, data))
	if len(got) != len(want) {
		t.Fatalf("samples: got %d, want %d as of ffmpeg", len(got), len(want))
	}
	rms, peak := difference(got, want)
	t.Logf("rms %.1f dBFS, peak %.1f dBFS", rms, peak)
	if rms > -120 {
		t.Errorf("difference from ffmpeg: got rms %.1f dBFS, peak %.1f dBFS; want rms at most -120", rms, peak)
	}
}

// A mono stream with stereo frames has their mean, also where the two channels have different
// blocks.
func TestStereoFramesInMonoStreamBecomeTheirMean(t *testing.T) {
	join := func(files ...[]byte) (out []byte) {
		for _, data := range files {
			for _, f := range framesOf(t, data) {
				out = append(out, data[f.Offset:f.Offset+int64(f.Length)]...)
			}
		}
		return out
	}
	mono := lame(t, 0.3, 1, 44100, "-t", "--nores", "-b", "64")
	// Clicks on one side only need short blocks there.
	samples := tones(44100, 2, 44100)
	for i := 0; i < len(samples); i += 2 * 5000 {
		samples[i] = 0.9
	}
	stereo := lameSamples(t, samples, 2, 44100, "-t", "--nores", "-m", "d", "-b", "128")
	file := join(mono, stereo, mono)
	got := readAll(t, open(t, file))
	sides := readAll(t, open(t, join(stereo)))
	from := len(framesOf(t, mono)) * 1152
	const settled = 2 * 1152 // the filters remember the frames before
	for i := settled; i < len(sides)/2; i++ {
		want := (sides[2*i] + sides[2*i+1]) / 2
		if diff := got[from+i] - want; diff > 1e-6 || diff < -1e-6 {
			t.Fatalf("sample %d of the stereo part: got %v, want %v", i, got[from+i], want)
		}
	}
	checkSeeks(t, file, 30)
}
