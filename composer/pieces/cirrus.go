package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// Cirrus is air: a pad that changes chord every four seconds, glass bells far above.
func Cirrus() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, "Dmaj9 | F#m7 | Gmaj9 | Em9 | Bm9 | Gmaj7#11 | A9sus4 | Dadd9")
	bells := score.Melody(bar, `mp
		r:1 A5 F#5:2 | r:1 E5 C#6:2 | r:1 B5 F#5:2 | r:1 D6 B5:2 |
		mf r:1 C#6 A5:2 | r:1 B5 C#6:2 | mp r:1 D6 B5:2 | p r:1 A5 F#6:2`)
	answer := score.Melody(bar, `p
		r:3 E6:1 | r:4 | r:3 A5:1 | r:3 F#5:.5 G5 |
		r:3 B5:1 | r:3 F#6:1 | r:3 E6:1 | r:4`)
	voicings := chart.Voicings(5, score.Register{Low: "B2", High: "B4"})
	harp := score.Figure{Steps: 2, Grid: "0.2.1.3. 0.2.4.3.", Velocity: 0.4, Ring: true}
	return studio.Session{
		Clock: score.Clock{BPM: 62, SlowFrom: 26, SlowTo: 32, SlowBy: 0.85},
		Chart: chart, Room: sky, Echo: studio.Echo{Beats: 0.75, Feedback: 0.5, Cutoff: 2600}, Tail: 4.5, Seed: 21,
		Parts: []studio.Part{
			{Name: "pad", Line: onset(held(0.7).Over(chart, voicings), chart), Voice: synth.WarmPad, Level: -2, Room: 0.7,
				Effects: []studio.Effect{studio.Chorus(0.5)}},
			{
				Name:  "bells",
				Role:  studio.Lead,
				Line:  score.Join(bells, answer),
				Voice: synth.GlassBell,
				Level: -7,
				Pan:   0.2,
				Room:  0.9,
				Echo:  0.5,
				Loose: 0.02,
			},
			{
				Name:  "harp",
				Line:  harp.Over(chart, voicings).Up(12).Swell(0, 20, 0.4, 1),
				Voice: synth.Harp,
				Level: -13,
				Pan:   -0.3,
				Room:  0.8,
				Echo:  0.2,
				Loose: 0.012,
			},
			{
				Name:  "ground",
				Role:  studio.Bass,
				Line:  onset(pedal("D2", 0.7).Over(chart, nil), chart),
				Voice: synth.SubBass,
				Level: -12,
				Room:  0.1,
			},
		},
	}
}
