package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// Anil is two nylon guitars in D minor, in six eighths, on the stairs that lead down
// from D to A.
func Anil() studio.Session {
	const bar = 6
	chart := score.Harmony(bar, `
		Dm | C | Bbmaj7 | A7 | Dm | Gm | A7sus4 | A7 |
		F | C | Gm | Dm | Bbmaj7 | Gm | A7sus4 | A7 | Dm`)
	melody := score.Melody(bar, `mf
		A4:2 D5:1 F5:2 E5:1 | E5:2 D5:1 C5:3 | D5:2 C5:1 A4:3 | C#5:2 D5:1 E5:3 |
		F5:2 E5:1 D5:2 A4:1 | Bb4:2 D5:1 G5:3 | G5:2 F5:1 E5:2 D5:1 | C#5:3 E5 |
		f A5:2 G5:1 F5:2 C5:1 | G5:2 F5:1 E5:3 | D5:2 Bb4:1 G5:2 F5:1 | F5:2 E5:1 D5:3 |
		D5:2 F5:1 A5:2 G5:1 | G5:2 A5:1 Bb5:2 A5:1 | mf A5:2 G5:1 E5:2 D5:1 | C#5:2 E5:1 G5:2 E5:1 | mp D5:6`)
	voicings := chart.Voicings(3, score.Register{Low: "E3", High: "G4"})
	end := chart.End() - bar
	rolling := score.Figure{
		Steps:    1,
		Grid:     "b01210 b12021",
		Velocity: 0.6,
		Ring:     true,
		Low:      "E2",
	}.Over(chart, voicings).
		Between(0, end)
	last := roll(
		score.Join(pedal("E2", 0.62).Over(chart, nil), held(0.55).Over(chart, voicings)).Between(end, end+0.1),
		0.12,
	)
	return studio.Session{
		Clock: score.Clock{BPM: 198, SlowFrom: 84, SlowTo: 97, SlowBy: 0.68},
		Chart: chart, Room: hall, Tail: 2.2, Seed: 42,
		Parts: []studio.Part{
			{
				Name:    "first guitar",
				Role:    studio.Lead,
				Line:    melody,
				Voice:   synth.NylonGuitar,
				Level:   -1,
				Pan:     0.22,
				Room:    0.5,
				Loose:   0.009,
				Effects: []studio.Effect{guitarBody},
			},
			{
				Name:    "second guitar",
				Line:    score.Join(rolling, last),
				Voice:   synth.NylonGuitar,
				Level:   -3,
				Pan:     -0.3,
				Room:    0.45,
				Loose:   0.009,
				Effects: []studio.Effect{guitarBody},
			},
			{
				Name:  "palm",
				Role:  studio.Drums,
				Line:  score.Beat(1, "x..o.o", end).Between(4*bar, end),
				Voice: synth.SoftKick,
				Level: -17,
				Room:  0.3,
				Loose: 0.008,
			},
			{
				Name:  "fingers",
				Role:  studio.Drums,
				Line:  score.Beat(1, "..o.xo", end).Between(8*bar, end),
				Voice: synth.BrushTap,
				Level: -22,
				Pan:   0.1,
				Room:  0.35,
				Loose: 0.008,
			},
		},
	}
}
