// Package riff reads the chunks of WAVE (RIFF, RIFX, RF64, BW64) and AIFF files.
package riff

import (
	"encoding/binary"
	"iter"
	"math"

	"waxwing/internal/media/window"
)

const (
	maxChunks  = 1 << 12 // real files have a dozen
	headerSize = 12      // of the file
	maxRate    = 1 << 24
)

// Chunk is one chunk: an identifier, and the location of its content.
type Chunk struct {
	ID        string
	Off, Size int64
	Order     binary.ByteOrder // of the file
}

// Chunks iterates over the chunks between off and end. Changing the size of a chunk, which it may
// not know itself, moves the next one. A chunk may claim to be longer than the file.
func Chunks(w *window.Reader, off, end int64, order binary.ByteOrder) iter.Seq2[*Chunk, error] {
	return func(yield func(*Chunk, error) bool) {
		for range maxChunks {
			if off > end-8 {
				return
			}
			b, err := w.At(off, 8)
			if err != nil {
				yield(nil, err)
				return
			}
			c := Chunk{string(b[:4]), off + 8, int64(order.Uint32(b[4:])), order}
			if !yield(&c, nil) || c.Size > end-c.Off {
				return
			}
			off = c.Off + c.Size
			if c.Size&1 != 0 {
				if b, err = w.Peek(off, 5); err != nil {
					yield(nil, err)
					return
				}
				if !lacksPadding(b) {
					off++
				}
			}
		}
	}
}

// lacksPadding reports whether the writer of a file forgot the byte that makes the length of a
// chunk even: then an identifier begins right at b, and none a byte later.
func lacksPadding(b []byte) bool { return len(b) == 5 && isID(b[:4]) && !isID(b[1:]) }

func isID(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// Audio is the location and the layout of the samples in a WAVE or AIFF file.
type Audio struct {
	Off, Size int64 // of the samples, within the file
	Rate      int   // Hz, never 0
	Channels  int   // never 0
	Bits      int   // per sample, as declared
	// SampleSize is the number of bytes per sample; 0 for formats that do not store samples one by
	// one.
	SampleSize int
	Frames     int64
}

// finish limits the audio to what the file holds and computes its length; declared is the number of
// frames that the file declares, or 0.
func (a *Audio) finish(fileSize, declared int64) error {
	a.Size = max(min(a.Size, fileSize-a.Off), 0)
	if a.Rate <= 0 || a.Rate > maxRate || a.Channels <= 0 {
		return window.Damaged("audio with %d channels of %d Hz", a.Channels, a.Rate)
	}
	a.Frames = declared
	if width := int64(a.SampleSize) * int64(a.Channels); width > 0 {
		if declared > 0 && declared <= math.MaxInt64/width {
			a.Size = min(a.Size, declared*width)
		}
		a.Frames = a.Size / width
	}
	return nil
}
