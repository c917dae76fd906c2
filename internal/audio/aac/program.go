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
func low() element                    { return element{lowElement, anyTag, [2]uint32{audio.LowFrequency}} }

// channelConfigs are the channel configurations that have a number (ISO 14496-3, table 1.19). By the
// standard number 7 has two pairs in front and one behind; but the files that there are have
// been made by encoders that take it for the 7.1 of cinemas at home, as number 12 is by the standard.
var channelConfigs = [...][]element{
	1:  {single(audio.FrontCenter)},
	2:  {pair(audio.FrontLeft, audio.FrontRight)},
	3:  {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight)},
	4:  {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), single(audio.BackCenter)},
	5:  {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.BackLeft, audio.BackRight)},
	6:  {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.BackLeft, audio.BackRight), low()},
	7:  {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.SideLeft, audio.SideRight), pair(audio.BackLeft, audio.BackRight), low()},
	11: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.SideLeft, audio.SideRight), single(audio.BackCenter), low()},
	12: {single(audio.FrontCenter), pair(audio.FrontLeft, audio.FrontRight), pair(audio.SideLeft, audio.SideRight), pair(audio.BackLeft, audio.BackRight), low()},
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
