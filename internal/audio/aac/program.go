package aac

import (
	"errors"
	"fmt"
	"math/bits"
)

// The kinds of elements in a packet.
const (
	singleElement = iota // one channel
	pairElement
	couplingElement
	lowElement // one channel of low frequencies
	dataElement
	programElement
	fillElement
	endElement
)

// The bits of WAVE's mask of speakers.
const (
	frontLeft = 1 << iota
	frontRight
	frontCenter
	lowFrequency
	backLeft
	backRight
	frontLeftOfCenter
	frontRightOfCenter
	backCenter
	sideLeft
	sideRight
)

// element is one of those that make up a packet, and where its one or two channels are heard.
type element struct {
	kind     int
	tag      int // anyTag: elements of a kind are told apart by their order alone
	speakers [2]uint32
}

const anyTag = -1

func (e element) width() int {
	if e.kind == pairElement {
		return 2
	}
	return 1
}

func single(speaker uint32) element   { return element{singleElement, anyTag, [2]uint32{speaker}} }
func pair(left, right uint32) element { return element{pairElement, anyTag, [2]uint32{left, right}} }
func low() element                    { return element{lowElement, anyTag, [2]uint32{lowFrequency}} }

// channelConfigs are the channel configurations that have a number (ISO 14496-3, table 1.19). By the
// standard number 7 has two pairs in front and one behind; but the files that there are have
// been made by encoders that take it for the 7.1 of cinemas at home, as number 12 is by the standard.
var channelConfigs = [...][]element{
	1:  {single(frontCenter)},
	2:  {pair(frontLeft, frontRight)},
	3:  {single(frontCenter), pair(frontLeft, frontRight)},
	4:  {single(frontCenter), pair(frontLeft, frontRight), single(backCenter)},
	5:  {single(frontCenter), pair(frontLeft, frontRight), pair(backLeft, backRight)},
	6:  {single(frontCenter), pair(frontLeft, frontRight), pair(backLeft, backRight), low()},
	7:  {single(frontCenter), pair(frontLeft, frontRight), pair(sideLeft, sideRight), pair(backLeft, backRight), low()},
	11: {single(frontCenter), pair(frontLeft, frontRight), pair(sideLeft, sideRight), single(backCenter), low()},
	12: {single(frontCenter), pair(frontLeft, frontRight), pair(sideLeft, sideRight), pair(backLeft, backRight), low()},
}

func speakersOf(elements []element) uint32 {
	mask := uint32(0)
	for _, e := range elements {
		mask |= e.speakers[0] | e.speakers[1]
	}
	return mask
}

// slots is the place of each channel among the decoder's, in the order of the elements.
func (c Config) slots() []int {
	var slots []int
	for _, e := range c.elements {
		for _, speaker := range e.speakers[:e.width()] {
			slots = append(slots, bits.OnesCount32(c.speakers&(speaker-1)))
		}
	}
	return slots
}

// readProgram reads a program configuration element, behind its kind, and gives each channel a speaker.
func readProgram(r *bitReader) ([]element, error) {
	r.read(4 + 2 + 4) // its tag; profile and rate are known
	front, side, back := r.read(4), r.read(4), r.read(4)
	lows, data, couplings := r.read(2), r.read(3), r.read(4)
	for _, width := range [...]int{4, 4, 3} { // how to mix down
		if r.flag() {
			r.read(width)
		}
	}
	var elements []element
	counts := [3]int{} // channels in front, at the side, behind
	for area, n := range [...]int{front, side, back} {
		for range n {
			e := element{kind: r.read(1), tag: r.read(4)}
			elements = append(elements, e)
			counts[area] += e.width()
		}
	}
	for range lows {
		elements = append(elements, element{kind: lowElement, tag: r.read(4)})
	}
	r.read(4 * data)
	r.read(5 * min(couplings, 8))
	r.read(5 * max(couplings-8, 0))
	r.align()
	comment := r.read(8)
	r.pos += 8 * comment
	if r.over() {
		return nil, errors.New("description of the channels cut off")
	}
	return elements, seat(elements, counts, lows)
}

// seat gives speakers to elements, which come from the front to the back.
func seat(elements []element, counts [3]int, lows int) error {
	front := map[int][]uint32{
		1: {frontCenter},
		2: {frontLeft, frontRight},
		3: {frontCenter, frontLeft, frontRight},
		4: {frontLeftOfCenter, frontRightOfCenter, frontLeft, frontRight},
		5: {frontCenter, frontLeftOfCenter, frontRightOfCenter, frontLeft, frontRight},
	}[counts[0]]
	side := map[int][]uint32{2: {sideLeft, sideRight}}[counts[1]]
	back := map[int][]uint32{
		1: {backCenter},
		2: {backLeft, backRight},
		3: {backLeft, backRight, backCenter},
		4: {sideLeft, sideRight, backLeft, backRight},
	}[counts[2]]
	speakers := append(append(front, side...), back...)
	total := counts[0] + counts[1] + counts[2]
	if total == 0 || len(speakers) != total || lows > 1 || total+lows > maxChannels || counts[1] > 0 && counts[2] > 3 {
		return fmt.Errorf("%w: %d channels in front, %d at the side, %d behind, %d low", ErrUnsupported, counts[0], counts[1], counts[2], lows)
	}
	if lows == 1 {
		speakers = append(speakers, lowFrequency)
	}
	for i := range elements {
		e := &elements[i]
		speakers = speakers[copy(e.speakers[:e.width()], speakers):]
	}
	return nil
}
