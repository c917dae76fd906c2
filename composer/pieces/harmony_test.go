package pieces_test

import (
	"math"
	"slices"
	"testing"

	"waxwing/composer/pieces"
	"waxwing/composer/score"
	"waxwing/composer/studio"
)

var all = map[string]struct {
	session studio.Session
	strong  []float64 // beats of a bar on which a melody must agree with the chord
	bar     float64
}{
	"lamplight waltz": {pieces.LamplightWaltz(), []float64{0}, 3},
	"blue hour":       {pieces.BlueHour(), []float64{0, 2}, 4},
	"last tram":       {pieces.LastTram(), []float64{0, 2}, 4},
	"cirrus":          {pieces.Cirrus(), []float64{0, 2}, 4},
	"tides":           {pieces.Tides(), []float64{0, 2}, 4},
	"first frost":     {pieces.FirstFrost(), []float64{0, 2}, 4},
	"coin garden":     {pieces.CoinGarden(), []float64{0, 2}, 4},
	"night bus":       {pieces.NightBus(), []float64{0, 2}, 4},
	"paper boats":     {pieces.PaperBoats(), []float64{0, 2}, 4},
	"añil":            {pieces.Anil(), []float64{0, 3}, 6},
	"snow globe":      {pieces.SnowGlobe(), []float64{0}, 3},
	"wren":            {pieces.Wren(), []float64{0, 2}, 4},
}

// TestMelodiesAgreeWithTheHarmony holds every melody note on a strong beat, and every
// long one anywhere, to the tones and tensions of its chord.
func TestMelodiesAgreeWithTheHarmony(t *testing.T) {
	for name, piece := range all {
		checked := 0
		for _, part := range piece.session.Parts {
			if part.Role != studio.Lead {
				continue
			}
			for _, n := range part.Line {
				strong := slices.Contains(piece.strong, math.Mod(n.At, piece.bar))
				if !strong && n.Dur < 1.5 {
					continue
				}
				checked++
				chord := piece.session.Chart.At(n.At)
				allowed := append(slices.Clone(chord.Classes), chord.Tensions...)
				if !slices.Contains(allowed, n.Pitch%12) {
					t.Errorf("%s, %s: pitch %d at beat %g does not fit %s", name, part.Name, n.Pitch, n.At, chord.Name)
				}
			}
		}
		if checked < 8 {
			t.Errorf("%s: only %d melody notes were checked", name, checked)
		}
	}
}

// TestBassesStandOnTheChord holds the first bass note of every chord to its bass.
func TestBassesStandOnTheChord(t *testing.T) {
	for name, piece := range all {
		for _, part := range piece.session.Parts {
			if part.Role != studio.Bass {
				continue
			}
			for _, chord := range piece.session.Chart {
				for _, n := range part.Line {
					if n.At == chord.At && n.Pitch%12 != chord.Bass {
						t.Errorf("%s: bass plays %d under %s at beat %g", name, n.Pitch, chord.Name, n.At)
					}
				}
			}
		}
	}
}

// TestNoHarshIntervals looks for minor ninths and seconds between a melody note and
// the chord under it, held long enough to be noticed.
func TestNoHarshIntervals(t *testing.T) {
	for name, piece := range all {
		var lead, harmony score.Line
		for _, part := range piece.session.Parts {
			switch part.Role {
			case studio.Lead:
				lead = append(lead, part.Line...)
			case studio.Harmony:
				harmony = append(harmony, part.Line...)
			}
		}
		for _, m := range lead {
			for _, h := range harmony {
				clock := piece.session.Clock
				together := clock.Seconds(min(m.At+m.Dur, h.At+h.Dur)) - clock.Seconds(max(m.At, h.At))
				if interval := m.Pitch - h.Pitch; together > 0.6 && (interval == 13 || interval == 1) {
					t.Errorf("%s: melody %d rubs against %d for %.1f s at beat %g (%s)",
						name, m.Pitch, h.Pitch, together, m.At, piece.session.Chart.At(m.At).Name)
				}
			}
		}
	}
}
