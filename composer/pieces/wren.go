package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// Wren is a mechanical bird that sings round the circle of fifths until its spring
// runs down.
func Wren() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		Dm7 | G | C6 | Fmaj7 | Bm7b5 | E7 | Am7 | A7 |
		Dm7 | G7 | Em7 | Am7 | Dm7 | G9sus4 | C69`)
	song := score.Melody(bar, `mf
		F5:.5 A5 D6:1 C6 A5 | B5:1.5 A5:.5 G5:1 D5 | E5:.5 G5 C6:1 A5 G5 | A5:1.5 G5:.5 E5:1 C5 |
		D5:.5 F5 B5:1 A5 F5 | G#5:1.5 F#5:.5 E5:1 B4 | C5:.5 E5 A5:1 G5 E5 | C#5:1 E5 G5 E5 |
		f F5:.5 A5 D6:1 F6 D6 | B5:1 D6 F6 D6 | E6:1.5 D6:.5 B5:1 G5 | C6:1.5 B5:.5 A5:1 G5 |
		mf F5:1 A5 C6 A5 | C6:2 A5:1 G5 | mp E5:1 G5 C6:2`)
	voicings := chart.Voicings(4, score.Register{Low: "E4", High: "F5"})
	end := chart.End() - bar
	works := score.Figure{
		Steps:    2,
		Grid:     "b.1.b.2. b.2.b.3.",
		Velocity: 0.5,
		Low:      "G3",
		Ring:     true,
	}.Over(chart, voicings).
		Between(0, end)
	last := roll(
		score.Join(pedal("G3", 0.5).Over(chart, nil), held(0.45).Over(chart, voicings)).Between(end, end+0.1),
		0.2,
	)
	bass := score.Figure{Steps: 2, Grid: "b---f---", Velocity: 0.6, Low: "E2"}.Over(chart, nil)
	return studio.Session{
		Clock: score.Clock{BPM: 138, SlowFrom: 34, SlowTo: 57, SlowBy: 0.42},
		Chart: chart, Room: hall, Echo: studio.Echo{Beats: 0.5, Feedback: 0.25, Cutoff: 3500}, Tail: 2.5, Seed: 44,
		Parts: []studio.Part{
			{
				Name:  "bird",
				Role:  studio.Lead,
				Line:  song,
				Voice: synth.Celesta,
				Level: -1,
				Pan:   0.1,
				Room:  0.5,
				Echo:  0.15,
				Loose: 0.004,
			},
			{
				Name:  "works",
				Line:  score.Join(works, last),
				Voice: synth.MusicBox,
				Level: -8,
				Pan:   -0.25,
				Room:  0.5,
				Loose: 0.004,
			},
			{Name: "reed", Role: studio.Bass, Line: bass, Voice: synth.Harp, Level: -7, Pan: 0.05, Room: 0.4, Loose: 0.004},
			{
				Name:  "tick",
				Role:  studio.Drums,
				Line:  score.Beat(2, "xoxo", end),
				Voice: synth.Tick,
				Level: -26,
				Pan:   0.4,
				Room:  0.3,
			},
		},
	}
}
