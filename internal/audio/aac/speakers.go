package aac

import (
	"errors"
	"fmt"
	"math/bits"

	"waxwing/internal/audio"
)

// program is the beginning of a program configuration element: the numbers of front, side, back and
// low-frequency elements, and the number of bits with other content.
type program struct {
	areas [3]int
	lows  int
	other int
}

func readProgramHeader(r *bitReader) program {
	r.read(4 + 2 + 4) // instance tag, profile and rate
	p := program{areas: [3]int{r.read(4), r.read(4), r.read(4)}, lows: r.read(2)}
	p.other = 4*r.read(3) + 5*r.read(4)
	for _, width := range [...]int{4, 4, 3} { // mixdown parameters
		if r.flag() {
			r.read(width)
		}
	}
	return p
}

// skipProgramEnd skips the part after the description of the channels.
func skipProgramEnd(r *bitReader, bits int) {
	r.pos += bits
	r.align()
	comment := r.read(8)
	r.pos += 8 * comment
}

// skipProgram skips a program configuration element after its kind.
func skipProgram(r *bitReader) {
	p := readProgramHeader(r)
	skipProgramEnd(r, 5*(p.areas[0]+p.areas[1]+p.areas[2])+4*p.lows+p.other)
}

// readProgram parses a program configuration element after its kind and assigns a speaker to each
// channel.
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
		return nil, errors.New("truncated description of the channels")
	}
	assignSpeakers(areas[0], areas[1], areas[2])
	for _, area := range areas {
		elements = append(elements, area...)
	}
	channels := 0
	for _, e := range elements {
		channels += e.width()
	}
	// Two channels for one speaker, or a channel without one, mean an unknown layout.
	if channels == 0 || channels > maxChannels || bits.OnesCount32(speakersOf(elements)) != channels {
		return nil, fmt.Errorf("%w: %d channels in an unknown layout", ErrUnsupported, channels)
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

// assignSpeakers assigns speakers to the front, side and back elements of known layouts. Front
// elements are ordered from the centre outwards, back elements from the outside to the centre.
//
// ffmpeg's encoder writes the low-frequency channel as a single side element; two back pairs are
// then in the order of WAVE.
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

// assignArea assigns pairs in order. Two single elements form a pair, one is the centre.
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
