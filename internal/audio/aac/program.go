package aac

import (
	"math/bits"

	"waxwing/internal/audio"
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

// element is one element of a packet and the speakers of its one or two channels.
type element struct {
	kind     int
	tag      int // anyTag: elements of a kind differ by their order alone
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
func low() element                    { return element{lowElement, anyTag, [2]uint32{audio.LowFrequency}} }

// channelConfigs lists the channel configurations by index (ISO 14496-3, table 1.19). In the
// standard, index 7 has two front pairs and one back pair; but encoders use it for the common 7.1
// layout, which is index 12 in the standard.
var channelConfigs = [...][]element{
	1: {single(audio.FrontCenter)},
	2: {pair(audio.FrontLeft, audio.FrontRight)},
	3: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight)},
	4: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), single(audio.BackCenter)},
	5: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.BackLeft, audio.BackRight)},
	6: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.BackLeft, audio.BackRight), low()},
	7: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.SideLeft, audio.SideRight),
		pair(audio.BackLeft, audio.BackRight), low()},
	11: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.SideLeft, audio.SideRight),
		single(audio.BackCenter), low()},
	12: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.SideLeft, audio.SideRight),
		pair(audio.BackLeft, audio.BackRight), low()},
}

func speakersOf(elements []element) uint32 {
	mask := uint32(0)
	for _, e := range elements {
		mask |= e.speakers[0] | e.speakers[1]
	}
	return mask
}

// slots returns the output index of each channel, in the order of the elements.
func (c Config) slots() []int {
	var slots []int
	for _, e := range c.elements {
		for _, speaker := range e.speakers[:e.width()] {
			slots = append(slots, bits.OnesCount32(c.speakers&(speaker-1)))
		}
	}
	return slots
}
