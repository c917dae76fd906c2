package synth

import "math"

// Ensemble is several saws a little apart in pitch and place, through one low-pass that
// opens with the tone: pads, string sections and solo bows differ by its settings.
type Ensemble struct {
	Players     int
	Detune      float64 // cents between the outermost players
	Cutoff      float64 // hertz, where the filter rests
	Opening     float64 // how far the attack opens the filter above that, as a factor
	Follow      float64 // how much the cutoff follows the pitch: 0 not, 1 fully
	Vibrato     float64 // cents
	Air         float64 // loudness of bow or breath noise
	Loudness    Envelope
	TouchBright float64 // how much velocity brightens the tone
}

// The ensembles of this record.
var (
	WarmPad = Ensemble{
		Players: 5, Detune: 17, Cutoff: 620, Opening: 0.9, Follow: 0.45,
		Loudness: Envelope{1.3, 2, 0.86, 2.2},
	}.Play
	SilkStrings = Ensemble{
		Players: 4, Detune: 11, Cutoff: 950, Opening: 0.5, Follow: 0.6, Vibrato: 5,
		Loudness: Envelope{0.55, 2, 0.9, 0.9},
	}.Play
	ChamberStrings = Ensemble{
		Players: 2, Detune: 6, Cutoff: 1250, Opening: 0.7, Follow: 0.7, Vibrato: 8, Air: 0.012,
		Loudness: Envelope{0.09, 0.9, 0.8, 0.30}, TouchBright: 0.9,
	}.Play
	SoloViolin = Ensemble{
		Players: 2, Detune: 2.5, Cutoff: 1700, Opening: 0.6, Follow: 0.55, Vibrato: 15, Air: 0.016,
		Loudness: Envelope{0.10, 1.2, 0.85, 0.25}, TouchBright: 0.8,
	}.Play
	StabPad = Ensemble{
		Players: 5, Detune: 20, Cutoff: 900, Opening: 2.2, Follow: 0.2,
		Loudness: Envelope{0.02, 0.6, 0.7, 0.7}, TouchBright: 0.8,
	}.Play
	SynthLead = Ensemble{
		Players: 3, Detune: 9, Cutoff: 1300, Opening: 1.6, Follow: 0.6, Vibrato: 7,
		Loudness: Envelope{0.012, 0.5, 0.6, 0.25}, TouchBright: 0.8,
	}.Play
	SynthPluck = Ensemble{
		Players: 2, Detune: 8, Cutoff: 420, Opening: 6, Follow: 0.5,
		Loudness: Envelope{0.004, 0.13, 0, 0.12}, TouchBright: 1,
	}.Play
)

// Play is the ensemble as an Instrument.
func (e Ensemble) Play(rate float64, t Tone) Stereo {
	n := frames(rate, t.Hold+e.Loudness.Release)
	out := Silence(n)
	cutoff := e.Cutoff * math.Pow(t.Freq/220, e.Follow) * (1 + e.TouchBright*(t.Velocity-0.6))
	filters := [2]*Filter{NewFilter(rate, cutoff, 0.08), NewFilter(rate, cutoff, 0.08)}
	players := e.seat(t)
	gain := 0.5 * t.Velocity / math.Sqrt(float64(e.Players))
	for i := range n {
		s := float64(i) / rate
		level := e.Loudness.At(s, t.Hold)
		if i%controlEvery == 0 {
			opened := cutoff * (1 + e.Opening*level*level)
			filters[0].Tune(opened)
			filters[1].Tune(opened)
			for k := range players {
				players[k].increment = t.Freq * players[k].tuning * players[k].sway.at(s) / rate
			}
		}
		var left, right float64
		for k := range players {
			p := &players[k]
			y := saw(p.step(p.increment), p.increment)
			left += y * p.left
			right += y * p.right
		}
		if e.Air > 0 {
			noise := e.Air * t.Rand.Both() * (1 + 5*math.Exp(-s/0.05))
			left += noise
			right += noise
		}
		out.L[i] = gain * level * filters[0].Low(left)
		out.R[i] = gain * level * filters[1].Low(right)
	}
	return out
}

type player struct {
	oscillator
	tuning, left, right float64
	increment           float64
	sway                vibrato
}

// seat spreads the players over pitch and the stage, each with a sway of its own.
func (e Ensemble) seat(t Tone) []player {
	players := make([]player, e.Players)
	for k := range players {
		x := 0.0
		if e.Players > 1 {
			x = 2*float64(k)/float64(e.Players-1) - 1
		}
		// Neighbours in pitch sit on opposite sides: wide, and even in tuning.
		side := x
		if k%2 == 1 {
			side = -x
		}
		angle := (1 + 0.75*side) * math.Pi / 4
		players[k] = player{
			oscillator: oscillator{t.Rand.Unit()},
			tuning:     cents(x*e.Detune/2 + 0.6*t.Rand.Both()),
			left:       math.Cos(angle), right: math.Sin(angle),
			sway: vibrato{4.6 + 0.9*t.Rand.Unit(), e.Vibrato, 0.22, tau * t.Rand.Unit()},
		}
	}
	return players
}
