package flac

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is wrapped when a file is not FLAC at all, or FLAC of a kind that
// no player knows.
var ErrFormat = errors.New("not a FLAC stream")

const (
	blockStreamInfo = 0
	blockComment    = 4
	blockForbidden  = 127

	maxBlocks = 1 << 10 // of metadata; real files have about five
)

// StreamInfo is what a FLAC file says about itself as a whole.
type StreamInfo struct {
	Rate     int   // frames a second
	Channels int   // 1 to 8
	Depth    int   // bits a sample, 4 to 32
	Frames   int64 // exact length; −1 when neither the file says nor its end shows it
}

// metadata reads everything before the first frame and returns where that is.
// Block lengths are 24 bits, so nothing here can ask for more than 16 MiB, and
// only what the file really holds is read.
func (d *Decoder) metadata(src io.ReaderAt) (first int64, err error) {
	var head [4]byte
	if _, err := src.ReadAt(head[:], 0); err != nil || string(head[:]) != "fLaC" {
		return 0, errors.Join(ErrFormat, notEOF(err))
	}
	at := int64(4)
	seen := false
	for range maxBlocks {
		if _, err := src.ReadAt(head[:], at); err != nil {
			return 0, fmt.Errorf("read FLAC metadata: %w", shortened(err))
		}
		kind, last := head[0]&0x7F, head[0]&0x80 != 0
		length := int64(head[1])<<16 | int64(head[2])<<8 | int64(head[3])
		at += 4
		if at+length > d.size {
			return 0, fmt.Errorf("read FLAC metadata: %w", io.ErrUnexpectedEOF)
		}
		switch {
		case kind == blockStreamInfo && !seen:
			if err := d.streamInfo(src, at, length); err != nil {
				return 0, err
			}
			seen = true
		case kind == blockComment && d.Comments == nil:
			d.Comments = make([]byte, length)
			if _, err := src.ReadAt(d.Comments, at); err != nil && err != io.EOF {
				return 0, fmt.Errorf("read FLAC comments: %w", err)
			}
		case kind == blockForbidden:
			return 0, fmt.Errorf("%w: its metadata is damaged", ErrFormat)
		}
		at += length
		if last {
			if !seen {
				break
			}
			return at, nil
		}
	}
	return 0, fmt.Errorf("%w: it does not say its rate", ErrFormat)
}

func (d *Decoder) streamInfo(src io.ReaderAt, at, length int64) error {
	var b [18]byte
	if length < 34 {
		return fmt.Errorf("%w: its stream information is too short", ErrFormat)
	}
	if _, err := src.ReadAt(b[:], at); err != nil {
		return fmt.Errorf("read FLAC stream information: %w", shortened(err))
	}
	smallest, largest := binary.BigEndian.Uint16(b[0:]), binary.BigEndian.Uint16(b[2:])
	if smallest == largest && largest >= 16 {
		d.blockSize = int(largest)
	}
	d.variable = smallest != largest
	packed := binary.BigEndian.Uint64(b[10:])
	d.Info = StreamInfo{
		Rate:     int(packed >> 44),
		Channels: int(packed>>41&7) + 1,
		Depth:    int(packed>>36&31) + 1,
		Frames:   int64(packed & (1<<36 - 1)),
	}
	if d.Info.Rate == 0 || d.Info.Depth < 4 {
		return fmt.Errorf("%w: %d Hz, %d bit", ErrFormat, d.Info.Rate, d.Info.Depth)
	}
	return nil
}

// notEOF drops io.EOF, which a caller would take for the regular end of the sound.
func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// shortened names the end of a file that came too early.
func shortened(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
