package mp3

import (
	"encoding/binary"
	"strconv"
	"strings"

	"waxwing/internal/audio"
)

// infoFrame is what the silent first frame of most files tells about the rest: Xing's header, which
// LAME and others extend, or Fraunhofer's VBRI.
type infoFrame struct {
	frames, bytes int64 // 0 when not told; bytes count this frame too
	end           int64 // offset in the file where the music ended when the frame was written
	constant      bool  // constant bit rate
	gapless       bool  // delay and padding are known
	delay         int   // samples the encoder put before the music
	padding       int   // and after it
	loudness      audio.Loudness
}

// parseInfo reads the frame as an info frame and says whether it is one.
func parseInfo(frame []byte, h header) (infoFrame, bool) {
	// Xing's header lies where main data would begin; some writers forget the CRC in between.
	for _, at := range []int{headerSize + h.sideInfoSize(), h.mainDataStart()} {
		if len(frame) >= at+8 && (string(frame[at:at+4]) == "Xing" || string(frame[at:at+4]) == "Info") {
			return parseXing(frame[at:]), true
		}
	}
	const vbriAt = headerSize + 32
	if len(frame) >= vbriAt+18 && string(frame[vbriAt:vbriAt+4]) == "VBRI" {
		return infoFrame{
			bytes:  int64(binary.BigEndian.Uint32(frame[vbriAt+10:])),
			frames: int64(binary.BigEndian.Uint32(frame[vbriAt+14:])),
		}, true
	}
	return infoFrame{}, false
}

// parseXing reads a Xing header and LAME's extension of it.
func parseXing(b []byte) infoFrame {
	info := infoFrame{constant: string(b[:4]) == "Info"}
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
		info.frames = int64(binary.BigEndian.Uint32(v))
	}
	if v := field(2, 4); v != nil {
		info.bytes = int64(binary.BigEndian.Uint32(v))
	}
	field(4, 100) // the table of contents, too coarse to be of use
	field(8, 4)   // a quality indicator
	if len(rest) < 24 {
		return info
	}
	switch string(rest[:4]) {
	case "LAME", "Lavf", "Lavc":
	default:
		return info
	}
	info.gapless = true
	info.delay = int(rest[21])<<4 | int(rest[22])>>4
	info.padding = int(rest[22]&15)<<8 | int(rest[23])
	info.loudness = lameLoudness(rest)
	return info
}

// aimsLow reports whether the encoder is LAME before 3.95, whose gains aim at 83 dB; all others
// aim at ReplayGain's 89. The version's second number has two or three digits: 3.93, 3.100.
func aimsLow(version string) bool {
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

// lameLoudness reads the peak and the gains of LAME's extension.
func lameLoudness(b []byte) (l audio.Loudness) {
	if peak := binary.BigEndian.Uint32(b[11:]); peak != 0 {
		v := float64(peak) / (1 << 23)
		l.TrackPeak = &v
	}
	offset := 0.0
	if aimsLow(string(b[:9])) {
		offset = 6
	}
	for at, kind := range map[int]uint16{15: 1, 17: 2} {
		v := binary.BigEndian.Uint16(b[at:])
		// The field names its kind and who set it; without either it is empty.
		if v>>13 != kind || v>>10&7 == 0 {
			continue
		}
		gain := float64(v&0x1ff)/10 + offset
		if v>>9&1 == 1 {
			gain = offset - float64(v&0x1ff)/10
		}
		if kind == 1 {
			l.TrackGain = &gain
		} else {
			l.AlbumGain = &gain
		}
	}
	return l
}
