package audio_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"waxwing/internal/audio"
)

// formula is a source whose samples are a function of their position.
type formula struct {
	rate, channels int
	frames         int64
	unknownLength  bool
	sample         func(frame int64, channel int) float32
	at             int64
}

func (f *formula) Info() audio.Info {
	info := audio.Info{Codec: "formula", Rate: f.rate, Channels: f.channels, Frames: f.frames}
	if f.unknownLength {
		info.Frames = -1
	}
	return info
}

func (f *formula) Read(dst []float32) (int, error) {
	n := int(min(int64(len(dst)/f.channels), f.frames-f.at, 777))
	if n == 0 {
		return 0, io.EOF
	}
	for i := range n {
		for c := range f.channels {
			dst[i*f.channels+c] = f.sample(f.at+int64(i), c)
		}
	}
	f.at += int64(n)
	return n, nil
}

func (f *formula) SeekTo(frame int64) error {
	if frame < 0 || frame > f.frames {
		return errors.New("seek outside of the source")
	}
	f.at = frame
	return nil
}

func (f *formula) Close() error { return nil }

// all reads the rest of a source in buffers of an odd size.
func all(t testing.TB, src audio.Source) []float32 {
	t.Helper()
	var out []float32
	buf := make([]float32, 501*src.Info().Channels)
	for {
		n, err := src.Read(buf)
		if err == io.EOF {
			return out
		}
		if err != nil || n == 0 {
			t.Fatalf("Read after %d samples: got %d, error %v; want more or EOF", len(out), n, err)
		}
		out = append(out, buf[:n*src.Info().Channels]...)
	}
}

func sine(rate int, hertz float64) func(int64, int) float32 {
	return func(frame int64, channel int) float32 {
		return float32(math.Sin(2*math.Pi*hertz*float64(frame)/float64(rate) + float64(channel)))
	}
}

// fit fits a sine of a given frequency to one channel of x. It returns the amplitude and the
// residual, both in dB, and the phase at frame 0.
func fit(x []float32, channels, channel, rate int, hertz float64) (amplitude, residual, phase float64) {
	edge := len(x) / channels / 8
	var ss, cc, sc, xs, xc float64
	at := func(i int) (v, s, c float64) {
		s, c = math.Sincos(2 * math.Pi * hertz * float64(i) / float64(rate))
		return float64(x[i*channels+channel]), s, c
	}
	for i := edge; i < len(x)/channels-edge; i++ {
		v, s, c := at(i)
		ss, cc, sc, xs, xc = ss+s*s, cc+c*c, sc+s*c, xs+v*s, xc+v*c
	}
	det := ss*cc - sc*sc
	a, b := (xs*cc-xc*sc)/det, (xc*ss-xs*sc)/det
	var energy float64
	n := 0
	for i := edge; i < len(x)/channels-edge; i++ {
		v, s, c := at(i)
		d := v - a*s - b*c
		energy += d * d
		n++
	}
	return 20 * math.Log10(math.Hypot(a, b)), 10 * math.Log10(2*energy/float64(n)), math.Atan2(b, a)
}

var ratePairs = [][2]int{
	{44100, 48000}, {48000, 44100}, {96000, 44100}, {192000, 48000}, {192000, 44100}, {44100, 192000},
	{8000, 48000}, {11025, 48000}, {22050, 44100}, {32000, 44100}, {44056, 48000}, {48000, 44101}, {384000, 44100},
}

// TestResampleQuality resamples tones: those in the pass band must be unchanged, those above must
// be removed.
func TestResampleQuality(t *testing.T) {
	t.Parallel()
	for _, p := range ratePairs {
		t.Run(fmt.Sprintf("%d-%d", p[0], p[1]), func(t *testing.T) {
			t.Parallel()
			half := float64(min(p[0], p[1])) / 2
			frames := int64(max(p[0]/20, 3000))
			for _, share := range []float64{0.002, 0.1, 0.37, 0.7, 0.85, 0.905} {
				hertz := share * half
				out := all(t, audio.Resample(&formula{rate: p[0], channels: 2, frames: frames, sample: sine(p[0], hertz)}, p[1]))
				for channel := range 2 {
					amplitude, residual, phase := fit(out, 2, channel, p[1], hertz)
					if math.Abs(amplitude) > 0.01 || residual > -115 || math.Abs(phase-float64(channel)) > 1e-4 {
						t.Errorf("%.0f Hz: got amplitude %.4f dB, residual %.1f dB, phase %.6f; want 0 dB, below -115 dB, %d",
							hertz, amplitude, residual, phase, channel)
					}
				}
			}
			if p[0] < p[1] {
				return
			}
			for hertz := half * 1.0005; hertz < float64(p[0])/2; hertz *= 1.29 {
				out := all(t, audio.Resample(&formula{rate: p[0], channels: 2, frames: frames, sample: sine(p[0], hertz)}, p[1]))
				var energy float64
				middle := out[len(out)/4 : len(out)*3/4]
				for _, v := range middle {
					energy += float64(v) * float64(v)
				}
				if level := 10 * math.Log10(2*energy/float64(len(middle))); level > -115 {
					t.Errorf("level of %.0f Hz: got %.1f dB, want at most -115 dB", hertz, level)
				}
			}
		})
	}
}

