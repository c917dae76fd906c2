package vorbis

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTransformEqualsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, block := range []int{64, 128, 512, 2048} {
		spectrum := make([]float32, block/2)
		for i := range spectrum {
			spectrum[i] = rng.Float32() - 0.5
		}
		out := make([]float32, block)
		newMDCT(block).inverse(spectrum, out)
		for i := range out {
			want := 0.0
			for k, x := range spectrum {
				want += float64(x) * math.Cos(2*math.Pi/float64(block)*(float64(i)+0.5+float64(block)/4)*(float64(k)+0.5))
			}
			if math.Abs(want-float64(out[i])) > 1e-6*math.Sqrt(float64(block)) {
				t.Fatalf("block of %d: sample %d: got %g, want %g", block, i, out[i], want)
			}
		}
	}
}
