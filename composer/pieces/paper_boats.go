package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// PaperBoats is a song without words: a picked steel guitar in G and a low whistle.
func PaperBoats() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		G | Cadd9 |
		G | D/F# | Em7 | Cadd9 | G | D/F# | Cadd9 | Dsus4 D |
		Em7 | Bm7 | C | G/B | Am7 | D | G | Cadd9 | G`)
	whistle := score.Melody(bar, `mf
		r:4 | r:3 B4:.5 C5 |
		D5:1.5 B4:.5 D5:1 G5 | F#5:1.5 E5:.5 D5:2 | E5:1 G5 B5:1.5 A5:.5 | G5:3 E5:1 |
		D5:1.5 B4:.5 D5:1 G5 | A5:1.5 G5:.5 F#5:1 D5 | E5:1.5 G5:.5 E5:1 D5 | D5:2 F#5:1 A5 |
		f B5:1.5 A5:.5 G5:1 E5 | F#5:1.5 E5:.5 D5:2 | E5:1 G5 C6:1.5 B5:.5 | B5:2 G5:1 D5 |
		mf C5:1 E5 A5 G5 | F#5:1.5 G5:.5 A5:2 | mp G5:3 D5:1 | E5:1.5 D5:.5 G4:2 | p B4:4`)
	voicings := chart.Voicings(4, score.Register{Low: "D3", High: "G4"})
	end := chart.End() - bar
	picking := score.Figure{
		Steps:    2,
		Grid:     "b231 f213",
		Velocity: 0.62,
		Ring:     true,
		Low:      "E2",
	}.Over(chart, voicings).
		Between(0, end)
	strum := roll(held(0.55).Over(chart, voicings).Between(end, end+0.1), 0.06)
	lastBass := pedal("E2", 0.6).Over(chart, nil).Between(end, end+0.1)
	return studio.Session{
		Clock: score.Clock{BPM: 116, SlowFrom: 64, SlowTo: 73, SlowBy: 0.72},
		Chart: chart, Room: hall, Tail: 2.2, Seed: 41,
		Parts: []studio.Part{
			{
				Name:  "whistle",
				Role:  studio.Lead,
				Line:  whistle,
				Voice: synth.LowWhistle,
				Level: -3,
				Pan:   0.15,
				Room:  0.6,
				Loose: 0.012,
			},
			{
				Name:    "guitar",
				Line:    score.Join(picking, strum, lastBass),
				Voice:   synth.SteelGuitar,
				Level:   -2,
				Pan:     -0.15,
				Room:    0.35,
				Loose:   0.008,
				Effects: []studio.Effect{guitarBody, studio.Chorus(0.12)},
			},
			{
				Name:  "heel",
				Role:  studio.Drums,
				Line:  score.Beat(1, "x.o.", end).Between(2*bar, end),
				Voice: synth.SoftKick,
				Level: -19,
				Room:  0.3,
				Loose: 0.008,
			},
			{
				Name:  "shaker",
				Role:  studio.Drums,
				Line:  score.Beat(2, "oxoxoxox", end).Between(10*bar, end),
				Voice: synth.Shaker,
				Level: -25,
				Pan:   0.4,
				Room:  0.3,
				Loose: 0.008,
			},
		},
	}
}

// roll spreads notes struck together upwards, some beats apart.
func roll(chord score.Line, apart float64) score.Line {
	rolled := make(score.Line, len(chord))
	for i, n := range chord {
		n.At += apart * float64(i)
		rolled[i] = n
	}
	return rolled
}
