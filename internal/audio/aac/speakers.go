package aac

import (
	"errors"
	"fmt"
	"math/bits"

	"waxwing/internal/audio"
)

// program is the beginning of a program configuration element: how many elements there are in front, at
// the side and behind and for low frequencies, and how many bits are about something else.
type program struct {
	areas [3]int
	lows  int
	other int
}

func readProgramHeader(r *bitReader) program {
	r.read(4 + 2 + 4) // its tag; profile and rate are known
	p := program{areas: [3]int{r.read(4), r.read(4), r.read(4)}, lows: r.read(2)}
	p.other = 4*r.read(3) + 5*r.read(4)
	for _, width := range [...]int{4, 4, 3} { // how to mix down
		if r.flag() {
			r.read(width)
		}
	}
	return p
}

// skipProgramEnd skips what follows the description of channels.
func skipProgramEnd(r *bitReader, bits int) {
	r.pos += bits
	r.align()
	comment := r.read(8)
	r.pos += 8 * comment
}

// skipProgram skips a program configuration element, behind its kind.
func skipProgram(r *bitReader) {
	p := readProgramHeader(r)
	skipProgramEnd(r, 5*(p.areas[0]+p.areas[1]+p.areas[2])+4*p.lows+p.other)
}

// readProgram reads a program configuration element, behind its kind, and gives each channel a speaker.
func readProgram(r *bitReader) ([]element, error) {
	p := readProgramHeader(r)
	var areas [len(p.areas)][]element
	for i, count := range p.areas {
		for range count {
			e := element{kind: r.read(1), tag: r.read(4)}
			areas[i] = append(areas[i], e)
		}
	}
	var elements []element
	for range p.lows {
		elements = append(elements, element{lowElement, r.read(4), [2]uint32{audio.LowFrequency}})
	}
	skipProgramEnd(r, p.other)
	if r.over() {
		return nil, errors.New("description of the channels cut off")
	}
	assignSpeakers(areas[0], areas[1], areas[2])
	for _, area := range areas {
		elements = append(elements, area...)
	}
	channels := 0
	for _, e := range elements {
		channels += e.width()
	}
	// Two channels for one speaker, or a channel for none, mean an arrangement that seat does not know.
	if channels == 0 || channels > maxChannels || bits.OnesCount32(speakersOf(elements)) != channels {
		return nil, fmt.Errorf("%w: %d channels in an unknown arrangement", ErrUnsupported, channels)
	}
	return elements, nil
}

// Pairs of speakers.
var (
	frontPair = [2]uint32{audio.FrontLeft, audio.FrontRight}
	innerPair = [2]uint32{audio.FrontLeftOfCenter, audio.FrontRightOfCenter}
	sidePair  = [2]uint32{audio.SideLeft, audio.SideRight}
	backPair  = [2]uint32{audio.BackLeft, audio.BackRight}
)

// assignSpeakers gives speakers to the elements in front, at the side and behind; none where it knows none. The order is from the
// centre outwards in front, and from the outside to the centre behind.
//
// A lone channel at the side is how the encoder of ffmpeg writes low frequencies; two pairs behind it are in
// the order of WAVE then.
func assignSpeakers(front, side, back []element) {
	frontPairs, backPairs := [][2]uint32{frontPair}, [][2]uint32{backPair}
	if countPairs(front) == 2 {
		frontPairs = [][2]uint32{innerPair, frontPair}
	}
	lone := len(side) == 1 && side[0].kind == singleElement
	if countPairs(back) == 2 && !lone {
		backPairs = [][2]uint32{sidePair, backPair}
	} else if lone {
		backPairs = [][2]uint32{backPair, sidePair}
	}
	assignArea(front, audio.FrontCenter, frontPairs)
	assignArea(side, audio.LowFrequency, [][2]uint32{sidePair})
	assignArea(back, audio.BackCenter, backPairs)
}

// assignArea gives pairs their seats in order. Two single elements are a pair, one is the centre.
func assignArea(area []element, center uint32, pairs [][2]uint32) {
	singles := 0
	for _, e := range area {
		singles += 2 - e.width()
	}
	half := 0
	for i := range area {
		e := &area[i]
		switch {
		case e.kind == singleElement && singles == 1:
			e.speakers[0] = center
		case len(pairs) == 0:
			return
		case e.kind == singleElement:
			e.speakers[0] = pairs[0][half]
			pairs = pairs[half:]
			half = 1 - half
		default:
			e.speakers = pairs[0]
			pairs = pairs[1:]
		}
	}
}

func countPairs(area []element) int {
	channels := 0
	for _, e := range area {
		channels += e.width()
	}
	return channels / 2
}
