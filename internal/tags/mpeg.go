package tags

import (
	"encoding/binary"
	"time"
	"waxwing/internal/media/window"
)

// mpegHeader is the header of one frame of MPEG audio, layers I to III.
type mpegHeader struct {
	version  byte // 3 is MPEG-1, 2 is MPEG-2, 0 is MPEG-2.5
	layer    byte // 1, 2 or 3
	bitrate  int  // kbit/s
	rate     int
	channels int
	samples  int // in one frame
	length   int // of the frame, in bytes
}

// Bit rates by [MPEG-1 or not][layer].
var mpegBitrates = [2][4][15]int{
	{{}, {0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256}, {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}, {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}},
	{{}, {0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448}, {0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384}, {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}},
}

func parseMPEG(b []byte) (h mpegHeader, ok bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return h, false
	}
	h.version, h.layer = b[1]>>3&3, 4-b[1]>>1&3
	bitrate, rate, padding := b[2]>>4, b[2]>>2&3, int(b[2]>>1&1)
	if h.version == 1 || h.layer == 4 || bitrate == 0 || bitrate == 15 || rate == 3 {
		return h, false
	}
	first := 0
	if h.version == 3 {
		first = 1
	}
	h.bitrate = mpegBitrates[first][h.layer][bitrate]
	h.rate = [3]int{44100, 48000, 32000}[rate]
	switch h.version {
	case 2:
		h.rate /= 2
	case 0:
		h.rate /= 4
	}
	h.channels = 2
	if b[3]>>6 == 3 {
		h.channels = 1
	}
	switch {
	case h.layer == 1:
		h.samples, h.length = 384, (12*h.bitrate*1000/h.rate+padding)*4
	case h.layer == 3 && h.version != 3:
		h.samples, h.length = 576, 72*h.bitrate*1000/h.rate+padding
	default:
		h.samples, h.length = 1152, 144*h.bitrate*1000/h.rate+padding
	}
	return h, true
}

// sameStream reports whether two frames can belong to one stream.
func (h mpegHeader) sameStream(o mpegHeader) bool {
	return h.version == o.version && h.layer == o.layer && h.rate == o.rate
}

