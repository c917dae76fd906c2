package synth

import "math"

// ElectricPiano is a tine piano: two modulated sines, one for the warm body whose
// brightness follows the touch, one for the short ring of the tine.
func ElectricPiano(rate float64, t Tone) Stereo {
	const release = 0.22
	decay := 2.4 * math.Pow(220/t.Freq, 0.45)
	t.Hold = min(t.Hold, 3*decay)
	n := frames(rate, t.Hold+release)
	left, right := make([]float64, n), make([]float64, n)
	envelope := Envelope{Attack: 0.003, Decay: decay, Release: release}
	tineRatio := 14.0
	for t.Freq*tineRatio > 0.3*rate {
		tineRatio--
	}
	spread := cents(0.7)
	body, tine, side := oscillator{}, oscillator{}, oscillator{}
	touch := t.Velocity * t.Velocity
	for i := range n {
		s := float64(i) / rate
		level := envelope.At(s, t.Hold)
		p := tau * body.step(t.Freq/rate)
		q := tau * side.step(t.Freq*spread/rate)
		r := tau * tine.step(t.Freq*tineRatio/rate)
		index := 0.25 + 1.25*touch*math.Exp(-s/0.5)
		bite := 0.28 * touch * math.Exp(-s/0.09)
		ring := bite * math.Sin(r)
		left[i] = level * t.Velocity * math.Sin(p+index*math.Sin(p)+ring)
		right[i] = level * t.Velocity * math.Sin(q+index*math.Sin(q)+ring)
	}
	return Stereo{left, right}
}

// Piano is a felt piano: stretched partials on two strings a hair apart, a soft hammer
// that mutes the high ones at a light touch, and a little wood at the onset.
func Piano(rate float64, t Tone) Stereo {
	const release = 0.18
	long := 7 * math.Pow(220/t.Freq, 0.55)
	t.Hold = min(t.Hold, long)
	n := frames(rate, t.Hold+release)
	left, right := make([]float64, n), make([]float64, n)
	stiffness := 0.00035 * math.Pow(t.Freq/260, 1.3)
	dark := 0.62 - 0.42*t.Velocity
	for k := 1.0; k <= 18; k++ {
		freq := k * t.Freq * math.Sqrt(1+stiffness*k*k)
		level := t.Velocity * math.Exp(-dark*(k-1)) * math.Abs(math.Sin(math.Pi*k*0.13)) / math.Sqrt(k)
		if level < 0.0005 {
			break
		}
		decay := long / (1 + 0.32*(k-1))
		apart := cents(0.45)
		phase := tau * t.Rand.Unit()
		partial{freq * apart, 1.6 * level, decay, phase}.add(rate, left)
		partial{freq / apart, 1.6 * level, 0.93 * decay, phase + 0.4*t.Rand.Both()}.add(rate, right)
	}
	thump := NewFilter(rate, 340+500*t.Velocity, 0)
	for i := range min(n, frames(rate, 0.05)) {
		s := float64(i) / rate
		knock := 0.5 * t.Velocity * math.Exp(-s/0.009) * thump.Low(t.Rand.Both())
		left[i] += knock
		right[i] += knock
	}
	damper := Envelope{Attack: 0.004, Decay: 1, Sustain: 1, Release: release}
	damper.shape(rate, left, t.Hold)
	damper.shape(rate, right, t.Hold)
	return Stereo{left, right}
}
