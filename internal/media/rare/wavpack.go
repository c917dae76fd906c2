package rare

import (
	"bytes"
	"encoding/binary"

	"waxwing/internal/media/window"
)

const (
	wavPackHeader = 32
	maxSubBlocks  = 64

	// Flags of a block.
	wavPackMono    = 1 << 2
	wavPackInitial = 1 << 11 // first block of a group of channels
	wavPackFinal   = 1 << 12 // last block of it
	wavPackDSD     = 1 << 31

	// Identifiers of sub-blocks.
	subMask     = 0x3f
	subOdd      = 0x40 // one byte less than the size says
	subLarge    = 0x80 // a size of three bytes
	subChannels = 0x0d
	subDSD      = 0x0e
	subRate     = 0x27
)

// wavPackRates are the rates that the flags of a block can declare; others are in a sub-block.
var wavPackRates = [16]int{
	6000, 8000, 9600, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 192000,
}

// WavPack reads the first block, and the last if the first does not declare the length.
func WavPack(w *window.Reader) (Header, error) {
	b, err := w.At(0, wavPackHeader)
	if err != nil {
		return Header{}, err
	}
	size := 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	flags := binary.LittleEndian.Uint32(b[24:])
	h := Header{SampleRate: wavPackRates[flags>>23&15], Channels: 2, Samples: wavPackTotal(b)}
	if flags&wavPackMono != 0 {
		h.Channels = 1
	}
	if err := h.readSubBlocks(w, min(size, w.Size()), flags); err != nil {
		return Header{}, err
	}
	if h.Samples < 0 {
		h.Samples, err = wavPackEnd(w)
	}
	return h, err
}

// wavPackTotal returns the number of samples that a block declares for the file, −1 if it does not.
func wavPackTotal(b []byte) int64 {
	low := int64(binary.LittleEndian.Uint32(b[12:]))
	if low == 0xffffffff {
		return -1
	}
	return low + int64(b[11])<<32 - int64(b[11])
}

// readSubBlocks reads the rate and the channels that do not fit into the flags.
func (h *Header) readSubBlocks(w *window.Reader, end int64, flags uint32) error {
	at := int64(wavPackHeader)
	for range maxSubBlocks {
		b, err := w.Peek(at, 12)
		if err != nil || len(b) < 4 || at >= end {
			return err
		}
		id, size, head := b[0], 2*int64(b[1]), int64(2)
		if id&subLarge != 0 {
			size, head = 2*(int64(b[1])|int64(b[2])<<8|int64(b[3])<<16), 4
		}
		data := b[head:]
		if n := size - int64(id&subOdd>>6); n < int64(len(data)) {
			data = data[:max(n, 0)]
		}
		switch id & subMask {
		case subRate:
			if len(data) >= 3 {
				h.SampleRate = int(data[0]) | int(data[1])<<8 | int(data[2])<<16
			}
		case subChannels:
			if several := flags&wavPackInitial != 0 && flags&wavPackFinal == 0; several && len(data) >= 1 {
				h.Channels = int(data[0])
			}
			if len(data) >= 6 {
				h.Channels = (int(data[0]) | int(data[2]&15)<<8) + 1
			}
		case subDSD:
			if len(data) >= 1 && flags&wavPackDSD != 0 && data[0] < 8 {
				h.SampleRate <<= data[0]
			}
		}
		at += head + size
	}
	return nil
}

// wavPackEnd returns the number of samples up to the end of the last block, 0 if it is not found.
func wavPackEnd(w *window.Reader) (int64, error) {
	const (
		tail    = 256 << 10 // a block has at most half a second
		perByte = 4096      // samples in a byte, at most: silence
	)
	from := max(0, w.Size()-tail)
	b, err := w.Peek(from, int(w.Size()-from))
	if err != nil {
		return 0, err
	}
	for end := len(b); ; {
		at := bytes.LastIndex(b[:end], []byte("wvpk"))
		if at < 0 {
			return 0, nil
		}
		if block := b[at:]; len(block) >= wavPackHeader && block[9] == 4 { // the version
			first := int64(binary.LittleEndian.Uint32(block[16:])) + int64(block[10])<<32
			if total := first + int64(binary.LittleEndian.Uint32(block[20:])); total <= w.Size()*perByte {
				return total, nil
			}
		}
		end = at
	}
}