// mpeg reads an MPEG audio stream that starts at or soon after off. It is also where files of no
// known kind end, so the first frame must be followed by another one to count.
func (p *parser) mpeg() error {
	end, err := p.trailers()
	if err != nil {
		return err
	}
	first, start, err := p.findMPEG(0, end)
	if err != nil {
		return err
	}
	if first.length == 0 {
		return ErrUnknownFormat
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels = MP3, first.rate, first.channels
	t.Audio = Range{start, max(end-start, 0)}
	frames, trimmed, err := p.mpegInfo(first, start)
	if err != nil {
		return err
	}
	if frames == 0 {
		if frames, err = p.countMPEG(first, start, end); err != nil {
			return err
		}
	}
	samples := max(frames*int64(first.samples)-trimmed, 0)
	t.Duration = samplesToTime(samples, first.rate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}

// findMPEG looks for the first frame that another one follows.
func (p *parser) findMPEG(off, end int64) (mpegHeader, int64, error) {
	const reach = 128 << 10
	limit := min(end, off+reach)
	for at := off; at+4 <= limit; {
		b, err := p.Peek(at, window.PageSize)
		if err != nil {
			return mpegHeader{}, 0, err
		}
		i := 0
		for ; i+4 <= len(b); i++ {
			if b[i] != 0xff {
				continue
			}
			h, ok := parseMPEG(b[i:])
			if !ok {
				continue
			}
			found := at + int64(i)
			next, err := p.Peek(found+int64(h.length), 4)
			if err != nil {
				return mpegHeader{}, 0, err
			}
			n, ok := parseMPEG(next)
			alone := found == off && found+int64(h.length) >= end && end-found > 4
			if (ok && h.sameStream(n)) || alone {
				return h, found, nil
			}
			if b, err = p.Peek(at, window.PageSize); err != nil { // the look ahead took the window away
				return mpegHeader{}, 0, err
			}
		}
		at += int64(max(i, 1))
	}
	return mpegHeader{}, 0, nil
}

// mpegInfo reads the Xing, Info or VBRI header in the first frame: how many frames follow it, and how
// many samples the encoder added at both ends. No such header: 0 frames.
func (p *parser) mpegInfo(h mpegHeader, start int64) (frames, trimmed int64, err error) {
	if h.layer != 3 {
		return 0, 0, nil
	}
	b, err := p.Peek(start, min(h.length, 256))
	if err != nil {
		return 0, 0, err
	}
	side := 32
	switch {
	case h.version == 3 && h.channels == 1, h.version != 3 && h.channels == 2:
		side = 17
	case h.version != 3:
		side = 9
	}
	if has(b, 4+32, "VBRI") && len(b) >= 4+32+18 {
		return int64(binary.BigEndian.Uint32(b[4+32+14:])), 0, nil
	}
	x := 4 + side
	if !has(b, x, "Xing") && !has(b, x, "Info") || len(b) < x+12 {
		return 0, 0, nil
	}
	flags := binary.BigEndian.Uint32(b[x+4:])
	if flags&1 == 0 {
		return 0, 0, nil
	}
	frames = int64(binary.BigEndian.Uint32(b[x+8:]))
	if most := p.Size() / 24; frames > most { // no frame is shorter than 24 bytes
		return 0, 0, nil
	}
	at := x + 8
	for bit, n := range [4]int{4, 4, 100, 4} {
		if flags&(1<<bit) != 0 {
			at += n
		}
	}
	if len(b) >= at+24 && (has(b, at, "LAME") || has(b, at, "Lavf") || has(b, at, "Lavc") || has(b, at, "GOGO")) {
		delay, padding := int64(b[at+21])<<4|int64(b[at+22])>>4, int64(b[at+22]&15)<<8|int64(b[at+23])
		trimmed = delay + padding
	}
	return frames, trimmed, nil
}

// countMPEG says how many frames there are in a stream without a header that tells. A stream whose
// probes all have the bit rate of the first frame is taken as constant; any other is walked through.
func (p *parser) countMPEG(first mpegHeader, start, end int64) (int64, error) {
	constant := true
	at := start
	for range 16 {
		b, err := p.Peek(at, 4)
		if err != nil {
			return 0, err
		}
		h, ok := parseMPEG(b)
		if !ok || at >= end {
			break
		}
		constant = constant && h.bitrate == first.bitrate
		at += int64(h.length)
	}
	if constant && end-start > 64<<10 {
		h, _, err := p.findMPEG(start+(end-start)/2, end)
		if err != nil {
			return 0, err
		}
		constant = h.length == 0 || (h.sameStream(first) && h.bitrate == first.bitrate)
	}
	if constant {
		perSecond := float64(first.bitrate) * 1000 / 8
		seconds := float64(end-start) / perSecond
		return int64(seconds*float64(first.rate)/float64(first.samples) + 0.5), nil
	}
	return p.walkMPEG(start, end)
}

// walkMPEG counts the frames one by one, passing over what is none.
func (p *parser) walkMPEG(start, end int64) (frames int64, err error) {
	for at := start; at+4 <= end; {
		b, err := p.Peek(at, 4)
		if err != nil {
			return 0, err
		}
		h, ok := parseMPEG(b)
		if !ok {
			if h, at, err = p.findMPEG(at+1, end); err != nil {
				return 0, err
			}
			if h.length == 0 {
				break
			}
			continue
		}
		frames++
		at += int64(h.length)
	}
	return frames, nil
}

func samplesToTime(samples int64, rate int) time.Duration {
	if rate <= 0 || samples < 0 {
		return 0
	}
	seconds := samples / int64(rate)
	if seconds > 1<<32 {
		return 0
	}
	return time.Duration(seconds)*time.Second + time.Duration(samples%int64(rate))*time.Second/time.Duration(rate)
}

// averageBitrate is in kbit/s.
func averageBitrate(bytes int64, d time.Duration) int {
	if d < time.Millisecond || bytes <= 0 {
		return 0
	}
	return int(min(float64(bytes)*8/d.Seconds()/1000+0.5, 1e6))
}
