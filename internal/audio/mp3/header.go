package mp3

import "encoding/binary"

const (
	headerSize = 4
	// crcSize is what a protected frame carries between header and side information.
	crcSize = 2
	// maxFrame is more than the longest frame there is: 640 kbit/s free format at 8 kHz takes 5761 bytes.
	maxFrame = 8192
	// decoderDelay is how many samples every Layer III decoder lags behind its
	// encoder's idea of time; the LAME tag counts its delay without it.
	decoderDelay = 529
)

// header is the four bytes before every frame, taken apart.
type header struct {
	rateIndex uint8 // row of sampleRates and of the scale factor bands
	lsf       bool  // MPEG-2 and 2.5, "lower sampling frequencies": one granule a frame
	protected bool  // a CRC follows
	padded    bool  // one byte longer
	mode      channelMode
	midSide   bool // both only under joint stereo
	intensity bool
	bitRate   int // bits a second; 0 is free format
}

type channelMode uint8

const (
	jointStereo channelMode = 1
	mono        channelMode = 3
)

// sampleRates lists MPEG-1, then 2, then 2.5, each in the order of the header's two bits.
var sampleRates = [9]int{44100, 48000, 32000, 22050, 24000, 16000, 11025, 12000, 8000}

// kilobits are the bit rates of Layer III: MPEG-1, then the lower sampling frequencies.
var kilobits = [2][15]int{
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
}

// parseHeader reads the header at the start of b and says whether it is one of Layer III.
func parseHeader(b []byte) (header, bool) {
	if len(b) < headerSize {
		return header{}, false
	}
	v := binary.BigEndian.Uint32(b)
	version, layer := v>>19&3, v>>17&3
	bitRate, rate := v>>12&15, v>>10&3
	if v>>21 != 0x7ff || version == 1 || layer != 1 || bitRate == 15 || rate == 3 {
		return header{}, false
	}
	h := header{
		protected: v>>16&1 == 0,
		padded:    v>>9&1 == 1,
		mode:      channelMode(v >> 6 & 3),
	}
	if h.mode == jointStereo {
		h.midSide = v>>5&1 == 1
		h.intensity = v>>4&1 == 1
	}
	switch version {
	case 3:
		h.rateIndex = uint8(rate)
	case 2:
		h.rateIndex, h.lsf = uint8(3+rate), true
	default:
		h.rateIndex, h.lsf = uint8(6+rate), true
	}
	family := 0
	if h.lsf {
		family = 1
	}
	h.bitRate = kilobits[family][bitRate] * 1000
	return h, true
}

func (h header) rate() int { return sampleRates[h.rateIndex] }

func (h header) channels() int {
	if h.mode == mono {
		return 1
	}
	return 2
}

func (h header) granules() int {
	if h.lsf {
		return 1
	}
	return 2
}

// samples is the number of samples a channel gets from one frame.
func (h header) samples() int { return granuleLines * h.granules() }

// length is the size of the whole frame in bytes. freeLength is the unpadded
// length of the stream's free-format frames, which their headers do not tell.
func (h header) length(freeLength int) int {
	n := freeLength
	if h.bitRate > 0 {
		n = h.samples() / 8 * h.bitRate / h.rate()
	}
	if h.padded {
		n++
	}
	return n
}

func (h header) sideInfoSize() int {
	switch {
	case h.lsf && h.mode == mono:
		return 9
	case h.lsf || h.mode == mono:
		return 17
	default:
		return 32
	}
}

// mainDataStart is where in the frame the side information ends.
func (h header) mainDataStart() int {
	n := headerSize + h.sideInfoSize()
	if h.protected {
		n += crcSize
	}
	return n
}

// sameStream reports whether g can be another frame of h's stream. The number of
// channels may change within a stream; version and sampling rate may not.
func (h header) sameStream(g header) bool {
	return h.rateIndex == g.rateIndex && (h.bitRate == 0) == (g.bitRate == 0)
}
