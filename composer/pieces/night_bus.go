package pieces

import (
	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// NightBusBorder is the beat at which NightBus is cut into its two tracks, in the
// middle of a sung note and of the pad under it.
const NightBusBorder = 58.5

// NightBus is a ride through the night released as two tracks, Night Bus 23 and
// Terminus: four to the floor in F minor, everything breathing with the kick.
func NightBus() studio.Session {
	const bar = 4
	round := "Fm9 | % | Dbmaj9 | Ebadd9"
	chart := score.Harmony(bar, round+"|"+round+"|"+round+"|"+round+"|"+round+"|"+round+"|"+round+"| Fm9")
	verse := score.Melody(bar, `mf
		C5:1.5 Ab4:.5 G4:2 | r:1 Ab4:.5 C5 Eb5:2 | F5:1.5 Eb5:.5 C5:2 | Bb4:1.5 C5:.5 F5:1 G5 |
		G5:1.5 Ab5:.5 Eb5:2 | r:1 C5:.5 Eb5 G5:2 | F5:1.5 Eb5:.5 Ab4:2 | G4:1 Bb4 F5:2`)
	const ride, home = 2 * bar, 28 * bar
	kick := score.Join(
		score.Beat(1, "X", home).Between(ride, 16*bar),
		score.Beat(1, "X", home).Between(18*bar, home))
	voicings := chart.Voicings(4, score.Register{Low: "C4", High: "C5"})
	plucks := chart.Voicings(4, score.Register{Low: "F4", High: "G5"})
	pad := onset(held(0.7).Over(chart, voicings), chart)
	arpeggio := score.Figure{Steps: 4, Grid: "0.2.1.32 .1.3.2.1", Velocity: 0.7}.Over(chart, plucks).Between(0, home)
	bass := score.Figure{
		Steps:    4,
		Grid:     "..b...b. ..b..bB.",
		Velocity: 0.85,
		Low:      "F1",
	}.Over(chart, nil).
		Between(ride, home)
	sung := score.Join(verse.From(8*bar), verse.From(20*bar))
	from := func(line score.Line, first float64) score.Line { return line.Between(first, home) }
	clock := score.Clock{BPM: 122}
	return studio.Session{
		Clock: clock, Chart: chart, Pump: kick,
		Room: hall, Echo: studio.Echo{Beats: 0.75, Feedback: 0.45, Cutoff: 3000}, Tail: 3.2, Seed: 32,
		Parts: []studio.Part{
			{
				Name:   "lead",
				Role:   studio.Lead,
				Line:   sung,
				Voice:  synth.SynthLead,
				Level:  -5,
				Pan:    0.08,
				Room:   0.35,
				Echo:   0.35,
				Pumped: true,
			},
			{Name: "pad", Line: pad, Voice: synth.StabPad, Level: -6, Room: 0.5, Pumped: true,
				Effects: []studio.Effect{studio.Sweep(500, 4200, 0, clock.Seconds(6*bar)), studio.Chorus(0.4)}},
			{
				Name:    "plucks",
				Line:    arpeggio,
				Voice:   synth.SynthPluck,
				Level:   -9,
				Pan:     -0.25,
				Room:    0.3,
				Echo:    0.4,
				Pumped:  true,
				Effects: []studio.Effect{studio.Sweep(900, 6000, clock.Seconds(2*bar), clock.Seconds(10*bar))},
			},
			{Name: "bass", Role: studio.Bass, Line: bass, Voice: synth.ClubBass, Level: -7, Pumped: true},
			{
				Name:  "last bass",
				Role:  studio.Bass,
				Line:  pedal("F1", 0.7).Over(chart, nil).Between(home, home+0.1),
				Voice: synth.SubBass,
				Level: -12,
			},
			{Name: "kick", Role: studio.Drums, Line: kick, Voice: synth.ClubKick, Level: -6},
			{
				Name:  "hat",
				Role:  studio.Drums,
				Line:  from(score.Beat(4, "..x...x...x...xo", home), 0),
				Voice: synth.Hat,
				Level: -19,
				Pan:   0.2,
				Room:  0.1,
			},
			{
				Name:  "open hat",
				Role:  studio.Drums,
				Line:  from(score.Beat(2, ".x", home), 8*bar),
				Voice: synth.OpenHat,
				Level: -21,
				Pan:   -0.15,
				Room:  0.1,
			},
			{
				Name:  "clap",
				Role:  studio.Drums,
				Line:  from(score.Beat(1, ".x", home), 4*bar),
				Voice: synth.Clap,
				Level: -14,
				Room:  0.35,
			},
			{
				Name:  "shaker",
				Role:  studio.Drums,
				Line:  from(score.Beat(4, "oxXx", home), 10*bar),
				Voice: synth.Shaker,
				Level: -23,
				Pan:   0.35,
			},
		},
	}
}
