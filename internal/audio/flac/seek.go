package flac

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
)

const (
	maxProbes = 24       // of the file in one search; bisection alone would need 20 for a gigabyte
	closeBy   = 48 << 10 // bytes that are faster to read than to bisect
)

// SeekTo makes frame the next one that Read returns. An invalid frame is an error and does not
// change the position.
func (d *Decoder) SeekTo(frame int64) error {
	if frame < 0 || d.Frames >= 0 && frame > d.Frames {
		return fmt.Errorf("seek to frame %d of %d", frame, d.Frames)
	}
	if frame == d.Frames || d.block.n > 0 && frame >= d.block.start && frame < d.block.end() {
		d.next = frame
		return nil
	}
	offset, start, next := d.block.offset, d.block.start, d.next
	err := d.locate(frame)
	if err == nil {
		d.next = frame
		err = d.advance()
	}
	if err != nil {
		d.rewindTo(offset, start, next)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("seek to frame %d: %w", frame, err)
	}
	return nil
}

// locate moves to a frame at or a little before the target sample. It narrows the file from both
// sides by decoding a frame near the expected position; the checksum of the frame excludes
// coincidences.
func (d *Decoder) locate(target int64) error {
	if d.index != nil {
		after := sort.Search(len(d.index), func(i int) bool { return d.index[i].start > target })
		at := d.index[after-1]
		d.rewindTo(at.offset, at.start, at.start)
		return nil
	}
	low, lowSample := d.End, int64(0)
	high, highSample := d.size, d.Frames
	if d.block.n > 0 && target >= d.block.end() {
		low, lowSample = d.bits.offset(), d.block.end()
	}
	near := int64(d.Rate) / 2
	for i := 0; i < maxProbes && high-low > closeBy && target-lowSample > near; i++ {
		guess := low + (high-low)/2
		if i < 8 && highSample > lowSample { // interpolation is faster, bisection is certain
			share := float64(target-near/2-lowSample) / float64(highSample-lowSample)
			guess = low + int64(share*float64(high-low))
		}
		guess = min(max(guess, low+1), high-1)
		found, err := d.probe(guess, high, lowSample, highSample)
		if err != nil {
			return err
		}
		switch {
		case !found:
			high = guess
		case d.block.start > target:
			high, highSample = guess, d.block.start
		case d.block.end() > target:
			low = d.block.offset
			high = low
		default:
			low, lowSample = d.bits.offset(), d.block.end()
		}
	}
	d.rewindTo(low, lowSample, lowSample)
	return nil
}

// probe decodes the first intact frame that begins within from..to and has a sample number within
// low..high. There is no upper bound when high is negative.
func (d *Decoder) probe(from, to, low, high int64) (found bool, err error) {
	if high < 0 {
		high = math.MaxInt64
	}
	d.bits.seek(from)
	for range maxDamage {
		if err := d.sync(low, high); err == io.EOF || err == nil && d.bits.offset() >= to {
			return false, nil
		} else if err != nil {
			return false, err
		}
		err := d.decodeFrame()
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, errDamaged) {
			return false, err
		}
		d.bits.seek(d.block.offset + 1)
	}
	return false, nil
}
