// Package studio records a score: instruments play the parts, each through its own
// effects, into a shared room, and the sum is mastered to one loudness.
package studio

import (
	"math"

	"waxwing/composer/score"
	"waxwing/composer/synth"
)

// Role says what a part does in the harmony, so that a test can check it.
type Role int

// A part colours the sound, sings, carries the harmony or keeps time.
const (
	Harmony Role = iota
	Lead
	Bass
	Drums
)

// Part is one player in the studio.
type Part struct {
	Name   string
	Role   Role
	Line   score.Line
	Voice  synth.Instrument
	Level  float64 // loudness of the part alone, in LU above or below Target
	Pan    float64 // -1 left to 1 right
	Room   float64 // how much of it the room hears, 0 to 1
	Echo   float64 // how much of it the echo hears, 0 to 1
	Loose  float64 // seconds by which a stroke may miss the beat
	Pumped bool    // gives way to the session's Pump
	// Effects are applied in order to the part as a whole.
	Effects []Effect
}

// Session is a piece ready to be played.
type Session struct {
	Clock score.Clock
	Chart score.Chart
	Parts []Part
	Room  Room
	Echo  Echo
	// Pump lists the beats at which Pumped parts duck, usually those of the kick.
	Pump score.Line
	// Tail is how long the room may ring after the last beat, in seconds. Its second
	// half is faded, and what nobody hears at its end is cut off.
	Tail float64
	Seed uint64
}

// length is the number of frames to the end of the tail.
func (s Session) length(rate float64) int {
	end := s.Chart.End()
	for _, p := range s.Parts {
		end = max(end, p.Line.End())
	}
	return int((s.Clock.Seconds(end) + s.Tail) * rate)
}

// Record plays the session and returns it mastered, within ±1.
func (s Session) Record(rate float64) synth.Stereo {
	n := s.length(rate)
	dry, room, echo := synth.Silence(n), synth.Silence(n), synth.Silence(n)
	for i, part := range s.Parts {
		track := s.perform(rate, part, s.Seed+uint64(i)*7919, n)
		for _, effect := range part.Effects {
			effect(rate, track)
		}
		balance(rate, track, part.Level)
		if part.Pumped {
			s.pump(rate, track)
		}
		add(dry, track, 1)
		add(room, track, part.Room)
		add(echo, track, part.Echo)
	}
	repeats := s.Echo.process(rate, s.Clock, echo)
	add(dry, repeats, 1)
	add(room, repeats, 0.35)
	add(dry, s.Room.process(rate, room), 1)
	HighPass(24)(rate, dry) // offset and rumble, which nobody hears
	fadeOut(rate, dry, 0.5*s.Tail)
	return trimmed(rate, normalized(rate, dry))
}

// perform plays one part, note by note, into a track of its own.
func (s Session) perform(rate float64, part Part, seed uint64, n int) synth.Stereo {
	track := synth.Silence(n)
	chance := synth.NewRand(seed)
	left, right := math.Cos((part.Pan+1)*math.Pi/4), math.Sin((part.Pan+1)*math.Pi/4)
	for i, note := range part.Line {
		start := s.Clock.Seconds(note.At)
		hold := s.Clock.Seconds(note.At+note.Dur) - start
		start = max(0, start+part.Loose*chance.Both())
		velocity := note.Velocity
		if part.Loose > 0 {
			velocity *= 1 + 0.06*chance.Both()
		}
		sound := part.Voice(rate, synth.Tone{
			Freq: score.Hertz(float64(note.Pitch)), Hold: hold,
			Velocity: min(1, velocity), Rand: synth.NewRand(seed ^ uint64(i+1)*0x51ed2701),
		})
		place(track, sound, int(start*rate), left, right)
	}
	return track
}

// balance brings a track to a loudness, so that a part's Level means what the ear
// hears whatever the instrument's own strength.
func balance(rate float64, track synth.Stereo, level float64) {
	gain := decibels(Target + level - Loudness(rate, track))
	for i := range track.L {
		track.L[i] *= gain
		track.R[i] *= gain
	}
}

// pump lowers the track at every beat of Pump and lets it come back smoothly.
func (s Session) pump(rate float64, track synth.Stereo) {
	const depth, back = 0.62, 0.24
	gain := make([]float64, track.Len())
	for i := range gain {
		gain[i] = 1
	}
	for _, beat := range s.Pump {
		from := int(s.Clock.Seconds(beat.At) * rate)
		for i := range int(back * rate) {
			if at := from + i; at < len(gain) {
				x := float64(i) / (back * rate)
				dip := min(1, x/0.03) // a short way down, so that it does not click
				gain[at] = min(gain[at], 1-depth*dip*(0.5+0.5*math.Cos(math.Pi*x)))
			}
		}
	}
	for i, g := range gain {
		track.L[i] *= g
		track.R[i] *= g
	}
}

func place(track, sound synth.Stereo, at int, left, right float64) {
	n := min(sound.Len(), track.Len()-at)
	for i := range max(0, n) {
		track.L[at+i] += left * sound.L[i]
		track.R[at+i] += right * sound.R[i]
	}
}

func add(sum, track synth.Stereo, gain float64) {
	if gain != 0 {
		place(sum, track, 0, gain, gain)
	}
}

func decibels(db float64) float64 { return math.Pow(10, db/20) }

func fadeOut(rate float64, s synth.Stereo, seconds float64) {
	n := min(s.Len(), int(seconds*rate))
	for i := range n {
		g := 0.5 - 0.5*math.Cos(math.Pi*float64(i)/float64(n))
		s.L[s.Len()-1-i] *= g
		s.R[s.Len()-1-i] *= g
	}
}

// trimmed ends a recording where it has become inaudible.
func trimmed(rate float64, s synth.Stereo) synth.Stereo {
	const inaudible = 0.0006
	end := s.Len()
	for end > 0 && math.Abs(s.L[end-1]) < inaudible && math.Abs(s.R[end-1]) < inaudible {
		end--
	}
	end = min(s.Len(), end+int(0.25*rate))
	s = synth.Stereo{L: s.L[:end], R: s.R[:end]}
	fadeOut(rate, s, 0.25)
	return s
}
