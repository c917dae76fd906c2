package score

import (
	"fmt"
	"math"
	"strconv"
)

// Pitch reads a name such as C4 (middle C, 60), F#3 or Bb5.
func Pitch(name string) int {
	class, rest := pitchClass(name)
	octave, err := strconv.Atoi(rest)
	if err != nil {
		panic(fmt.Sprintf("score: %q is not a pitch", name))
	}
	return 12*(octave+1) + class
}

// Hertz is the equal-tempered frequency of a MIDI pitch, A4 = 440 Hz.
func Hertz(pitch float64) float64 {
	return 440 * math.Exp2((pitch-69)/12)
}

// pitchClass reads the letter and its accidentals and returns what follows them. The
// class may fall outside 0..11 (Cb, B#), so that Pitch keeps the octave as written.
func pitchClass(text string) (class int, rest string) {
	if text == "" || text[0] < 'A' || text[0] > 'G' {
		panic(fmt.Sprintf("score: %q does not begin with a note letter", text))
	}
	class = [...]int{9, 11, 0, 2, 4, 5, 7}[text[0]-'A']
	rest = text[1:]
	for rest != "" && (rest[0] == '#' || rest[0] == 'b') {
		if rest[0] == '#' {
			class++
		} else {
			class--
		}
		rest = rest[1:]
	}
	return class, rest
}
