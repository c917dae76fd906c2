package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// CoinGarden is music for a game that does not exist, on the five voices such machines
// had, with an echo they could only dream of.
func CoinGarden() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		C | G/B | Am7 | F | C | G | F | G |
		Am | Em | F | C | Dm7 | Em | F | G |
		F | G | Ab | Bb | C`)
	lead := score.Melody(bar, `mf
		E5:.5 G5 C6 G5 E5:1 D5:.5 C5 | D5:.5 G5 B5:1 D6 B5 | C6:1.5 B5:.5 A5:1 G5:.5 E5 | F5:.5 A5 C6:1 A5:2 |
		E6:1 C6:.5 G5 E5:1 G5 | D6:1 B5:.5 G5 D5:1 G5 | A5:.5 C6 F6:1 C6 A5 | B5:.5 D6 G5:1 r G5':.5 G5' |
		f C6:1.5 B5:.5 A5:2 | B5:1.5 A5:.5 G5:2 | A5:1.5 G5:.5 F5:1 A5 | G5:3 E5:1 |
		F5:1.5 E5:.5 D5:1 F5 | G5:1.5 A5:.5 B5:1 G5 | A5:1 C6 F6 E6 | D6:2 B5:.5 G5 D5 G5 |
		mf C5:1 A4:.5 C5 F5:1 C5 | D5:1 B4:.5 D5 G5:1 D5 | Eb5:1 C5:.5 Eb5 Ab5:1 Eb5 | f F5:1 D5:.5 F5 Bb5:1 F5:.5 Bb5 |
		C6:3 r:1`)
	end := chart.End() - bar
	voicings := chart.Voicings(3, score.Register{Low: "G3", High: "G4"})
	arpeggio := score.Figure{Steps: 4, Grid: "0121", Velocity: 0.55}.Over(chart, voicings)
	bass := score.Figure{Steps: 2, Grid: "b.bBb.fB", Velocity: 0.8, Low: "F1"}.Over(chart, nil).Between(0, end)
	last := pedal("C2", 0.8).Over(chart, nil).Between(end, end+0.1)
	drums := func(steps float64, grid string) score.Line { return score.Beat(steps, grid, end) }
	return studio.Session{
		Clock: score.Clock{BPM: 148, SlowFrom: 76, SlowTo: 82, SlowBy: 0.8},
		Chart: chart, Room: club, Echo: studio.Echo{Beats: 0.75, Feedback: 0.4, Cutoff: 3200}, Tail: 2, Seed: 31,
		Parts: []studio.Part{
			{
				Name:    "lead",
				Role:    studio.Lead,
				Line:    lead,
				Voice:   synth.Pulse(0.25, synth.Envelope{Attack: 0.004, Decay: 0.5, Sustain: 0.55, Release: 0.06}),
				Level:   -1,
				Pan:     0.1,
				Room:    0.15,
				Echo:    0.4,
				Effects: []studio.Effect{studio.LowPass(7000)},
			},
			{
				Name:    "arpeggio",
				Line:    arpeggio,
				Voice:   synth.Pulse(0.5, synth.Envelope{Attack: 0.003, Decay: 0.1, Sustain: 0.25, Release: 0.03}),
				Level:   -9,
				Pan:     -0.4,
				Room:    0.2,
				Echo:    0.1,
				Effects: []studio.Effect{studio.LowPass(5500)},
			},
			{Name: "triangle", Role: studio.Bass, Line: score.Join(bass, last), Voice: synth.ChipTriangle, Level: -6},
			{Name: "kick", Role: studio.Drums, Line: drums(2, "X..xx..."), Voice: synth.ChipKick, Level: -9},
			{
				Name:  "snare",
				Role:  studio.Drums,
				Line:  drums(2, "..x...x. ..x...xo"),
				Voice: synth.ChipNoise(9000, 0.05),
				Level: -13,
				Pan:   0.1,
				Room:  0.15,
			},
			{
				Name:  "hat",
				Role:  studio.Drums,
				Line:  drums(2, "oxoxoxox"),
				Voice: synth.ChipNoise(20000, 0.014),
				Level: -21,
				Pan:   0.3,
			},
		},
	}
}
