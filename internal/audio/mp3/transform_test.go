package mp3

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near compares got with want, within single-precision rounding.
func near(t *testing.T, what string, i int, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 2e-5 {
		t.Fatalf("%s: output %d: got %v, want %v by definition", what, i, got, want)
	}
}

func noise(rng *rand.Rand, to []float32) {
	for i := range to {
		to[i] = rng.Float32()*2 - 1
	}
}

// definedIMDCT is the transform by the formula of the standard: n inputs, 2n outputs.
func definedIMDCT(in []float64) []float64 {
	n := len(in)
	out := make([]float64, 2*n)
	for i := range out {
		for k, x := range in {
			out[i] += x * math.Cos(math.Pi/float64(4*n)*float64((2*i+1+n)*(2*k+1)))
		}
	}
	return out
}

func TestLongTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, block := range []blockType{longBlock, startBlock, stopBlock} {
		var in, over, out [subbandLines]float32
		noise(rng, in[:])
		noise(rng, over[:])
		before := over
		wide := make([]float64, subbandLines)
		for i, v := range in {
			wide[i] = float64(v)
		}
		want := definedIMDCT(wide)
		for i := range want {
			// The windows by the standard, independent of windowShape.
			w := math.Sin(math.Pi / 36 * (float64(i) + 0.5))
			switch {
			case block == startBlock && i >= 30, block == stopBlock && i < 6:
				w = 0
			case block == startBlock && i >= 24:
				w = math.Sin(math.Pi / 12 * (float64(i) - 18 + 0.5))
			case block == stopBlock && i < 12:
				w = math.Sin(math.Pi / 12 * (float64(i) - 6 + 0.5))
			case block == startBlock && i >= 18, block == stopBlock && i < 18:
				w = 1
			}
			want[i] *= w
		}
		longTransform(&in, &longWindows[block], &over, &out)
		for i := range out {
			near(t, "first half", i, out[i], want[i]+float64(before[i]))
			near(t, "second half", i, over[i], want[subbandLines+i])
		}
	}
}

func TestShortTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var in, over, out [subbandLines]float32
	noise(rng, in[:])
	noise(rng, over[:])
	before := over
	var want [2 * subbandLines]float64
	for w := range 3 {
		block := make([]float64, 6)
		for k := range block {
			block[k] = float64(in[3*k+w])
		}
		for i, v := range definedIMDCT(block) {
			want[6+6*w+i] += v * math.Sin(math.Pi/12*(float64(i)+0.5))
		}
	}
	shortTransform(&in, &over, &out)
	for i := range out {
		near(t, "first half", i, out[i], want[i]+float64(before[i]))
		near(t, "second half", i, over[i], want[subbandLines+i])
	}
}

// TestSynthesis compares the filter bank with the steps of the standard: shift, matrix, build,
// window, sum.
func TestSynthesis(t *testing.T) {
	var window [512]float64
	for i, v := range halfWindow {
		window[i] = float64(v) / 65536
		switch {
		case i%64 != 0:
			window[512-i] = -window[i]
		case i > 0:
			window[512-i] = window[i]
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	var bank synthesis
	v := make([]float64, 1024)
	for range 3 {
		var in subbandSamples
		for slot := range in {
			noise(rng, in[slot][:])
		}
		out := make([]float32, 2*granuleLines)
		bank.run(&in, out[1:], 2)
		for slot := range in {
			copy(v[64:], v[:960])
			for i := range 64 {
				v[i] = 0
				for k, s := range in[slot] {
					v[i] += math.Cos(float64((16+i)*(2*k+1))*math.Pi/64) * float64(s)
				}
			}
			for j := range 32 {
				sum := 0.0
				for i := range 8 {
					sum += v[i*128+j]*window[i*64+j] + v[i*128+96+j]*window[i*64+32+j]
				}
				near(t, "synthesis", slot*32+j, out[2*(slot*32+j)+1], sum)
			}
		}
	}
}

func TestAliasReduction(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var lines [granuleLines]float32
	noise(rng, lines[:])
	want := make([]float64, granuleLines)
	for i, v := range lines {
		want[i] = float64(v)
	}
	for sb := 1; sb < subbands; sb++ {
		for i, c := range []float64{-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037} {
			cs, ca := 1/math.Sqrt(1+c*c), c/math.Sqrt(1+c*c)
			u, d := want[sb*18-1-i], want[sb*18+i]
			want[sb*18-1-i], want[sb*18+i] = u*cs-d*ca, d*cs+u*ca
		}
	}
	reduceAliases(&lines, subbands-1)
	for i := range lines {
		near(t, "alias reduction", i, lines[i], want[i])
	}
}

// TestHybridSkipsOnlySilence compares the shortcut for empty subbands with the transform of all
// subbands.
func TestHybridSkipsOnlySilence(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, c := range []channelInfo{{}, {block: startBlock}, {block: shortBlock}, {block: shortBlock, mixed: true}} {
		for _, count := range []int{0, 1, 18, 36, 100, 575, 576} {
			var lines [granuleLines]float32
			noise(rng, lines[:count])
			var over [overlapLength]float32
			noise(rng, over[:])
			linesAll, overAll := lines, over
			var short, all subbandSamples
			hybrid(&lines, count, &c, 36, &over, &short)
			hybrid(&linesAll, granuleLines, &c, 36, &overAll, &all)
			if short != all || over != overAll {
				t.Errorf("%+v with %d lines: got other samples than without the shortcut, want equal ones", c, count)
			}
		}
	}
}

func TestGain(t *testing.T) {
	for quarters := -402; quarters <= 45; quarters++ {
		want := math.Exp2(float64(quarters) / 4)
		if got := float64(gain(quarters)); math.Abs(got/want-1) > 1e-7 {
			t.Errorf("gain(%d): got %v, want %v", quarters, got, want)
		}
	}
	for _, x := range []int{0, 1, 2, 15, 255, 256, 8206} {
		want := math.Pow(float64(x), 4.0/3)
		if got := float64(fourThirds(x)); math.Abs(got-want) > 1e-7*want {
			t.Errorf("fourThirds(%d): got %v, want %v", x, got, want)
		}
	}
}
