package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// BlueHour is a medium swing in E flat for piano, walking bass and brushes.
func BlueHour() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		Ebmaj9 | Cm9 | Fm9 | Bb13 | Gm7 | C7b9 | Fm9 | Bb13 |
		Abmaj9 | Abm6 Db9 | Gm7 | C7b9 | Fm9 | Bb13 | Ebmaj9 Cm9 | Fm9 Bb13 | Eb69 | %`)
	melody := score.Melody(bar, `mf
		r:.5 G4 Bb4 C5 D5:1.5 Bb4:.5 | Eb5:1.5 D5:.5 r C5 G4:1 |
		Ab4:.5 C5 Eb5 G5 F5:1 Eb5 | D5:1.5 C5:.5 G4:2 |
		r:.5 Bb4 D5 F5 G5:1.5 F5:.5 | E5:1 Db5:.5 C5 Bb4:1 G4 |
		Ab4:1.5 G4:.5 r Ab4 C5 Eb5 | D5:1 C5:.5 D5 F5:1 G5 |
		f G5:1.5 Eb5:.5 C5:2 | B4:1.5 Bb4:.5 Eb5:1 F5 |
		mf D5:1.5 Bb4:.5 F5:1 D5 | E5:.5 G5 Bb5 G5 Db5:1 C5 |
		C5:1 Ab4:.5 C5 G5:1.5 F5:.5 | D5:.5 F5 Ab5 F5 G5:1 D5 |
		Bb4:1 G4:.5 Bb4 Eb5:1.5 D5:.5 | mp C5:.5 Ab4 C5:1 D5:.5 C5 Bb4 Ab4 |
		G4:2 r:1 p G5+C6:1 | _:4`)
	voicings := chart.Voicings(4, score.Register{Low: "F3", High: "E4"})
	end := chart.End() - 2*bar
	comp := score.Figure{
		Steps:    2,
		Velocity: 0.44,
		Grid:     "x-....o. ...x-... x.....o- ..o-.x..",
	}.Over(chart, voicings).
		Between(0, end)
	last := held(0.45).Over(chart, voicings).Between(end, end+0.1)
	for i := range last {
		last[i].Dur = 2 * bar
	}
	walk := chart[:len(chart)-2].Walk("F1", 0.72)
	ending := score.Melody(bar, "mf Eb2:4 | _:4").From(end)
	return studio.Session{
		Clock: score.Clock{BPM: 132, Swing: 0.64, SwingUnit: 1, SlowFrom: 58, SlowTo: 66, SlowBy: 0.75},
		Chart: chart, Room: club, Tail: 2.2, Seed: 12,
		Parts: []studio.Part{
			{
				Name:  "right hand",
				Role:  studio.Lead,
				Line:  melody,
				Voice: synth.Piano,
				Level: 0,
				Pan:   0.12,
				Room:  0.6,
				Loose: 0.007,
			},
			{
				Name:  "left hand",
				Line:  score.Join(comp, last),
				Voice: synth.Piano,
				Level: -8,
				Pan:   -0.18,
				Room:  0.6,
				Loose: 0.007,
			},
			{
				Name:  "bass",
				Role:  studio.Bass,
				Line:  score.Join(walk, ending),
				Voice: synth.UprightBass,
				Level: -4,
				Room:  0.15,
				Loose: 0.006,
			},
			{
				Name:  "ride",
				Role:  studio.Drums,
				Line:  score.Beat(2, "X.xoX.xo", end+1),
				Voice: synth.Ride,
				Level: -18,
				Pan:   0.35,
				Room:  0.35,
				Loose: 0.004,
			},
			{
				Name:  "hat",
				Role:  studio.Drums,
				Line:  score.Beat(1, ".x", end),
				Voice: synth.Hat,
				Level: -25,
				Pan:   -0.3,
				Room:  0.3,
				Loose: 0.004,
			},
			{
				Name:  "brush",
				Role:  studio.Drums,
				Line:  score.Beat(1, "oxox", end),
				Voice: synth.BrushSwirl,
				Level: -20,
				Pan:   0.05,
				Room:  0.3,
				Loose: 0.008,
			},
			{
				Name:  "snare",
				Role:  studio.Drums,
				Line:  score.Beat(2, ".....o.. .....o.o", end),
				Voice: synth.BrushTap,
				Level: -21,
				Pan:   0.1,
				Room:  0.35,
				Loose: 0.006,
			},
		},
	}
}
