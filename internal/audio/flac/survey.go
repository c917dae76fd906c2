package flac

import (
	"errors"
	"io"

	"waxwing/internal/media/flacmeta"
)

const (
	tailSize  = 64 << 10 // bytes at the end in which the last frame is searched for first
	maxSurvey = 1 << 30  // bytes of a file that is indexed
	maxParts  = 1 << 12
)

// part is a run of frames with the same rate and channels in a file that is indexed.
type part struct {
	info  flacmeta.StreamInfo
	index []mark // at least one
	end   int64  // offset behind its last frame
}

// mark is the position of a frame: its offset in the file and its first sample in the part.
type mark struct{ offset, start int64 }

// Indexed reports whether all frames were read to find the length and the parts of the file.
func (d *Decoder) Indexed() bool { return d.index != nil }

// Parts returns the number of streams that the file has one after the other: more than one if rate
// or channels change. The decoder plays the first.
func (d *Decoder) Parts() int { return max(len(d.parts), 1) }

// Part returns a decoder of one part of the file.
func (d *Decoder) Part(i int) *Decoder {
	p := &Decoder{Metadata: d.Metadata, parts: d.parts, bits: bitReader{src: d.bits.src}}
	p.play(i)
	return p
}

// play makes one part of the file what the decoder decodes.
func (d *Decoder) play(i int) {
	part := &d.parts[i]
	d.StreamInfo, d.index = part.info, part.index
	d.blockSize = part.info.MaxBlock
	d.End, d.size = part.index[0].offset, part.end
	d.rewindTo(d.End, 0, 0)
}

// readFirst finds out from the first frames what the stream is and how frames are numbered. They
// are more reliable than the metadata: the bit for the blocking strategy had another meaning in
// early versions of the format, and some files declare a false block size.
func (d *Decoder) readFirst() error {
	d.surveying = true
	d.rewindTo(d.End, 0, 0)
	err := d.decodeFrame()
	d.surveying = false
	if err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	intact := err == nil
	h, ok := d.block.header, intact
	if !intact {
		if h, ok, err = d.peekHeader(); err != nil {
			return err
		}
		ok = ok && d.fits(h)
	}
	d.blockSize = d.MaxBlock
	if d.blockSize < 16 || intact {
		d.blockSize = max(h.blockSize, 16)
	}
	if !ok {
		d.variable = d.MinBlock != d.MaxBlock
		d.bySample = d.variable
		return nil
	}
	d.variable = h.variable
	d.bySample = h.variable || d.MinBlock != d.MaxBlock
	if intact {
		d.Channels = h.channels
		d.Rate, d.Depth = d.formatOf(h)
		next, ok, err := d.peekHeader()
		if err != nil {
			return err
		}
		if step := next.number - h.number; ok && d.fits(next) && next.variable == h.variable {
			d.bySample = step == int64(h.blockSize) || d.bySample && step != 1
		}
	}
	d.skew = d.sampleOf(h)
	return nil
}

// checkLast compares the last intact frame with the declared length, or takes the length from it.
// A frame behind the declared end, or of another format, means that neither the metadata nor the
// numbers of frames can be relied on.
func (d *Decoder) checkLast() error {
	last, found, err := d.lastFrame()
	switch {
	case err != nil:
		return err
	case !found && d.Frames == 0:
		d.Frames = -1
		return nil
	case !found:
		return nil
	}
	end := d.sampleOf(last) + int64(last.blockSize)
	switch {
	case !d.belongs(last) || end <= 0 || d.Frames > 0 && end > d.Frames:
		return d.survey()
	case d.Frames == 0:
		d.Frames = end
	}
	return nil
}

// lastFrame returns the header of the last intact frame. It searches far only if the metadata do
// not declare the length.
func (d *Decoder) lastFrame() (last header, found bool, err error) {
	d.surveying = true
	defer func() { d.surveying = false }()
	for back := int64(tailSize); back <= maxFrame; back *= 4 {
		from := max(d.End, d.size-back)
		for at := from; ; at = d.bits.offset() {
			more, err := d.probe(at, d.size, 0, -1)
			if err != nil {
				return last, false, err
			}
			if !more {
				break
			}
			last, found = d.block.header, true
		}
		if found || from == d.End || d.Frames > 0 {
			break
		}
	}
	return last, found, nil
}

// survey decodes the whole file and indexes its parts. The length is what was found.
func (d *Decoder) survey() error {
	if d.size-d.End > maxSurvey {
		return nil
	}
	d.surveying = true
	defer func() { d.surveying = false }()
	d.rewindTo(d.End, 0, 0)
	var parts []part
	for failures := 0; failures <= maxDamage; {
		err := d.decodeFrame()
		if err == nil {
			failures = 0
			if parts = d.indexFrame(parts); len(parts) > maxParts {
				break
			}
			continue
		}
		if errors.Is(err, errDamaged) {
			failures++
			d.bits.seek(d.block.offset + 1)
			err = d.sync(0, 0)
		}
		if err == io.EOF || errors.Is(err, errNoFrames) {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(parts) > 0 {
		d.parts = parts
		d.play(0)
	}
	return nil
}

// indexFrame adds the current block to the last part, or begins a new one.
func (d *Decoder) indexFrame(parts []part) []part {
	info := d.StreamInfo
	info.Channels = d.block.header.channels
	info.Rate, info.Depth = d.formatOf(d.block.header)
	last := len(parts) - 1
	if last < 0 || parts[last].info.Channels != info.Channels || parts[last].info.Rate != info.Rate {
		info.Frames, info.MaxBlock = 0, 0
		parts = append(parts, part{info: info})
		last++
	}
	p := &parts[last]
	if n := len(p.index); n == 0 || p.info.Frames >= p.index[n-1].start+int64(info.Rate)/2 {
		p.index = append(p.index, mark{d.block.offset, p.info.Frames})
	}
	p.info.Frames += d.block.n
	p.info.MaxBlock = max(p.info.MaxBlock, int(d.block.n))
	p.end = d.bits.offset()
	return parts
}
