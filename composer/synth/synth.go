// Package synth holds the instruments of the demo music. Each is a function from one
// tone to its sound, made from first principles: damped partials, frequency
// modulation, filtered saws and pulses, plucked-string loops and shaped noise.
//
// Everything is deterministic: the same tone at the same rate gives the same samples.
package synth

import "math"

// Stereo is a pair of channels of equal length.
type Stereo struct{ L, R []float64 }

// Mono is one channel heard in the middle; both sides share the samples.
func Mono(samples []float64) Stereo { return Stereo{samples, samples} }

// Silence is a stereo signal of zeros.
func Silence(frames int) Stereo {
	return Stereo{make([]float64, frames), make([]float64, frames)}
}

// Len is the number of frames.
func (s Stereo) Len() int { return len(s.L) }

// Tone is one note as an instrument gets it: in hertz and seconds, with its own source
// of chance so that no two strokes are quite alike.
type Tone struct {
	Freq     float64
	Hold     float64 // seconds from onset to release
	Velocity float64 // 0 to 1
	Rand     *Rand
}

// Instrument renders a tone from its onset to the end of its release.
type Instrument func(rate float64, t Tone) Stereo

// Rand is a small generator of chance (splitmix64), the same on every machine and with
// every release of Go.
type Rand struct{ state uint64 }

// NewRand starts a generator; seeds that differ in one bit give unlike sequences.
func NewRand(seed uint64) *Rand { return &Rand{seed} }

// Unit is evenly distributed in [0, 1).
func (r *Rand) Unit() float64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// Both is evenly distributed in [-1, 1).
func (r *Rand) Both() float64 { return 2*r.Unit() - 1 }

const tau = 2 * math.Pi

// controlEvery is how many samples slow movements (filters, vibrato, breath) stay put:
// too short to be heard as steps, and it makes rendering several times faster.
const controlEvery = 16

// frames is a length in seconds as whole frames.
func frames(rate, seconds float64) int { return int(seconds * rate) }

// cents is the frequency ratio of an interval in hundredths of a semitone.
func cents(c float64) float64 { return math.Exp2(c / 1200) }
