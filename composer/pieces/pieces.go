// Package pieces holds the compositions of the demo music, a file for each. All were
// written for this program. A piece is a chart of chords, melodies in the notation of
// package score and the players who perform them.
package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
)

// Three rooms serve the whole record, so that the albums sound like places.
var (
	club = studio.Room{Decay: 1.3, Size: 0.7, Damping: 4200, Level: -10, Predelay: 0.012}
	hall = studio.Room{Decay: 2.8, Size: 1.1, Damping: 4800, Level: -8, Predelay: 0.022}
	sky  = studio.Room{Decay: 5.5, Size: 1.5, Damping: 3600, Level: -5, Predelay: 0.03}
)

// guitarBody is where the top and the air of a guitar ring.
var guitarBody = studio.Body(
	studio.Resonance{Freq: 104, Gain: 0.9, Width: 0.5},
	studio.Resonance{Freq: 208, Gain: 0.9, Width: 0.5},
	studio.Resonance{Freq: 430, Gain: 0.35, Width: 0.6},
)

// violinBody is the wood of a violin: its air, its plates and its bridge.
var violinBody = studio.Body(
	studio.Resonance{Freq: 285, Gain: 0.5, Width: 0.5},
	studio.Resonance{Freq: 520, Gain: 0.5, Width: 0.5},
	studio.Resonance{Freq: 1150, Gain: 0.3, Width: 0.6},
	studio.Resonance{Freq: 2600, Gain: 0.5, Width: 0.7},
)

// held is a figure that strikes each chord once and holds it.
func held(velocity float64) score.Figure {
	return score.Figure{Steps: 2, Grid: "x", Velocity: velocity, Ring: true}
}

// pedal is the bass note of each chord, held.
func pedal(low string, velocity float64) score.Figure {
	return score.Figure{Steps: 2, Grid: "b", Velocity: velocity, Ring: true, Low: low}
}

// onset keeps of a line only what begins with a chord: with a figure that rings, one
// stroke for each chord.
func onset(line score.Line, chart score.Chart) score.Line {
	var kept score.Line
	for _, n := range line {
		if chord := chart.At(n.At); n.At == chord.At {
			kept = append(kept, n)
		}
	}
	return kept
}
