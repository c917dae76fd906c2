package synth

import "math"

// oscillator is a phase that runs from 0 to 1.
type oscillator struct{ phase float64 }

// step advances by freq/rate and returns the phase and the increment.
func (o *oscillator) step(increment float64) float64 {
	o.phase += increment
	o.phase -= math.Floor(o.phase)
	return o.phase
}

// blep rounds off the jump of a wave at phase 0 so that it does not alias.
func blep(phase, increment float64) float64 {
	switch {
	case phase < increment:
		x := phase / increment
		return x + x - x*x - 1
	case phase > 1-increment:
		x := (phase - 1) / increment
		return x*x + x + x + 1
	}
	return 0
}

func saw(phase, increment float64) float64 {
	return 2*phase - 1 - blep(phase, increment)
}

// pulse has its mean taken out, so that narrow pulses carry no offset.
func pulse(phase, increment, duty float64) float64 {
	y := -1.0
	if phase < duty {
		y = 1
	}
	back := phase - duty
	back -= math.Floor(back)
	return y + blep(phase, increment) - blep(back, increment) - (2*duty - 1)
}

// partial is one damped sine of a struck or plucked body.
type partial struct{ freq, level, decay, phase float64 }

// add sums the partial into samples. Its level falls by 60 dB in decay seconds; a
// two-term recursion draws it, and it stops when it can no longer be heard. Partials
// near and above the limit of the sample rate are left out.
func (p partial) add(rate float64, samples []float64) {
	if p.freq > 0.45*rate {
		return
	}
	radius := math.Pow(0.001, 1/(p.decay*rate))
	w := tau * p.freq / rate
	a, b := 2*radius*math.Cos(w), -radius*radius
	y1 := p.level * math.Sin(p.phase-w) / radius
	y2 := p.level * math.Sin(p.phase-2*w) / (radius * radius)
	for i := range samples[:min(len(samples), frames(rate, 1.4*p.decay))] {
		y := a*y1 + b*y2
		samples[i] += y
		y2, y1 = y1, y
	}
}

// vibrato is a pitch factor that sets in after a moment and then sways.
type vibrato struct{ speed, depthCents, delay, phase float64 }

func (v vibrato) at(t float64) float64 {
	depth := v.depthCents * min(1, max(0, (t-v.delay)/0.35))
	return cents(depth * math.Sin(tau*v.speed*t+v.phase))
}
