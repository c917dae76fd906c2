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

// MonkeysAudio reads the header of any version. ok is false if the numbers in it are impossible.
func MonkeysAudio(w *window.Reader) (h Header, ok bool, err error) {
	const (
		descriptorVersion = 3980 // since then the header has a descriptor before it
		maxRate           = 1 << 20
		maxChannels       = 32
	)
	b, err := w.Peek(0, 52+24)
	if err != nil || len(b) < 32 {
		return h, false, err
	}
	le := binary.LittleEndian
	version := le.Uint16(b[4:])
	perFrame, last, frames := int64(0), int64(0), int64(0)
	if version < descriptorVersion {
		h.Channels, h.SampleRate = int(le.Uint16(b[10:])), int(le.Uint32(b[12:]))
		frames, last = int64(le.Uint32(b[24:])), int64(le.Uint32(b[28:]))
		perFrame = oldFrameSize(version, le.Uint16(b[6:]))
	} else {
		descriptor := int64(le.Uint32(b[8:]))
		if descriptor > 4096 {
			return h, false, nil
		}
		if b, err = w.Peek(descriptor, 24); err != nil || len(b) < 24 {
			return h, false, err
		}
		h.Channels, h.SampleRate = int(le.Uint16(b[18:])), int(le.Uint32(b[20:]))
		perFrame, last, frames = int64(le.Uint32(b[4:])), int64(le.Uint32(b[8:])), int64(le.Uint32(b[12:]))
	}
	h.Samples = max(frames-1, 0)*perFrame + last
	// Every frame has some bytes.
	possible := h.SampleRate <= maxRate && h.Channels <= maxChannels && last <= perFrame && frames <= w.Size()
	if !possible {
		return Header{}, false, nil
	}
	return h, true, nil
}

// oldFrameSize returns the samples in a frame of a version that does not declare them.
func oldFrameSize(version, compression uint16) int64 {
	const extraHigh = 4000
	switch {
	case version >= 3950:
		return 4 * 73728
	case version >= 3900, version >= 3800 && compression == extraHigh:
		return 73728
	}
	return 9216
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
