package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// SnowGlobe is a small waltz in G for a music box.
func SnowGlobe() studio.Session {
	const bar = 3
	chart := score.Harmony(bar, `
		G | Em | C | D7 | G | Bm | C | D7 |
		Em | Bm | C | G | Am | D7 | G | G`)
	melody := score.Melody(bar, `mf
		B5:2 D6:1 | E6:2 G6:1 | E6:1 D6 C6 | A5:2 D6:1 |
		B5:2 D6:1 | F#6:2 D6:1 | E6:1 G6 E6 | D6:3 |
		f G6:1.5 F#6:.5 E6:1 | D6:2 B5:1 | C6:1 E6 G6 | D6:3 |
		mf C6:1.5 B5:.5 A5:1 | F#5:1 A5 C6 | mp B5:2 G5:1 | G5+B5+D6:3`)
	voicings := chart.Voicings(3, score.Register{Low: "G4", High: "F#5"})
	end := chart.End() - bar
	box := score.Figure{
		Steps:    2,
		Grid:     "b.1.2. b.0.2.",
		Velocity: 0.5,
		Ring:     true,
		Low:      "G3",
	}.Over(chart, voicings).
		Between(0, end)
	last := roll(
		score.Join(pedal("G3", 0.5).Over(chart, nil), held(0.45).Over(chart, voicings)).Between(end, end+0.1),
		0.14,
	)
	return studio.Session{
		Clock: score.Clock{BPM: 112, SlowFrom: 36, SlowTo: 46, SlowBy: 0.55},
		Chart: chart, Room: hall, Tail: 2.4, Seed: 43,
		Parts: []studio.Part{
			{
				Name:  "comb",
				Role:  studio.Lead,
				Line:  melody,
				Voice: synth.MusicBox,
				Level: -1,
				Pan:   0.12,
				Room:  0.6,
				Loose: 0.006,
			},
			{
				Name:  "low comb",
				Line:  score.Join(box, last),
				Voice: synth.MusicBox,
				Level: -6,
				Pan:   -0.15,
				Room:  0.6,
				Loose: 0.006,
			},
			{
				Name:  "air",
				Line:  onset(held(0.4).Over(chart, chart.Voicings(3, score.Register{Low: "D3", High: "D4"})), chart),
				Voice: synth.WarmPad,
				Level: -14,
				Room:  0.6,
			},
		},
	}
}
