package score

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// dynamics are the words that set the velocity of the notes after them.
var dynamics = map[string]float64{"pp": 0.35, "p": 0.48, "mp": 0.6, "mf": 0.72, "f": 0.86, "ff": 1}

// Melody reads a line in the notation of this package. Tokens stand apart by spaces:
//
//	E5:1.5   a note and its length in beats; without a length, the one before holds
//	C4+E4    notes struck together
//	G5'      staccato: sounds for half of its length
//	r:2      a rest
//	_:1      the note before goes on (a tie, also over a bar line)
//	mf       a dynamic for what follows (pp p mp mf f ff)
//	|        a bar line; every bar between two lines must be exactly full
//
// The first beat of each bar is a little louder, as players do it.
func Melody(bar float64, text string) Line {
	reader := melodyReader{bar: bar, length: 1, velocity: dynamics["mf"]}
	for i, measure := range strings.Split(text, "|") {
		start := reader.beat
		tokens := strings.Fields(measure)
		for _, token := range tokens {
			reader.token(token)
		}
		if full := math.Abs(reader.beat-start-bar) < 1e-6; !full && len(tokens) > 0 {
			panic(fmt.Sprintf("score: bar %d has %g beats instead of %g: %s", i+1, reader.beat-start, bar, measure))
		}
	}
	return reader.line
}

type melodyReader struct {
	bar, beat, length, velocity float64
	line                        Line
	struck                      int // how many notes at the end of line a tie prolongs
}

func (m *melodyReader) token(token string) {
	if v, ok := dynamics[token]; ok {
		m.velocity = v
		return
	}
	what, length, given := strings.Cut(token, ":")
	if given {
		m.length = parseLength(length)
	}
	switch what {
	case "r":
		m.struck = 0
	case "_":
		for i := len(m.line) - m.struck; i < len(m.line); i++ {
			m.line[i].Dur += m.length
		}
	default:
		m.strike(what)
	}
	m.beat += m.length
}

func (m *melodyReader) strike(what string) {
	names, staccato := strings.CutSuffix(what, "'")
	dur := m.length
	if staccato {
		dur /= 2
	}
	velocity := m.velocity
	if math.Mod(m.beat+1e-9, m.bar) < 1e-6 {
		velocity = min(1, velocity*1.08)
	}
	m.struck = 0
	for name := range strings.SplitSeq(names, "+") {
		m.line = append(m.line, Note{At: m.beat, Dur: dur, Pitch: Pitch(name), Velocity: velocity})
		m.struck++
	}
}

// parseLength reads 1.5, .5 or 1/3.
func parseLength(text string) float64 {
	above, below, divided := strings.Cut(text, "/")
	length, err := strconv.ParseFloat(above, 64)
	if err == nil && divided {
		var by float64
		by, err = strconv.ParseFloat(below, 64)
		length /= by
	}
	if err != nil || length <= 0 {
		panic(fmt.Sprintf("score: %q is not a length", text))
	}
	return length
}
