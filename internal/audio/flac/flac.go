// Package flac decodes FLAC (RFC 9639): every depth from 4 to 32 bits, 1 to 8 channels, fixed and
// variable block size, bit for bit. An [Encoder] writes it.
//
// Every frame is checked against its checksum. A damaged frame becomes silence of the same length,
// so that the audio after it keeps its time; a file with more damage is an error. Seeking needs no
// seek table.
//
// What the first frames say is preferred to the metadata. If the last frame disagrees with both,
// all frames are read once and indexed.
package flac

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/media/flacmeta"
	"waxwing/internal/media/window"
)

const (
	maxHole   = 15      // seconds of silence in place of lost frames
	maxDamage = 64      // failed attempts in a row
	maxJunk   = 8 << 20 // bytes between two frames
)

// Decoder decodes one FLAC file. It is used by one goroutine at a time.
type Decoder struct {
	// Metadata is what precedes the first frame, corrected by that frame. Its Frames is the exact
	// length, found from the last frame if the file does not declare it, or −1.
	flacmeta.Metadata

	size      int64
	variable  bool  // the blocking strategy in the header of every frame
	bySample  bool  // frames are numbered by their first sample, not one by one
	blockSize int   // of every frame but the last, when they are numbered one by one
	skew      int64 // number of the first sample: not 0 when the file was cut from a longer one

	surveying bool // every intact frame belongs to the stream, whatever its header says
	parts     []part
	index     []mark // of the part that is played; nil when the numbers of frames are used

	bits  bitReader
	block block
	next  int64 // the sample that Read returns next
}

// block is the current decoded frame.
type block struct {
	header   header
	start, n int64   // first sample and number of samples; n is 0 when there is none
	offset   int64   // of its first byte
	scale    float32 // converts full scale to ±1
	channels [8][]int64
}

func (b *block) end() int64 { return b.start + b.n }

// Open reads the metadata of a FLAC file of size bytes, its first frame and its last one.
func Open(src io.ReaderAt, size int64) (*Decoder, error) {
	metadata, err := flacmeta.Read(window.New(src, size), 0)
	if err != nil {
		return nil, err
	}
	d := &Decoder{Metadata: metadata, size: size, bits: bitReader{src: src}}
	if err := d.readFirst(); err != nil {
		return nil, err
	}
	if err := d.checkLast(); err != nil {
		return nil, err
	}
	d.rewindTo(d.End, 0, 0)
	return d, nil
}

// rewindTo makes offset the position of the next frame, start its first sample if frames are
// indexed, and next the next sample.
func (d *Decoder) rewindTo(offset, start, next int64) {
	d.bits.seek(offset)
	d.block.start, d.block.n = start, 0
	d.block.offset = offset
	d.next = next
}

// Read fills dst with interleaved frames and returns the number of frames: n > 0 and nil, or 0 and
// an error, which is io.EOF after the last frame.
func (d *Decoder) Read(dst []float32) (int, error) {
	want := int64(len(dst) / d.Channels)
	if d.Frames >= 0 {
		want = min(want, d.Frames-d.next)
		if d.next >= d.Frames {
			return 0, io.EOF
		}
	}
	if d.next >= d.block.end() || d.block.n == 0 {
		if err := d.advance(); err != nil {
			return 0, err
		}
	}
	var n int64
	if d.next < d.block.start {
		n = min(want, d.block.start-d.next)
		clear(dst[:n*int64(d.Channels)])
	} else {
		n = min(want, d.block.end()-d.next)
		d.interleave(dst, int(d.next-d.block.start)+history, int(n))
	}
	d.next += n
	return int(n), nil
}

func (d *Decoder) interleave(dst []float32, from, n int) {
	scale := d.block.scale
	if d.Channels == 2 {
		left, right := d.block.channels[0][from:from+n], d.block.channels[1][from:from+n]
		dst = dst[:2*n]
		for i := range left {
			dst[2*i] = float32(left[i]) * scale
			dst[2*i+1] = float32(right[i]) * scale
		}
		return
	}
	step := d.Channels
	for c := range step {
		for i, v := range d.block.channels[c][from : from+n] {
			dst[i*step+c] = float32(v) * scale
		}
	}
}

// advance decodes the frame that has the next sample, or the first one after it if that frame is
// lost.
func (d *Decoder) advance() error {
	for failures := 0; ; {
		err := d.decodeFrame()
		if err == nil {
			if d.block.end() <= d.next {
				continue
			}
			if d.block.start-d.next <= maxHole*int64(d.Rate) {
				return nil
			}
			err = damaged("its number is out of sequence")
			d.block.n = 0
		}
		if !errors.Is(err, errDamaged) {
			return err
		}
		if failures++; failures > maxDamage {
			return fmt.Errorf("the FLAC file is too damaged at byte %d: %w", d.bits.offset(), err)
		}
		d.bits.seek(d.block.offset + 1)
		if err := d.sync(d.next-65535, d.next+maxHole*int64(d.Rate)); err == io.EOF && d.Frames >= 0 {
			return fmt.Errorf("the FLAC file ends %d samples early: %w", d.Frames-d.next, io.ErrUnexpectedEOF)
		} else if err != nil {
			return err
		}
	}
}

// Close frees the memory of the decoder. It does not close the file.
func (d *Decoder) Close() error {
	d.block = block{}
	d.bits = bitReader{src: d.bits.src}
	return nil
}
