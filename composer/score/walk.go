package score

// Walk writes a jazz bass in quarter notes: the root on the chord's first beat, chord
// tones after it, and on the last beat a half step that leads into the next root.
func (c Chart) Walk(low string, velocity float64) Line {
	floor := Pitch(low)
	var line Line
	place := func(class, near int) int {
		p := floor + (class-floor%12+12)%12
		for near-p > 6 && p+12 <= floor+19 {
			p += 12
		}
		return p
	}
	last := floor + 7
	for i, chord := range c {
		root := place(chord.Bass, last)
		target := root
		if i+1 < len(c) {
			target = place(c[i+1].Bass, root)
		}
		beats := int(chord.Dur + 0.5)
		for beat := range beats {
			pitch := root
			switch {
			case beat > 0 && beat == beats-1 && target > root:
				pitch = target - 1
			case beat > 0 && beat == beats-1:
				pitch = target + 1
			case beat == 1:
				pitch = nearest(chord.Classes[0], root+4)
			case beat == 2:
				pitch = root + fifth(chord)
			}
			line = append(line, Note{At: chord.At + float64(beat), Dur: 0.95, Pitch: pitch, Velocity: velocity})
			last = pitch
		}
	}
	return line
}

// nearest is the pitch of a class that lies closest to another pitch.
func nearest(class, to int) int {
	p := to - 5
	for p%12 != class {
		p++
	}
	return p
}
