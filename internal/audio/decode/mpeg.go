package decode

import (
	"bytes"
	"encoding/binary"
)

type mpegKind int

const (
	mpegNone mpegKind = iota
	mpegLayer3
	mpegADTS
)

// mpegChain is how many frames must follow one another before they are
// believed: the eleven bits of one sync occur by chance in every picture.
const mpegChain = 3

// findMPEG looks for a row of MPEG layer 3 or ADTS frames and tells where it
// begins. A row that runs into the end of data counts from its second frame on,
// or from its first when it stands at the very start.
func findMPEG(data []byte) (at int, kind mpegKind) {
	for at < len(data) {
		i := bytes.IndexByte(data[at:], 0xFF)
		if i < 0 {
			break
		}
		at += i
		if kind := mpegRow(data, at); kind != mpegNone {
			return at, kind
		}
		at++
	}
	return 0, mpegNone
}

func mpegRow(data []byte, at int) mpegKind {
	first := mpegNone
	start := at
	for n := range mpegChain {
		if at+6 > len(data) {
			if n >= 2 || n == 1 && start == 0 {
				return first
			}
			return mpegNone
		}
		kind, length := mpegFrame(data[at:])
		if kind == mpegNone || n > 0 && kind != first {
			return mpegNone
		}
		first = kind
		at += length
	}
	return first
}

// mpegFrame reads the header at the start of b, which holds at least 6 bytes.
func mpegFrame(b []byte) (mpegKind, int) {
	h := binary.BigEndian.Uint32(b)
	if h>>16&0xFFF6 == 0xFFF0 {
		length := int(h&3)<<11 | int(b[4])<<3 | int(b[5])>>5
		if h>>10&15 < 13 && length >= 7 {
			return mpegADTS, length
		}
		return mpegNone, 0
	}
	version, layer, rate, bitrate := h>>19&3, h>>17&3, h>>10&3, h>>12&15
	if h>>21 != 0x7FF || version == 1 || layer != 1 || rate == 3 || bitrate == 0 || bitrate == 15 {
		return mpegNone, 0
	}
	hertz := [3]int{44100, 48000, 32000}[rate]
	kilobits := [16]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}[bitrate]
	factor := 144000
	if version != 3 { // MPEG-2 and 2.5: half the rates, and half the samples a frame
		hertz >>= 1 + (^version >> 1 & 1)
		kilobits = [16]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}[bitrate]
		factor = 72000
	}
	return mpegLayer3, factor*kilobits/hertz + int(h>>9&1)
}
