package synth

// mode is one way a struck body vibrates, relative to its lowest.
type mode struct{ ratio, level, decay float64 }

// struck is a body that rings in its modes until it is damped.
type struck struct {
	modes   []mode
	ring    float64 // decay in seconds of a mode with decay 1 at 440 Hz
	tick    float64 // loudness of the mallet itself
	release float64
}

// MusicBox is a steel comb: a clamped tooth rings in widely spaced modes.
var MusicBox = struck{
	modes:   []mode{{1, 0.8, 1}, {1.002, 0.3, 0.8}, {2.0, 0.10, 0.5}, {6.267, 0.16, 0.16}, {17.55, 0.05, 0.04}},
	ring:    2.6,
	tick:    0.10,
	release: 0.9,
}.play

// Celesta is steel plates over wooden boxes: round, with a soft chime.
var Celesta = struck{
	modes:   []mode{{1, 0.9, 1}, {2.001, 0.14, 0.6}, {4.02, 0.12, 0.25}, {8.1, 0.03, 0.08}},
	ring:    2.0,
	tick:    0.05,
	release: 0.5,
}.play

// Vibraphone is tuned bars: the octave of the octave above rings along.
var Vibraphone = struck{
	modes:   []mode{{1, 1, 1}, {3.98, 0.16, 0.3}, {9.9, 0.03, 0.08}},
	ring:    3.4,
	tick:    0.035,
	release: 0.5,
}.play

// GlassBell is a slow, far bell for quiet music.
var GlassBell = struck{
	modes: []mode{
		{0.5, 0.10, 1},
		{1, 0.8, 1},
		{1.003, 0.35, 1},
		{2.004, 0.22, 0.7},
		{3.01, 0.10, 0.4},
		{4.17, 0.05, 0.25},
	},
	ring:    5,
	tick:    0.01,
	release: 2.5,
}.play

func (b struck) play(rate float64, t Tone) Stereo {
	ring := b.ring * (440 / (220 + 0.5*t.Freq))
	n := frames(rate, min(t.Hold+b.release, 1.4*ring))
	left, right := make([]float64, n), make([]float64, n)
	for _, m := range b.modes {
		level := t.Velocity * m.level
		if m.ratio > 1.5 {
			level *= 0.35 + 0.65*t.Velocity // a harder stroke wakes the higher modes
		}
		phase := 0.6 * t.Rand.Unit()
		partial{t.Freq * m.ratio, level * (1 + 0.12*t.Rand.Both()), ring * m.decay, phase}.add(rate, left)
		partial{t.Freq * m.ratio, level * (1 + 0.12*t.Rand.Both()), ring * m.decay, phase + 0.3}.add(rate, right)
	}
	mallet := NewFilter(rate, 3800, 0.2)
	fade := Envelope{Attack: 0.0004, Decay: 0.004, Release: 0.01}
	for i := range min(n, frames(rate, 0.03)) {
		tick := b.tick * t.Velocity * fade.At(float64(i)/rate, 0.02) * mallet.Band(t.Rand.Both())
		left[i] += tick
		right[i] += tick
	}
	// The tail is faded over the last part of what was rendered, so that a stroke cut
	// by its damper or by inaudibility ends without a step.
	tail := Envelope{Attack: 0.001, Decay: 1, Sustain: 1, Release: b.release}
	hold := max(0, float64(n)/rate-b.release)
	tail.shape(rate, left, hold)
	tail.shape(rate, right, hold)
	return Stereo{left, right}
}
