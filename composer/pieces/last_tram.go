package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// LastTram is slow and dusty: soft keys on tape, a lazy beat, a vibraphone that hums.
func LastTram() studio.Session {
	const bar = 4
	chart := score.Harmony(bar, `
		Gmaj9 | A9sus4 |
		Em9 | F#m7 | Gmaj9 | A9sus4 |
		Gmaj9 | A9sus4 | F#m7 | Bm7 | Gmaj9 | A9sus4 | Dmaj9`)
	melody := score.Melody(bar, `mp
		r:4 | r:2.5 F#5:.5 A5:1 |
		B5:1.5 A5:.5 F#5:2 | E5:1 F#5:.5 A5 C#5:2 | D5:1.5 E5:.5 F#5:1 A5 | B5:2 r:.5 A5 G5 E5 |
		F#5:1.5 D5:.5 B4:2 | D5:.5 E5 G5:1 E5:2 | A5:1.5 F#5:.5 E5:1 C#5 | D5:1.5 C#5:.5 B4:2 |
		r:.5 D5 F#5 A5 B5:1 A5 | G5:1 E5 D5 E5 | p F#5:1 A5:3`)
	voicings := chart.Voicings(4, score.Register{Low: "F#3", High: "F#4"})
	end := chart.End() - bar
	keys := score.Figure{
		Steps:    4,
		Velocity: 0.55,
		Grid:     "x-----o- --x----- x------- ..o-x---",
	}.Over(chart, voicings).
		Between(0, end)
	last := held(0.5).Over(chart, voicings).Between(end, end+0.1)
	bass := score.Figure{
		Steps:    4,
		Velocity: 0.8,
		Low:      "A1",
		Grid:     "b----.b- ..b----- b----.b- ...bf-B-",
	}.Over(chart, nil).
		Between(0, end)
	lastBass := pedal("D2", 0.7).Over(chart, nil).Between(end, end+0.1)
	lead := []studio.Effect{studio.Tremolo(5.2, 0.2), studio.LowPass(5200)}
	tape := []studio.Effect{studio.Drive(1.2), studio.Wow(0.0011), studio.LowPass(3800), studio.Chorus(0.35)}
	drums := func(grid string) score.Line { return score.Beat(4, grid, end).Between(2*bar, end) }
	return studio.Session{
		Clock: score.Clock{BPM: 82, Swing: 0.57, SwingUnit: 0.5, SlowFrom: 44, SlowTo: 50, SlowBy: 0.8},
		Chart: chart, Room: club, Echo: studio.Echo{Beats: 0.75, Feedback: 0.35, Cutoff: 2400}, Tail: 2.5, Seed: 13,
		Parts: []studio.Part{
			{
				Name:    "vibraphone",
				Role:    studio.Lead,
				Line:    melody,
				Voice:   synth.Vibraphone,
				Level:   -2,
				Pan:     0.15,
				Room:    0.6,
				Echo:    0.35,
				Loose:   0.012,
				Effects: lead,
			},
			{
				Name:    "keys",
				Line:    score.Join(keys, last),
				Voice:   synth.ElectricPiano,
				Level:   -3.5,
				Pan:     -0.08,
				Room:    0.45,
				Loose:   0.012,
				Effects: tape,
			},
			{Name: "bass", Role: studio.Bass, Line: score.Join(bass, lastBass), Voice: synth.SubBass, Level: -9, Loose: 0.005},
			{
				Name:  "kick",
				Role:  studio.Drums,
				Line:  drums("X.....o. ..x..... x......x ..x....."),
				Voice: synth.SoftKick,
				Level: -10,
				Loose: 0.004,
			},
			{
				Name:    "snare",
				Role:    studio.Drums,
				Line:    drums("....x... ....x..o"),
				Voice:   synth.DustySnare,
				Level:   -12,
				Pan:     0.05,
				Room:    0.35,
				Loose:   0.007,
				Effects: []studio.Effect{studio.LowPass(5000)},
			},
			{
				Name:    "hat",
				Role:    studio.Drums,
				Line:    drums("x.o.x.oo"),
				Voice:   synth.Hat,
				Level:   -23,
				Pan:     0.25,
				Room:    0.2,
				Loose:   0.006,
				Effects: []studio.Effect{studio.LowPass(9000)},
			},
		},
	}
}
