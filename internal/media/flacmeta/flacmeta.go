// Package flacmeta reads the metadata blocks of FLAC streams (RFC 9639, section 8).
package flacmeta

import (
	"encoding/binary"
	"fmt"

	"waxwing/internal/media/window"
)

// Kinds of block.
const (
	kindStreamInfo = 0
	kindComments   = 4
	kindPicture    = 6
	kindForbidden  = 127

	streamInfoSize = 34
	maxBlocks      = 1 << 12 // real files have about five
)

// ErrInvalid is wrapped by errors about metadata that are complete but not those of a FLAC stream.
var ErrInvalid = fmt.Errorf("%w: not a FLAC stream", window.ErrDamaged)

// StreamInfo is the STREAMINFO block.
type StreamInfo struct {
	MinBlock, MaxBlock int      // samples per channel in a frame
	Rate               int      // Hz, never 0
	Channels           int      // 1 to 8
	Depth              int      // bits per sample, 4 to 32
	Frames             int64    // samples per channel; 0 when unknown
	MD5                [16]byte // of the decoded samples; zero when unknown
}

// Block is the location of a metadata block's content.
type Block struct{ Off, Size int64 }

// Metadata is everything before the first audio frame.
type Metadata struct {
	StreamInfo
	Comments Block // the first Vorbis comment block; empty when there is none
	Pictures []Block
	End      int64 // offset of the first audio frame
}

// ParseStreamInfo parses a STREAMINFO block and reports whether it is valid.
func ParseStreamInfo(b []byte) (StreamInfo, bool) {
	if len(b) < streamInfoSize {
		return StreamInfo{}, false
	}
	packed := binary.BigEndian.Uint64(b[10:])
	s := StreamInfo{
		MinBlock: int(binary.BigEndian.Uint16(b)),
		MaxBlock: int(binary.BigEndian.Uint16(b[2:])),
		Rate:     int(packed >> 44),
		Channels: int(packed>>41&7) + 1,
		Depth:    int(packed>>36&31) + 1,
		Frames:   int64(packed & (1<<36 - 1)),
		MD5:      [16]byte(b[18:]),
	}
	return s, s.Rate > 0 && s.Depth >= 4
}

// Read reads the blocks of the stream that starts at off with "fLaC".
func Read(w *window.Reader, off int64) (Metadata, error) {
	var m Metadata
	if b, err := w.At(off, 4); err != nil {
		return m, err
	} else if string(b) != "fLaC" {
		return m, ErrInvalid
	}
	m.End = off + 4
	for range maxBlocks {
		b, err := w.At(m.End, 4)
		if err != nil {
			return m, err
		}
		kind, last := b[0]&0x7f, b[0]&0x80 != 0
		if b[0] == 0xff && b[1]&0xfe == 0xf8 && m.Rate != 0 {
			break // a frame: some writers do not mark the last block
		}
		block := Block{m.End + 4, int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])}
		if block.Size > w.Size()-block.Off {
			return m, window.Damaged("a FLAC metadata block extends past the end of the file")
		}
		m.End = block.Off + block.Size
		switch {
		case kind == kindStreamInfo && m.Rate == 0:
			if b, err = w.At(block.Off, int(min(block.Size, streamInfoSize))); err != nil {
				return m, err
			}
			info, ok := ParseStreamInfo(b)
			if !ok {
				return m, fmt.Errorf("%w: the stream information is invalid", ErrInvalid)
			}
			m.StreamInfo = info
		case kind == kindComments && m.Comments.Size == 0:
			m.Comments = block
		case kind == kindPicture:
			m.Pictures = append(m.Pictures, block)
		case kind == kindForbidden:
			return m, fmt.Errorf("%w: a block has an invalid type", ErrInvalid)
		}
		if last {
			break
		}
	}
	if m.Rate == 0 {
		return m, fmt.Errorf("%w: the stream information is missing", ErrInvalid)
	}
	return m, nil
}

// Head returns the start of a FLAC file: the marker and the whole blocks at the start of b, the
// last of which is marked as such. Containers that know where the audio begins may lack the mark.
func Head(b []byte) []byte {
	head := []byte("fLaC")
	last := -1
	for len(b) >= 4 {
		size := 4 + (int(b[1])<<16 | int(b[2])<<8 | int(b[3]))
		if size > len(b) {
			break
		}
		last = len(head)
		head = append(head, b[:size]...)
		head[last] &= 0x7f
		b = b[size:]
	}
	if last >= 0 {
		head[last] |= 0x80
	}
	return head
}
