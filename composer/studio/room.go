package studio

import (
	"math"

	"waxwing/composer/synth"
)

// Room is a reverberation: eight delay lines that feed each other through a matrix
// which loses nothing by itself, so that only Decay and Damping shape the tail.
type Room struct {
	Decay    float64 // seconds to fall by 60 dB
	Size     float64 // 1 is a small hall
	Damping  float64 // hertz above which the walls swallow
	Level    float64 // decibels
	Predelay float64 // seconds
}

const lines = 8

// lineTimes have no common divisor worth hearing.
var lineTimes = [lines]float64{0.0297, 0.0371, 0.0411, 0.0437, 0.0533, 0.0597, 0.0677, 0.0739}

// diffuserTimes spread a stroke before it enters the lines, unlike on the two sides.
var diffuserTimes = [2][4]float64{{0.0047, 0.0036, 0.0127, 0.0093}, {0.0051, 0.0033, 0.0121, 0.0099}}

func (r Room) process(rate float64, in synth.Stereo) synth.Stereo {
	out := synth.Silence(in.Len())
	if r.Decay == 0 {
		return out
	}
	tank := r.build(rate)
	var diffusers [2][4]allpass
	var cut [2]*synth.Filter
	for side := range diffusers {
		for k, seconds := range diffuserTimes[side] {
			diffusers[side][k] = allpass{memory: make([]float64, int(seconds*rate)), gain: 0.62}
		}
		cut[side] = synth.NewFilter(rate, 160, 0)
	}
	gain := decibels(r.Level)
	before := int(r.Predelay * rate)
	for i := before; i < in.Len(); i++ {
		feed := [2]float64{in.L[i-before], in.R[i-before]}
		for side := range feed {
			feed[side] = cut[side].High(feed[side])
			for k := range diffusers[side] {
				feed[side] = diffusers[side][k].step(feed[side])
			}
		}
		left, right := tank.step(feed[0], feed[1])
		out.L[i], out.R[i] = gain*left, gain*right
	}
	return out
}

// tank is the network of delay lines.
type tank struct {
	lines [lines]delayLine
	frame int
	rate  float64
}

type delayLine struct {
	memory          []float64
	at              int
	length          float64
	behind, drift   float64 // where the line is read, and how that moves per frame
	loss, dark, low float64
	swaySpeed       float64
}

func (r Room) build(rate float64) *tank {
	t := &tank{rate: rate}
	dark := 1 - math.Exp(-2*math.Pi*r.Damping/rate)
	for k := range t.lines {
		seconds := lineTimes[k] * max(0.3, r.Size)
		t.lines[k] = delayLine{
			memory: make([]float64, int(seconds*rate)+32),
			length: seconds * rate,
			loss:   math.Pow(0.001, seconds/r.Decay),
			dark:   dark,
			// Slow, unlike sways keep the tail from ringing at fixed pitches.
			swaySpeed: 0.17 + 0.11*float64(k),
		}
	}
	return t
}

func (t *tank) step(left, right float64) (float64, float64) {
	t.frame++
	var heard [lines]float64
	sum := 0.0
	for k := range t.lines {
		if t.frame%swayEvery == 1 {
			t.lines[k].sway(float64(t.frame)/t.rate, swayEvery/t.rate)
		}
		heard[k] = t.lines[k].read()
		sum += heard[k]
	}
	// The Householder reflection: every line gets the others' mean against its own.
	sum *= 2.0 / lines
	var outL, outR float64
	for k := range t.lines {
		input := left
		if k%2 == 1 {
			input = right
		}
		t.lines[k].write(heard[k] - sum + 0.5*input)
		sign := 1.0
		if k/2%2 == 1 {
			sign = -1
		}
		if k%2 == 0 {
			outL += sign * heard[k]
		} else {
			outR += sign * heard[k]
		}
	}
	return 0.5 * outL, 0.5 * outR
}

// swayEvery is after how many frames the sway of the lines takes a new direction.
const swayEvery = 256

// sway lets the place at which the line is read drift evenly to where a slow sine will
// be some seconds later.
func (d *delayLine) sway(now, ahead float64) {
	place := func(at float64) float64 { return d.length + 6*math.Sin(2*math.Pi*d.swaySpeed*at) }
	d.behind = place(now)
	d.drift = (place(now+ahead) - d.behind) / swayEvery
}

func (d *delayLine) read() float64 {
	d.behind += d.drift
	whole := int(d.behind)
	part := d.behind - float64(whole)
	n := len(d.memory)
	i := (d.at - whole + 2*n) % n
	j := (i - 1 + n) % n
	x := d.memory[i]*(1-part) + d.memory[j]*part
	d.low += d.dark * (x - d.low)
	return d.loss * d.low
}

func (d *delayLine) write(x float64) {
	d.memory[d.at] = x
	if d.at++; d.at == len(d.memory) {
		d.at = 0
	}
}

// allpass smears a stroke over time without colouring it.
type allpass struct {
	memory []float64
	at     int
	gain   float64
}

func (a *allpass) step(x float64) float64 {
	delayed := a.memory[a.at]
	y := delayed - a.gain*x
	a.memory[a.at] = x + a.gain*y
	if a.at++; a.at == len(a.memory) {
		a.at = 0
	}
	return y
}
