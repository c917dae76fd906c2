package score

import (
	"fmt"
	"math"
	"strings"
)

// Figure is an accompaniment pattern written on a grid of equal steps, repeated for
// as long as the chart lasts. Spaces and | are only for the eye.
//
//	x  the whole chord      X  the same, accented     o  the same, softly
//	0…9  one voice of the chord, counted from the lowest
//	b  the bass note        f  the fifth above it     B  the octave above it
//	-  what began before goes on                      .  silence
type Figure struct {
	Steps    float64 // steps per beat
	Grid     string
	Velocity float64
	// Ring lets every note sound until its chord ends, like strings or a held pedal.
	Ring bool
	// Low is the lowest pitch of bass notes; b is the first bass pitch at or above it.
	Low string
}

// Over plays the figure on a chart with the given voicings, which may be nil when the
// grid asks only for bass notes.
func (f Figure) Over(c Chart, voicings [][]int) Line {
	grid := strings.NewReplacer(" ", "", "|", "").Replace(f.Grid)
	var line Line
	struck := 0 // how many notes at the end of line a hold prolongs
	for i, chord := range c {
		var tones []int
		if voicings != nil {
			tones = voicings[i]
		}
		first, last := stepAt(chord.At*f.Steps), stepAt((chord.At+chord.Dur)*f.Steps)
		for step := first; step < last; step++ {
			sign := grid[step%len(grid)]
			switch sign {
			case '.':
				struck = 0
				continue
			case '-':
				for k := len(line) - struck; k < len(line); k++ {
					line[k].Dur += 1 / f.Steps
				}
				continue
			}
			at := float64(step) / f.Steps
			note := Note{At: at, Dur: 1 / f.Steps, Velocity: f.Velocity * accent(sign)}
			if f.Ring {
				note.Dur = chord.At + chord.Dur - at
			}
			struck = 0
			for _, pitch := range f.pitches(sign, chord, tones) {
				note.Pitch = pitch
				line = append(line, note)
				struck++
			}
			if f.Ring {
				struck = 0
			}
		}
		// A chord that changes under a held step is struck anew by the next sign only.
		struck = 0
	}
	return line
}

func stepAt(x float64) int { return int(math.Round(x)) }

func accent(sign byte) float64 {
	switch sign {
	case 'X', 'b':
		return 1.12
	case 'o', 'B':
		return 0.72
	}
	return 1
}

func (f Figure) pitches(sign byte, chord Chord, tones []int) []int {
	switch {
	case sign == 'x' || sign == 'X' || sign == 'o':
		return tones
	case sign >= '0' && sign <= '9':
		if k := int(sign - '0'); k < len(tones) {
			return tones[k : k+1]
		}
		return nil
	}
	low := Pitch(f.Low)
	bass := low + (chord.Bass-low%12+12)%12
	switch sign {
	case 'b':
		return []int{bass}
	case 'B':
		return []int{bass + 12}
	case 'f':
		return []int{bass + fifth(chord)}
	}
	panic(fmt.Sprintf("score: unknown sign %q in figure", sign))
}

// fifth is the interval from the bass note up to the chord's fifth where the chord has
// it, or to the nearest chord tone around a fifth above where it has not.
func fifth(chord Chord) int {
	for _, interval := range []int{7, 5, 8, 6, 9, 4} {
		for _, class := range chord.Classes {
			if (chord.Bass+interval)%12 == class {
				return interval
			}
		}
	}
	return 12
}

// Beat is a rhythm for an instrument without pitch, on a grid as in Figure: X loud,
// x normal, o soft, anything else silent; it repeats until the given beat.
func Beat(steps float64, grid string, until float64) Line {
	grid = strings.NewReplacer(" ", "", "|", "").Replace(grid)
	var line Line
	for step := 0; float64(step)/steps < until-1e-6; step++ {
		sign := grid[step%len(grid)]
		if !strings.ContainsRune("Xxo", rune(sign)) {
			continue
		}
		velocity := map[byte]float64{'X': 0.95, 'x': 0.72, 'o': 0.4}[sign]
		line = append(line, Note{At: float64(step) / steps, Dur: 1 / steps, Pitch: 60, Velocity: velocity})
	}
	return line
}