func TestResampleLength(t *testing.T) {
	t.Parallel()
	for _, p := range [][2]int{{44100, 48000}, {48000, 44100}, {192000, 44100}, {8000, 48000}} {
		for _, frames := range []int64{0, 1, 2, 100, 4411} {
			for _, unknown := range []bool{false, true} {
				want := int64(math.Round(float64(frames) * float64(p[1]) / float64(p[0])))
				src := audio.Resample(&formula{rate: p[0], channels: 2, frames: frames, unknownLength: unknown,
					sample: sine(p[0], 440)}, p[1])
				if info := src.Info(); info.Rate != p[1] || info.Channels != 2 || !unknown && info.Frames != want ||
					unknown && info.Frames != -1 {
					t.Errorf("%v, %d frames, unknown length %v: got %+v, want %d frames", p, frames, unknown, info, want)
				}
				if got := int64(len(all(t, src)) / 2); got != want {
					t.Errorf("%v, %d frames: got %d resampled frames, want %d", p, frames, got, want)
				}
			}
		}
	}
}

func TestResampleSeeksExactly(t *testing.T) {
	t.Parallel()
	noise := func(frame int64, channel int) float32 {
		return float32(int32((frame*8+int64(channel)+1)*0x9E3779B97F4A7C1>>20)) / (1 << 31)
	}
	for _, p := range ratePairs {
		for _, channels := range []int{1, 2} {
			src := audio.Resample(&formula{rate: p[0], channels: channels, frames: 3000, sample: noise}, p[1])
			whole := all(t, src)
			frames := src.Info().Frames
			buf := make([]float32, 64*channels)
			for i := range 20 {
				position := rand.Int64N(frames)
				if i == 0 {
					position = 0
				}
				if err := src.SeekTo(position); err != nil {
					t.Fatal(err)
				}
				n, err := src.Read(buf)
				if err != nil {
					t.Fatalf("%v: Read at %d of %d: %v", p, position, frames, err)
				}
				for k, v := range buf[:n*channels] {
					if v != whole[int(position)*channels+k] {
						t.Fatalf("%v: sample %d after SeekTo(%d): got %v, want %v",
							p, k, position, v, whole[int(position)*channels+k])
					}
				}
			}
			if err := src.SeekTo(frames); err != nil {
				t.Fatal(err)
			}
			if n, err := src.Read(buf); err != io.EOF {
				t.Errorf("Read at the end: got %d, error %v; want EOF", n, err)
			}
			if src.SeekTo(-1) == nil || src.SeekTo(frames+1) == nil {
				t.Error("SeekTo outside of the file: got no error, want one")
			}
		}
	}
}

func TestResampleToTheSameRateReturnsTheSource(t *testing.T) {
	src := &formula{rate: 48000, channels: 2, frames: 10, sample: sine(48000, 440)}
	if got := audio.Resample(src, 48000); got != audio.Source(src) {
		t.Errorf("Resample to the same rate: got %T, want the source itself", got)
	}
}

// BenchmarkResample reports the speed from 44.1 to 48 kHz as a multiple of real time.
func BenchmarkResample(b *testing.B) {
	music := make([]float32, 44100*2)
	for i := range music {
		music[i] = rand.Float32() - 0.5
	}
	src := &formula{rate: 44100, channels: 2, frames: 44100,
		sample: func(frame int64, channel int) float32 { return music[int(frame)*2+channel] }}
	out := audio.Resample(src, 48000)
	buf := make([]float32, 4096)
	for b.Loop() {
		if err := out.SeekTo(0); err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := out.Read(buf); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "x-realtime")
}
