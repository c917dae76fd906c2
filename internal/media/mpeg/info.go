package mpeg

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// Info is the content of the silent first frame of most MP3 files: the Xing header, which LAME and
// others extend, or Fraunhofer's VBRI header.
type Info struct {
	Frames, Bytes int64 // 0 when absent; Bytes include this frame
	Constant      bool  // constant bit rate
	Gapless       bool  // Delay and Padding are known
	Delay         int   // samples that the encoder added before the audio
	Padding       int   // samples that the encoder added after the audio
	// TrackGain and AlbumGain are in dB relative to the ReplayGain reference, Peak is linear.
	TrackGain, AlbumGain, Peak *float64
}

// parseInfo parses a whole frame and reports whether it is an info frame.
func parseInfo(frame []byte, h Header) (Info, bool) {
	if h.Layer != 3 {
		return Info{}, false
	}
	// The Xing header stands where main data would begin; some writers ignore the CRC in between.
	for _, at := range []int{HeaderSize + h.SideInfoSize(), h.MainDataStart()} {
		if len(frame) >= at+8 && (string(frame[at:at+4]) == "Xing" || string(frame[at:at+4]) == "Info") {
			return parseXing(frame[at:]), true
		}
	}
	const vbriAt = HeaderSize + 32
	if len(frame) >= vbriAt+18 && string(frame[vbriAt:vbriAt+4]) == "VBRI" {
		return Info{
			Bytes:  int64(binary.BigEndian.Uint32(frame[vbriAt+10:])),
			Frames: int64(binary.BigEndian.Uint32(frame[vbriAt+14:])),
		}, true
	}
	return Info{}, false
}

// parseXing parses a Xing header and LAME's extension.
func parseXing(b []byte) Info {
	info := Info{Constant: string(b[:4]) == "Info"}
	flags := binary.BigEndian.Uint32(b[4:])
	rest := b[8:]
	field := func(bit uint32, size int) []byte {
		if flags&bit == 0 || len(rest) < size {
			return nil
		}
		v := rest[:size]
		rest = rest[size:]
		return v
	}
	if v := field(1, 4); v != nil {
		info.Frames = int64(binary.BigEndian.Uint32(v))
	}
	if v := field(2, 4); v != nil {
		info.Bytes = int64(binary.BigEndian.Uint32(v))
	}
	field(4, 100) // table of contents, too coarse for exact seeks
	field(8, 4)   // quality indicator
	if len(rest) < 24 {
		return info
	}
	switch string(rest[:4]) {
	case "LAME", "Lavf", "Lavc":
		info.parseLAME(rest)
	}
	return info
}

// parseLAME parses LAME's extension of the Xing header, at least 24 bytes.
func (i *Info) parseLAME(b []byte) {
	i.Gapless = true
	i.Delay = int(b[21])<<4 | int(b[22])>>4
	i.Padding = int(b[22]&15)<<8 | int(b[23])
	if peak := binary.BigEndian.Uint32(b[11:]); peak != 0 {
		v := float64(peak) / (1 << 23)
		i.Peak = &v
	}
	offset := 0.0
	if targets83dB(string(b[:9])) {
		offset = 6
	}
	const track, album = 1, 2
	i.TrackGain = lameGain(binary.BigEndian.Uint16(b[15:]), track, offset)
	i.AlbumGain = lameGain(binary.BigEndian.Uint16(b[17:]), album, offset)
}

// lameGain decodes a gain field, which contains its kind, its originator, a sign and tenths of a
// decibel. It returns nil if the field is of another kind or has no originator.
func lameGain(v, kind uint16, offset float64) *float64 {
	if v>>13 != kind || v>>10&7 == 0 {
		return nil
	}
	gain := float64(v&0x1ff) / 10
	if v>>9&1 == 1 {
		gain = -gain
	}
	gain += offset
	return &gain
}

// targets83dB reports whether the encoder is LAME before 3.95, whose gains refer to 83 dB; all
// others refer to ReplayGain's 89 dB. The minor version has two or three digits: 3.93, 3.100.
func targets83dB(version string) bool {
	digits, ok := strings.CutPrefix(version, "LAME3.")
	if !ok {
		return false
	}
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	minor, err := strconv.Atoi(digits[:end])
	return err == nil && minor < 95
}
