package audio_test

import (
	"math"
	"testing"

	"waxwing/internal/audio"
)

func TestDownmixReturnsStereoUnchanged(t *testing.T) {
	src := &formula{rate: 48000, channels: 2, frames: 10, sample: sine(48000, 440)}
	if got := audio.Downmix(src); got != audio.Source(src) {
		t.Errorf("Downmix of stereo: got %T, want the source itself", got)
	}
}

func TestDownmixMono(t *testing.T) {
	src := audio.Downmix(&formula{rate: 48000, channels: 1, frames: 5000, sample: sine(48000, 440)})
	out := all(t, src)
	if len(out) != 10000 || src.Info().Channels != 2 || src.Info().Frames != 5000 {
		t.Fatalf("got %d samples, %+v; want 10000 samples, 2 channels, 5000 frames", len(out), src.Info())
	}
	for i := range 5000 {
		want := sine(48000, 440)(int64(i), 0)
		if out[2*i] != want || out[2*i+1] != want {
			t.Fatalf("frame %d: got %v, %v; want %v twice", i, out[2*i], out[2*i+1], want)
		}
	}
}

// TestDownmixWeights plays one channel at a time and compares its level relative to the front left
// channel with ITU-R BS.775.
func TestDownmixWeights(t *testing.T) {
	const h = math.Sqrt2 / 2
	layouts := map[int][][2]float64{
		3: {{1, 0}, {0, 1}, {h, h}},
		4: {{1, 0}, {0, 1}, {h, 0}, {0, h}},
		5: {{1, 0}, {0, 1}, {h, h}, {h, 0}, {0, h}},
		6: {{1, 0}, {0, 1}, {h, h}, {0, 0}, {h, 0}, {0, h}},
		7: {{1, 0}, {0, 1}, {h, h}, {0, 0}, {0.5, 0.5}, {h, 0}, {0, h}},
		8: {{1, 0}, {0, 1}, {h, h}, {0, 0}, {h, 0}, {0, h}, {h, 0}, {0, h}},
	}
	for channels, want := range layouts {
		level := func(channel int) (left, right float64) {
			out := all(t, audio.Downmix(&formula{rate: 48000, channels: channels, frames: 1,
				sample: func(_ int64, c int) float32 {
					if c == channel {
						return 1
					}
					return 0
				}}))
			return float64(out[0]), float64(out[1])
		}
		unit, _ := level(0)
		for c := range channels {
			left, right := level(c)
			if math.Abs(left-unit*want[c][0]) > 1e-6 || math.Abs(right-unit*want[c][1]) > 1e-6 {
				t.Errorf("channel %d of %d: got %.4f, %.4f; want %v", c, channels, left/unit, right/unit, want[c])
			}
		}
		full := all(t, audio.Downmix(&formula{rate: 48000, channels: channels, frames: 1,
			sample: func(int64, int) float32 { return 1 }}))
		if full[0] > 1.000001 || full[0] < 0.9999 || full[0] != full[1] {
			t.Errorf("%d channels at full scale: got %v, want 1 and 1", channels, full)
		}
	}
}
