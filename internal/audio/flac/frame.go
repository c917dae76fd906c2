package flac

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// fits reports whether a frame header agrees with the stream. A header that differs is a
// coincidence in the data, or the file is indexed.
func (d *Decoder) fits(h header) bool {
	rate, depth := d.formatOf(h)
	return h.channels == d.Channels && rate == d.Rate && (d.index != nil || depth == d.Depth)
}

// formatOf returns the rate and the depth of a frame.
func (d *Decoder) formatOf(h header) (rate, depth int) {
	rate, depth = d.StreamInfo.Rate, d.StreamInfo.Depth
	if h.rate != 0 {
		rate = h.rate
	}
	if h.depth != 0 {
		depth = int(h.depth)
	}
	return rate, depth
}

// belongs is fits, and the numbering of frames agrees too.
func (d *Decoder) belongs(h header) bool {
	if d.surveying {
		return true
	}
	return d.fits(h) && (d.index != nil || h.variable == d.variable && (d.bySample || h.blockSize <= d.blockSize))
}

// sampleOf returns the number of the first sample of a frame, counted from the start of the file.
func (d *Decoder) sampleOf(h header) int64 {
	if d.bySample {
		return h.number - d.skew
	}
	return h.number*int64(d.blockSize) - d.skew
}

// peekHeader parses the header at the current position without moving.
func (d *Decoder) peekHeader() (header, bool, error) {
	r := &d.bits
	r.mark = int(r.pos / 8)
	for r.n-r.mark < maxHeader && !r.eof {
		if err := r.more(); err != nil {
			return header{}, false, err
		}
	}
	h, ok := parseHeader(r.buf[r.mark:])
	return h, ok && r.mark+h.length <= r.n, nil
}

// decodeFrame reads the frame at the current position into d.block. After an error the block is
// empty, and its offset is where the attempt began.
func (d *Decoder) decodeFrame() error {
	d.block.start, d.block.n = d.block.end(), 0
	d.block.offset = d.bits.offset()
	h, ok, err := d.peekHeader()
	if err == nil && !ok {
		err = damaged("it has no header")
	} else if err == nil && !d.belongs(h) {
		err = damaged("its header disagrees with the file's")
	}
	if err == nil {
		err = d.decodeBody(h)
	}
	if err != nil {
		d.bits.seek(d.block.offset)
		return err
	}
	d.block.header, d.block.n = h, int64(h.blockSize)
	if d.numbered() {
		d.block.start = d.sampleOf(h)
	}
	return nil
}

// numbered reports whether the numbers of frames are their positions. Otherwise every frame
// follows the one before it.
func (d *Decoder) numbered() bool { return !d.surveying && d.index == nil }

func (d *Decoder) decodeBody(h header) error {
	r := &d.bits
	r.pos += uint(h.length) * 8
	_, depthOf := d.formatOf(h)
	d.block.scale = 1 / float32(int64(1)<<(depthOf-1))
	for c := range h.channels {
		s := d.room(c, h.blockSize)
		depth := uint(depthOf)
		if h.stereo != 0 && (c == 0) == (h.stereo == sideRight) {
			depth++ // the difference of two channels
		}
		if err := r.subframe(s, depth); err != nil {
			return err
		}
	}
	r.pos = (r.pos + 7) &^ 7
	sum, err := r.uint(16)
	if err != nil {
		return err
	}
	if end := int(r.pos / 8); end > r.n {
		return damaged("the file ends in it")
	} else if crc16(r.buf[r.mark:end-2]) != uint16(sum) {
		return damaged("its checksum is wrong")
	}
	if h.stereo != 0 {
		unmix(h.stereo, d.block.channels[0][history:], d.block.channels[1][history:])
	}
	return nil
}

// room returns the samples of a channel: history zeros and n more.
func (d *Decoder) room(channel, n int) []int64 {
	s := d.block.channels[channel]
	if cap(s) < history+n {
		s = make([]int64, history+max(n, min(d.blockSize, 65535)))
	}
	s = s[:history+n]
	d.block.channels[channel] = s
	return s
}

// unmix restores left and right of two channels that are coded by their difference.
func unmix(how int, a, b []int64) {
	b = b[:len(a)]
	switch how {
	case leftSide:
		for i := range a {
			b[i] = a[i] - b[i]
		}
	case sideRight:
		for i := range a {
			a[i] += b[i]
		}
	case midSide:
		for i := range a {
			side := b[i]
			mid := a[i]<<1 | side&1
			a[i], b[i] = (mid+side)>>1, (mid-side)>>1
		}
	}
}

// nextSync returns the next byte in the buffer, from at on, where a frame may begin: its first
// fifteen bits match, as far as they are in the buffer.
func (r *bitReader) nextSync(at int) int {
	for at < r.n {
		i := bytes.IndexByte(r.buf[at:r.n], 0xFF)
		if i < 0 {
			break
		}
		at += i
		if at+1 == r.n || r.buf[at+1]&0xFE == 0xF8 {
			return at
		}
		at++
	}
	return r.n
}

var errNoFrames = errors.New("the FLAC file has no audio")

// sync moves to the next header of a frame whose first sample is within low..high. It returns
// io.EOF if there is none.
func (d *Decoder) sync(low, high int64) error {
	r := &d.bits
	from := r.offset()
	for r.offset()-from < maxJunk {
		r.pos = uint(r.nextSync(int(r.pos/8))) * 8
		h, ok, err := d.peekHeader()
		if err != nil {
			return err
		}
		if ok && d.belongs(h) {
			if s := d.sampleOf(h); !d.numbered() || s >= low && s <= high {
				return nil
			}
		}
		if r.eof && r.mark >= r.n {
			return io.EOF
		}
		if r.mark < r.n {
			r.pos += 8
		}
	}
	return fmt.Errorf("%w in the %d MB after byte %d", errNoFrames, maxJunk>>20, from)
}
