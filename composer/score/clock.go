package score

import "math"

// Clock turns beats into seconds.
type Clock struct {
	BPM float64
	// Swing is where the second of two equal halves of SwingUnit falls: 0.5 is even,
	// 2/3 a triplet feel; 0 means even.
	Swing, SwingUnit float64
	// From SlowFrom to SlowTo the tempo falls evenly to SlowBy times itself and stays.
	SlowFrom, SlowTo, SlowBy float64
}

// Seconds is the time of a beat.
func (c Clock) Seconds(beat float64) float64 {
	if c.Swing > 0 {
		beat = c.swung(beat)
	}
	perBeat := 60 / c.BPM
	if c.SlowBy == 0 || beat <= c.SlowFrom {
		return perBeat * beat
	}
	span, loss := c.SlowTo-c.SlowFrom, 1-c.SlowBy
	// The tempo falls linearly over the beats, so time is the logarithm of what is left.
	slowing := min(beat, c.SlowTo) - c.SlowFrom
	t := perBeat * (c.SlowFrom - span/loss*math.Log(1-loss*slowing/span))
	return t + perBeat/c.SlowBy*max(0, beat-c.SlowTo)
}

func (c Clock) swung(beat float64) float64 {
	pair := math.Floor(beat/c.SwingUnit+1e-9) * c.SwingUnit
	x := (beat - pair) / c.SwingUnit
	if x < 0.5 {
		x *= 2 * c.Swing
	} else {
		x = c.Swing + (x-0.5)*2*(1-c.Swing)
	}
	return pair + x*c.SwingUnit
}
