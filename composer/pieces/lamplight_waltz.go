package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// LamplightWaltz is a slow waltz in F on an electric piano, with bass and brushes.
func LamplightWaltz() studio.Session {
	const bar = 3
	chart := score.Harmony(bar, `
		Fmaj9 | Am7 | Bbmaj9 | Am7 | Dm9 | Gm9 | C9sus4 | C7b9 |
		Fmaj9 | Cm9:2 F13:1 | Bbmaj9 | Bbm6 | Am7 | D7b9 | Gm9 | C13 | F69 | %`)
	melody := score.Melody(bar, `mp
		A4:2 C5:1 | E5:2 D5:1 | D5:1.5 C5:.5 A4:1 | C5:2 G4:1 |
		F4:1 A4 E5 | D5:2 Bb4:1 | G4:1.5 A4:.5 Bb4:1 | Db5:1 Bb4 G4 |
		mf A4:2 C5:1 | G5:2 F5:1 | F5:1.5 D5:.5 C5:1 | Db5:2 G5:1 |
		E5:1.5 G5:.5 E5:1 | mp Eb5:1 C5 F#4 | A4:1 Bb4 D5 | A4:1.5 G4:.5 E4:1 |
		p C5:1 D5 G5 | _:3`)
	voicings := chart.Voicings(4, score.Register{Low: "G3", High: "E4"})
	end := chart.End() - 2*bar
	waltz := score.Figure{Steps: 2, Grid: "..x.o-", Velocity: 0.42}.Over(chart, voicings).Between(0, end)
	last := onset(held(0.4).Over(chart, voicings), chart).Between(end, end+bar)
	for i := range last {
		last[i].Dur = 2 * bar
	}
	bass := score.Figure{Steps: 1, Grid: "b-f b-b", Velocity: 0.7, Low: "E2"}.Over(chart, nil)
	return studio.Session{
		Clock: score.Clock{BPM: 98, SlowFrom: 42, SlowTo: 51, SlowBy: 0.72},
		Chart: chart, Room: hall, Tail: 2.5, Seed: 11,
		Parts: []studio.Part{
			{Name: "tines", Role: studio.Lead, Line: melody, Voice: synth.ElectricPiano, Level: 0, Pan: 0.1, Room: 0.55,
				Loose: 0.008, Effects: []studio.Effect{studio.Tremolo(4.1, 0.16)}},
			{Name: "left hand", Line: score.Join(waltz, last), Voice: synth.ElectricPiano, Level: -6, Pan: -0.2, Room: 0.5,
				Loose: 0.008, Effects: []studio.Effect{studio.Tremolo(4.1, 0.16)}},
			{Name: "bass", Role: studio.Bass, Line: bass, Voice: synth.UprightBass, Level: -4, Room: 0.15, Loose: 0.006},
			{
				Name:  "swirl",
				Role:  studio.Drums,
				Line:  score.Beat(1, "xoo", end),
				Voice: synth.BrushSwirl,
				Level: -20,
				Pan:   0.15,
				Room:  0.3,
				Loose: 0.01,
			},
			{
				Name:  "tap",
				Role:  studio.Drums,
				Line:  score.Beat(2, "..x.o.", end),
				Voice: synth.BrushTap,
				Level: -19,
				Pan:   0.2,
				Room:  0.3,
				Loose: 0.006,
			},
		},
	}
}
