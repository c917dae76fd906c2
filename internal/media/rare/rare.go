// Package rare reads the stream headers of formats that only an external decoder plays: Monkey's
// Audio, Musepack, WavPack and DSF.
package rare

import (
	"encoding/binary"

	"waxwing/internal/media/window"
)

// Header describes an audio stream.
type Header struct {
	SampleRate, Channels int
	Samples              int64 // per channel, 0 if unknown
	Start                int64 // offset of the audio
	Tag                  int64 // offset of an ID3v2 tag behind the audio, 0 if there is none
}

// MonkeysAudio reads files of version 3.98 (2003) and later; ok is false for older ones.
func MonkeysAudio(w *window.Reader) (h Header, ok bool, err error) {
	b, err := w.At(0, 52+24)
	if err != nil {
		return h, false, err
	}
	descriptor := int64(binary.LittleEndian.Uint32(b[8:]))
	if binary.LittleEndian.Uint16(b[4:]) < 3980 || descriptor > 4096 {
		return h, false, nil
	}
	if b, err = w.At(descriptor, 24); err != nil {
		return h, false, err
	}
	perFrame, last := int64(binary.LittleEndian.Uint32(b[4:])), int64(binary.LittleEndian.Uint32(b[8:]))
	frames := int64(binary.LittleEndian.Uint32(b[12:]))
	return Header{
		SampleRate: int(binary.LittleEndian.Uint32(b[20:])),
		Channels:   int(binary.LittleEndian.Uint16(b[18:])),
		Samples:    max(frames-1, 0)*perFrame + last,
	}, true, nil
}

var wavPackRates = [16]int{
	6000, 8000, 9600, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 192000,
}

// WavPack reads the header of the first block.
func WavPack(w *window.Reader) (Header, error) {
	b, err := w.At(0, 32)
	if err != nil {
		return Header{}, err
	}
	samples, flags := int64(binary.LittleEndian.Uint32(b[12:])), binary.LittleEndian.Uint32(b[24:])
	if samples == 0xffffffff {
		samples = 0
	}
	h := Header{SampleRate: wavPackRates[flags>>23&15], Channels: 2, Samples: samples}
	if mono := flags&4 != 0; mono {
		h.Channels = 1
	}
	return h, nil
}

var musepackRates = [4]int{44100, 48000, 37800, 32000}

// Musepack reads stream versions 7 and 8; ok is false for others.
func Musepack(w *window.Reader) (h Header, ok bool, err error) {
	b, err := w.Peek(0, 64)
	if err != nil {
		return h, false, err
	}
	switch {
	case len(b) >= 12 && string(b[:3]) == "MP+":
		h = Header{SampleRate: musepackRates[b[10]&3], Channels: 2}
		h.Samples = int64(binary.LittleEndian.Uint32(b[4:])) * 1152
	case len(b) >= 32 && string(b[4:6]) == "SH":
		_, n := musepackSize(b[6:])
		at := 6 + n + 4 + 1 // checksum and version
		samples, n := musepackSize(b[at:])
		_, silence := musepackSize(b[at+n:])
		if at += n + silence; at+2 > len(b) {
			return h, false, window.Damaged("the Musepack header is truncated")
		}
		h = Header{SampleRate: musepackRates[b[at]>>5&3], Channels: int(b[at+1]>>4) + 1, Samples: samples}
	default:
		return h, false, nil
	}
	return h, true, nil
}

// musepackSize decodes a number of seven bits per byte and returns its length.
func musepackSize(b []byte) (v int64, used int) {
	for used < 8 && used < len(b) {
		c := b[used]
		used++
		v = v<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			break
		}
	}
	return v, used
}

// DSF reads the header of a DSD stream file.
func DSF(w *window.Reader) (Header, error) {
	b, err := w.At(0, 28+52)
	if err != nil {
		return Header{}, err
	}
	h := Header{
		SampleRate: int(min(binary.LittleEndian.Uint32(b[56:]), 1<<28)),
		Channels:   int(binary.LittleEndian.Uint32(b[52:]) & 15),
		Samples:    int64(min(binary.LittleEndian.Uint64(b[64:]), 1<<60)),
		Start:      92,
	}
	if tag := binary.LittleEndian.Uint64(b[20:]); tag < uint64(w.Size()) {
		h.Tag = int64(tag)
	}
	return h, nil
}
