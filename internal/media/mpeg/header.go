// Package mpeg parses MPEG audio frame headers (Layers I to III), the Xing, LAME and VBRI headers
// of MP3 files, and ADTS headers of raw AAC streams.
package mpeg

import "encoding/binary"

const (
	// HeaderSize is the length of a frame header.
	HeaderSize = 4
	// crcSize is the length of the checksum between the header and the side information.
	crcSize = 2
)

// Header is the parsed header of one frame.
type Header struct {
	Layer     uint8 // 1, 2 or 3
	RateIndex uint8 // index of the sample rate: MPEG-1 0–2, MPEG-2 3–5, MPEG-2.5 6–8
	LSF       bool  // MPEG-2 or 2.5, "lower sampling frequencies"
	Protected bool  // a CRC follows the header
	Padded    bool
	Mode      ChannelMode
	MidSide   bool // only in joint stereo
	Intensity bool // only in joint stereo
	BitRate   int  // bits per second; 0 is free format
}

// ChannelMode is the channel mode of a frame.
type ChannelMode uint8

// The channel modes.
const (
	Stereo ChannelMode = iota
	JointStereo
	DualChannel
	Mono
)

var sampleRates = [9]int{44100, 48000, 32000, 22050, 24000, 16000, 11025, 12000, 8000}

// bitRates lists kbit/s by LSF and layer.
var bitRates = [2][3][15]uint16{
	{
		{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	},
	{
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	},
}

// ParseHeader parses the header at the start of b and reports whether it is valid.
func ParseHeader(b []byte) (Header, bool) {
	if len(b) < HeaderSize {
		return Header{}, false
	}
	v := binary.BigEndian.Uint32(b)
	version, layer := v>>19&3, v>>17&3
	bitRate, rate := v>>12&15, v>>10&3
	if v>>21 != 0x7ff || version == 1 || layer == 0 || bitRate == 15 || rate == 3 {
		return Header{}, false
	}
	h := Header{
		Layer:     uint8(4 - layer),
		RateIndex: uint8(rate),
		Protected: v>>16&1 == 0,
		Padded:    v>>9&1 == 1,
		Mode:      ChannelMode(v >> 6 & 3),
	}
	if h.Mode == JointStereo {
		h.MidSide = v>>5&1 == 1
		h.Intensity = v>>4&1 == 1
	}
	family := 0
	if version != 3 {
		h.LSF, family = true, 1
		h.RateIndex += 3
		if version == 0 {
			h.RateIndex += 3
		}
	}
	h.BitRate = int(bitRates[family][h.Layer-1][bitRate]) * 1000
	return h, true
}

// Rate returns the sample rate in Hz.
func (h Header) Rate() int { return sampleRates[h.RateIndex] }

// Channels returns the number of channels.
func (h Header) Channels() int {
	if h.Mode == Mono {
		return 1
	}
	return 2
}

// Samples returns the number of samples per channel in one frame.
func (h Header) Samples() int {
	switch {
	case h.Layer == 1:
		return 384
	case h.Layer == 3 && h.LSF:
		return 576
	}
	return 1152
}

// Length returns the size of the whole frame in bytes. freeLength is the unpadded length of the
// stream's free-format frames, which their headers do not contain.
func (h Header) Length(freeLength int) int {
	slot := 1 // bytes
	if h.Layer == 1 {
		slot = 4
	}
	n := freeLength
	if h.BitRate > 0 {
		n = h.Samples() / 8 / slot * h.BitRate / h.Rate() * slot
	}
	if h.Padded {
		n += slot
	}
	return n
}

// SideInfoSize returns the length of a Layer III frame's side information in bytes.
func (h Header) SideInfoSize() int {
	switch {
	case h.LSF && h.Mode == Mono:
		return 9
	case h.LSF || h.Mode == Mono:
		return 17
	default:
		return 32
	}
}

// MainDataStart returns the offset in a Layer III frame at which its main data begins.
func (h Header) MainDataStart() int {
	n := HeaderSize + h.SideInfoSize()
	if h.Protected {
		n += crcSize
	}
	return n
}

// SameStream reports whether g can be another frame of h's stream. The number of channels may
// change within a stream; version, layer and sample rate may not.
func (h Header) SameStream(g Header) bool {
	return h.Layer == g.Layer && h.RateIndex == g.RateIndex && (h.BitRate == 0) == (g.BitRate == 0)
}
