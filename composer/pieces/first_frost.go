package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// FirstFrost is for string quartet: a violin over pulsing inner voices, in A minor
// until the last chord.
func FirstFrost() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		Am | Fmaj7 | C | G/B | Am | Dm | Bm7b5 | E7 |
		F | C | Dm7 | E7 | A`)
	violin := score.Melody(bar, `mp
		E5:2 A5:1 B5 | C6:2 A5 | G5:1.5 E5:.5 C5:1 E5 | D5:3 B4:1 |
		C5:1 D5 E5 A5 | F5:2 D5:1 A5 | mf A5:1.5 B5:.5 D6:2 | B5:2 G#5 |
		f A5:1.5 G5:.5 F5:1 A5 | G5:2 E5:1 G5 | mf F5:1 E5 D5 A4 | B4:2 G#4:1 B4 | p C#5:4`)
	voicings := chart.Voicings(3, score.Register{Low: "G3", High: "G4"})
	end := chart.End() - bar
	pulse := score.Figure{Steps: 2, Grid: "xoxo xoxo", Velocity: 0.55}.Over(chart, voicings).Between(0, end).
		Swell(0, 32, 0.8, 1.1)
	last := held(0.45).Over(chart, voicings).Between(end, end+0.1)
	cello := score.Figure{Steps: 1, Grid: "b--- b-f-", Velocity: 0.68, Low: "C2"}.Over(chart, nil)
	return studio.Session{
		Clock: score.Clock{BPM: 94, SlowFrom: 40, SlowTo: 49, SlowBy: 0.66},
		Chart: chart, Room: hall, Tail: 2.4, Seed: 23,
		Parts: []studio.Part{
			{
				Name:    "violin",
				Role:    studio.Lead,
				Line:    violin,
				Voice:   synth.SoloViolin,
				Level:   0,
				Pan:     -0.3,
				Room:    0.6,
				Loose:   0.01,
				Effects: []studio.Effect{violinBody},
			},
			{
				Name:    "inner",
				Line:    score.Join(pulse, last),
				Voice:   synth.ChamberStrings,
				Level:   -6,
				Pan:     0.05,
				Room:    0.55,
				Loose:   0.01,
				Effects: []studio.Effect{violinBody},
			},
			{
				Name:  "cello",
				Role:  studio.Bass,
				Line:  cello,
				Voice: synth.ChamberStrings,
				Level: -6,
				Pan:   0.3,
				Room:  0.45,
				Loose: 0.01,
			},
		},
	}
}
