package synth

import "math"

// Plucked is a string of which one end is plucked: a burst of energy that runs round a
// loop as long as the string's period and loses its brightness on the way.
type Plucked struct {
	Sustain  float64 // seconds to fall by 60 dB at 220 Hz
	Bright   float64 // 0 (felt) to 1 (steel)
	Position float64 // where it is plucked, as part of the string's length
	Release  float64
}

// The strings of this record.
var (
	NylonGuitar = Plucked{Sustain: 4.2, Bright: 0.36, Position: 0.23, Release: 0.25}.play
	SteelGuitar = Plucked{Sustain: 5.5, Bright: 0.6, Position: 0.15, Release: 0.25}.play
	Harp        = Plucked{Sustain: 5, Bright: 0.36, Position: 0.42, Release: 0.8}.play
	doubleBass  = Plucked{Sustain: 3.2, Bright: 0.16, Position: 0.2, Release: 0.12}.play
)

func (p Plucked) play(rate float64, t Tone) Stereo {
	sustain := p.Sustain * math.Pow(220/t.Freq, 0.4)
	t.Hold = min(t.Hold, 1.2*sustain)
	n := frames(rate, t.Hold+p.Release)
	period := rate / t.Freq
	// The loop's low-pass is (1-s)·x + s·x': it delays by about s of a sample.
	s := 0.5 - 0.42*(p.Bright*(0.75+0.25*t.Velocity))
	whole := int(period - s - 0.5)
	fraction := period - s - float64(whole)
	allpass := (1 - fraction) / (1 + fraction)
	loss := math.Pow(0.001, period/(rate*sustain))

	line := p.excite(rate, t, whole)
	out := make([]float64, n)
	var lastIn, apIn, apOut float64
	for i, at := 0, 0; i < n; i++ {
		x := line[at]
		out[i] = x
		y := loss * ((1-s)*x + s*lastIn)
		lastIn = x
		apOut = allpass*(y-apOut) + apIn
		apIn = y
		line[at] = apOut
		if at++; at == whole {
			at = 0
		}
	}
	Envelope{Attack: 0.0015, Decay: 1, Sustain: 1, Release: p.Release}.shape(rate, out, t.Hold)
	return Mono(out)
}

// excite is one period of what the finger leaves on the string: noise made dark by a
// light touch, with the overtones missing that have a node under the finger, brought
// to the same energy every time and free of offset.
func (p Plucked) excite(rate float64, t Tone, length int) []float64 {
	burst := make([]float64, length)
	cutoff := t.Freq*3 + (600+7500*p.Bright)*(0.3+0.7*t.Velocity)
	touch := NewFilter(rate, cutoff, 0)
	for range 64 {
		touch.Low(t.Rand.Both())
	}
	for i := range burst {
		burst[i] = touch.Low(t.Rand.Both())
	}
	finger := max(1, int(p.Position*float64(length)))
	plucked := make([]float64, length)
	mean := 0.0
	for i := range burst {
		plucked[i] = burst[i] - 0.9*burst[(i-finger+length)%length]
		mean += plucked[i] / float64(length)
	}
	energy := 0.0
	for i := range plucked {
		plucked[i] -= mean
		energy += plucked[i] * plucked[i] / float64(length)
	}
	scale := 0.42 * t.Velocity / math.Sqrt(energy+1e-12)
	for i := range plucked {
		plucked[i] *= scale
	}
	return plucked
}

// UprightBass is a thick plucked string with the round body of the instrument.
func UprightBass(rate float64, t Tone) Stereo {
	out := doubleBass(rate, t).L
	body := make([]float64, len(out))
	partial{t.Freq, 0.55 * t.Velocity, 1.9, 0}.add(rate, body)
	partial{2 * t.Freq, 0.24 * t.Velocity, 1.1, 0}.add(rate, body)
	partial{3 * t.Freq, 0.07 * t.Velocity, 0.7, 0}.add(rate, body)
	Envelope{Attack: 0.009, Decay: 1, Sustain: 1, Release: 0.12}.shape(rate, body, t.Hold)
	for i := range out {
		out[i] = 0.4*out[i] + body[i]
	}
	return Mono(out)
}
