package mpeg

import (
	"bytes"

	"waxwing/internal/media/window"
)

const (
	// ADTSHeaderSize is the length of an ADTS header without its checksum.
	ADTSHeaderSize = 7
	// ADTSFrameSamples is the number of samples per channel in one AAC frame.
	ADTSFrameSamples = 1024
	// maxADTSJunk is the total number of bytes outside of frames that a stream may contain.
	maxADTSJunk = 1 << 20
	adtsPeek    = 1 << 10
)

// ADTSHeader is the parsed header of one ADTS frame.
type ADTSHeader struct {
	Profile       int // MPEG-4 audio object type minus 1
	RateIndex     int // MPEG-4 sampling frequency index
	ChannelConfig int // MPEG-4 channel configuration; 0 means the stream itself describes them
	HeaderLen     int // bytes, checksum included
	Length        int // of the whole frame in bytes
	Blocks        int // AAC frames behind this header
}

var adtsRates = [13]int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}

// ParseADTS parses the header at the start of b and reports whether it is valid.
func ParseADTS(b []byte) (ADTSHeader, bool) {
	if len(b) < ADTSHeaderSize || b[0] != 0xff || b[1]&0xf6 != 0xf0 {
		return ADTSHeader{}, false
	}
	h := ADTSHeader{
		Profile:       int(b[2] >> 6),
		RateIndex:     int(b[2] >> 2 & 15),
		ChannelConfig: int(b[2]&1<<2 | b[3]>>6),
		HeaderLen:     ADTSHeaderSize,
		Length:        int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5,
		Blocks:        int(b[6]&3) + 1,
	}
	if b[1]&1 == 0 {
		h.HeaderLen += crcSize
	}
	return h, h.RateIndex < len(adtsRates) && h.Length > h.HeaderLen
}

// Rate returns the sample rate in Hz.
func (h ADTSHeader) Rate() int { return adtsRates[h.RateIndex] }

// Channels returns the number of channels, 0 when the stream itself describes them.
func (h ADTSHeader) Channels() int { return [8]int{0, 1, 2, 3, 4, 5, 6, 8}[h.ChannelConfig] }

// ADTSDescriptionSize is the most bytes at the start of an AAC packet that DescribedChannels needs.
const ADTSDescriptionSize = 64

// DescribedChannels returns the number of channels of a stream without a channel configuration from
// one of its packets: of the program configuration element at its start (ISO 14496-3, table 4.2),
// or else of its first element. It returns 0 if the packet begins with neither.
func DescribedChannels(packet []byte) int {
	const single, pair, low, program = 0, 1, 3, 5
	at := 0
	read := func(n int) (v int) {
		for range n {
			v <<= 1
			if i := at / 8; i < len(packet) {
				v |= int(packet[i]>>(7-at%8)) & 1
			}
			at++
		}
		return v
	}
	channels := 0
	switch read(3) {
	case single, low:
		channels = 1
	case pair:
		channels = 2
	case program:
		read(4 + 2 + 4)                           // instance tag, profile and rate
		elements := read(4) + read(4) + read(4)   // front, side and back
		channels = elements + read(2)             // low frequencies
		read(3 + 4)                               // associated data and coupling
		for _, width := range [...]int{4, 4, 3} { // mixdown parameters
			read(read(1) * width)
		}
		for range elements {
			channels += read(1) // a pair
			read(4)
		}
	}
	if at > 8*len(packet) {
		return 0
	}
	return channels
}

// SameStream reports whether g can be another frame of h's stream.
func (h ADTSHeader) SameStream(g ADTSHeader) bool {
	return h.Profile == g.Profile && h.RateIndex == g.RateIndex && h.ChannelConfig == g.ChannelConfig
}

// WalkADTS calls visit with the offset and header of every whole frame. The first frame decides
// which others belong to the stream; bytes between frames are skipped.
func WalkADTS(w *window.Reader, visit func(offset int64, h ADTSHeader) error) error {
	var first ADTSHeader
	junk := int64(0)
	for at := int64(0); ; {
		b, err := w.Peek(at, adtsPeek)
		if err != nil || len(b) < ADTSHeaderSize {
			return err
		}
		h, ok := ParseADTS(b)
		if ok && first.Length > 0 {
			ok = h.SameStream(first)
		}
		if !ok {
			skip := int64(1)
			if i := bytes.IndexByte(b[1:], 0xff); i < 0 {
				skip = int64(len(b))
			} else {
				skip += int64(i)
			}
			if junk += skip; junk > maxADTSJunk {
				return window.Damaged("too many bytes between ADTS frames")
			}
			at += skip
			continue
		}
		if at+int64(h.Length) > w.Size() {
			return nil
		}
		if first.Length == 0 {
			first = h
		}
		if err := visit(at, h); err != nil {
			return err
		}
		at += int64(h.Length)
	}
}
