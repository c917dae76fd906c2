package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// TidesBorder is the beat at which Tides is cut into its two tracks, while the flute
// holds its highest note over a chord of strings.
const TidesBorder = 25.5

// Tides is one movement released as two tracks, Ebb and Flood: strings and a felt
// piano in C minor that turn, under a long flute note, towards E flat major.
func Tides() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		Cm9 | Abmaj9 | Ebmaj9 | Bb/D | Cm7 | Fm7 | Abmaj9 |
		Bb9sus4 | Ebmaj9 | Gm7 | Abmaj9 | Bb9sus4 Bb | Ebadd9`)
	flute := score.Melody(bar, `mp
		r:2 G4:1 C5 | Eb5:2 C5:1 Eb5 | G5:3 F5:1 | D5:2 F5 |
		Eb5:2 D5:1 C5 | Ab4:2 C5:1 Eb5 | mf G5:4 |
		F5:2 Eb5:1 C5 | Bb4:1.5 C5:.5 D5:1 F5 | F5:1.5 D5:.5 Bb4:2 |
		C5:2 Eb5:1 Bb5 | Ab5:2 F5:1 D5 | mp Eb5:4`)
	strings := chart.Voicings(4, score.Register{Low: "G3", High: "D5"})
	piano := chart.Voicings(4, score.Register{Low: "C4", High: "G5"})
	rolling := score.Figure{
		Steps:    2,
		Grid:     "0213 2312",
		Velocity: 0.5,
		Ring:     true,
	}.Over(chart, piano).
		Between(0, chart.End()-bar)
	rest := score.Figure{
		Steps:    2,
		Grid:     "0123 ....",
		Velocity: 0.42,
		Ring:     true,
	}.Over(
		chart[len(chart)-1:],
		piano[len(piano)-1:],
	)
	// Little high treble: it suits the music, and lossless files stay small.
	warm := []studio.Effect{studio.LowPass(1800), studio.LowPass(2600)}
	return studio.Session{
		Clock: score.Clock{BPM: 76, SlowFrom: 44, SlowTo: 52, SlowBy: 0.8},
		Chart: chart, Room: studio.Room{Decay: 3.2, Size: 1.3, Damping: 2000, Level: -9, Predelay: 0.02}, Tail: 2.4, Seed: 22,
		Parts: []studio.Part{
			{
				Name:  "flute",
				Role:  studio.Lead,
				Line:  flute,
				Voice: synth.SoftFlute,
				Level: -3,
				Pan:   0.08,
				Room:  0.7,
				Loose: 0.01,
			},
			{
				Name:    "strings",
				Line:    onset(held(0.65).Over(chart, strings), chart),
				Voice:   synth.SilkStrings,
				Level:   -4,
				Room:    0.5,
				Effects: warm,
			},
			{
				Name:    "piano",
				Line:    score.Join(rolling, rest),
				Voice:   synth.Piano,
				Level:   -7,
				Pan:     -0.12,
				Room:    0.5,
				Loose:   0.008,
				Effects: warm,
			},
			{
				Name:    "basses",
				Role:    studio.Bass,
				Line:    onset(pedal("C2", 0.7).Over(chart, nil), chart),
				Voice:   synth.SilkStrings,
				Level:   -9,
				Room:    0.2,
				Effects: warm,
			},
		},
	}
}
