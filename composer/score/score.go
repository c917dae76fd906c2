// Package score is the written side of the demo music: pitches, chord symbols,
// voice leading, melodies in a terse notation, accompaniment figures and the clock
// that turns beats into seconds. It knows nothing about sound.
//
// The parsers panic on a bad text, as regexp.MustCompile does: every text they see is
// a constant of this repository, and a wrong one is a mistake in the program.
package score

// Note is one note on paper: onset and length in beats, pitch as a MIDI number and a
// velocity between 0 and 1.
type Note struct {
	At, Dur  float64
	Pitch    int
	Velocity float64
}

// Line is a sequence of notes, ordered by onset as the parsers give it.
type Line []Note

// End is the beat at which the last note stops.
func (l Line) End() float64 {
	end := 0.0
	for _, n := range l {
		end = max(end, n.At+n.Dur)
	}
	return end
}

// From returns the line moved later by some beats.
func (l Line) From(beat float64) Line {
	return l.each(func(n *Note) { n.At += beat })
}

// Up returns the line transposed by semitones (downwards when negative).
func (l Line) Up(semitones int) Line {
	return l.each(func(n *Note) { n.Pitch += semitones })
}

// Between keeps the notes that begin at or after from and before to.
func (l Line) Between(from, to float64) Line {
	var kept Line
	for _, n := range l {
		if n.At >= from && n.At < to {
			kept = append(kept, n)
		}
	}
	return kept
}

// Swell scales velocities by a factor that moves evenly from one value to another
// between two beats and stays there.
func (l Line) Swell(from, to, first, last float64) Line {
	return l.each(func(n *Note) {
		x := min(1, max(0, (n.At-from)/(to-from)))
		n.Velocity *= first + (last-first)*x
	})
}

func (l Line) each(change func(*Note)) Line {
	changed := make(Line, len(l))
	for i, n := range l {
		change(&n)
		changed[i] = n
	}
	return changed
}

// Join puts lines together without moving them.
func Join(lines ...Line) Line {
	var all Line
	for _, l := range lines {
		all = append(all, l...)
	}
	return all
}
