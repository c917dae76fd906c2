package studio

import (
	"waxwing/composer/score"
	"waxwing/composer/synth"
)

// Echo repeats in time with the music, from side to side, each time darker.
type Echo struct {
	Beats    float64 // time between repeats; 0 means no echo
	Feedback float64
	Cutoff   float64
}

func (e Echo) process(rate float64, clock score.Clock, in synth.Stereo) synth.Stereo {
	out := synth.Silence(in.Len())
	if e.Beats == 0 {
		return out
	}
	delay := int(60 / clock.BPM * e.Beats * rate)
	dark := [2]*synth.Filter{synth.NewFilter(rate, e.Cutoff, 0), synth.NewFilter(rate, e.Cutoff, 0)}
	thin := [2]*synth.Filter{synth.NewFilter(rate, 180, 0), synth.NewFilter(rate, 180, 0)}
	for i := delay; i < in.Len(); i++ {
		// What enters goes to the left first; each side feeds the other.
		left := 0.7*(in.L[i-delay]+in.R[i-delay])*0.5 + e.Feedback*out.R[i-delay]
		right := 0.3*(in.L[i-delay]+in.R[i-delay])*0.5 + e.Feedback*out.L[i-delay]
		out.L[i] = thin[0].High(dark[0].Low(left))
		out.R[i] = thin[1].High(dark[1].Low(right))
	}
	return out
}
