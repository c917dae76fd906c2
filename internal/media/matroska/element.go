package matroska

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"

	"waxwing/internal/media/window"
)

// Identifiers of the elements that are read (RFC 9559).
const (
	idEBML     = 0x1a45dfa3
	idSegment  = 0x18538067
	idInfo     = 0x1549a966
	idTitle    = 0x7ba9
	idTracks   = 0x1654ae6b
	idCluster  = 0x1f43b675
	idTags     = 0x1254c367
	idAttached = 0x1941a469

	idTrackEntry   = 0xae
	idTrackNumber  = 0xd7
	idTrackUID     = 0x73c5
	idTrackType    = 0x83
	idCodecID      = 0x86
	idCodecPrivate = 0x63a2
	idCodecDelay   = 0x56aa
	idAudio        = 0xe1
	idRate         = 0xb5
	idOutputRate   = 0x78b5
	idChannels     = 0x9f
	idEncodings    = 0x6d80
	idEncoding     = 0x6240
	idCompression  = 0x5034
	idAlgorithm    = 0x4254
	idSettings     = 0x4255

	idSimpleBlock = 0xa3
	idBlockGroup  = 0xa0
	idBlock       = 0xa1
	idDiscard     = 0x75a2

	idTag         = 0x7373
	idTargets     = 0x63c0
	idTargetValue = 0x68ca
	idTagTrackUID = 0x63c5
	idSimpleTag   = 0x67c8
	idTagName     = 0x45a3
	idTagString   = 0x4487

	idFile     = 0x61a7
	idFileName = 0x466e
	idMIME     = 0x4660
	idFileData = 0x465c
)

const (
	maxHeaderSize = 12      // of an element
	maxChildren   = 1 << 16 // of one element
	maxString     = 256 << 10
)

// element is one element of a file; start and end enclose its content.
type element struct {
	id         uint32
	start, end int64
	cut        bool // it declares a size that does not fit, or none
	open       bool // it declares no size
}

func (e element) size() int64 { return e.end - e.start }

// elementAt parses the header at off of an element within a parent that ends at limit; ok is false
// if there is none.
func elementAt(w *window.Reader, off, limit int64) (e element, ok bool, err error) {
	b, err := w.Peek(off, int(min(maxHeaderSize, max(limit-off, 0))))
	if err != nil || len(b) < 2 {
		return e, false, err
	}
	n := bits.LeadingZeros8(b[0]) + 1
	if n > 4 || len(b) <= n {
		return e, false, nil
	}
	for _, v := range b[:n] {
		e.id = e.id<<8 | uint32(v)
	}
	size, used := number(b[n:])
	if used == 0 {
		return e, false, nil
	}
	e.start = off + int64(n+used)
	e.open = size < 0
	if e.cut = size < 0 || size > limit-e.start; e.cut {
		e.end = max(limit, e.start)
	} else {
		e.end = e.start + size
	}
	return e, true, nil
}

// number decodes a number of variable length and returns how many bytes it uses, 0 if it is
// invalid. A number of ones, which means an unknown size, is −1.
func number(b []byte) (v int64, used int) {
	if len(b) == 0 {
		return 0, 0
	}
	n := bits.LeadingZeros8(b[0]) + 1
	if n > 8 || len(b) < n {
		return 0, 0
	}
	v = int64(b[0]) & (1<<(8-n) - 1)
	for _, c := range b[1:n] {
		v = v<<8 | int64(c)
	}
	if v == 1<<(7*n)-1 {
		return -1, n
	}
	return v, n
}

// children iterates over the elements inside e, up to the first that is damaged.
func children(w *window.Reader, e element) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		at := e.start
		for range maxChildren {
			inner, ok, err := elementAt(w, at, e.end)
			if err != nil {
				yield(element{}, err)
				return
			}
			if !ok || !yield(inner, nil) {
				return
			}
			at = inner.end
		}
	}
}

// content returns the first bytes of an element, at most n.
func content(w *window.Reader, e element, n int64) ([]byte, error) {
	return w.Peek(e.start, int(min(e.size(), n)))
}

// integer returns the value of an unsigned integer.
func integer(w *window.Reader, e element) (int64, error) {
	b, err := content(w, e, 8)
	v := uint64(0)
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return int64(min(v, math.MaxInt64)), err
}

// float returns the value of a floating point number.
func float(w *window.Reader, e element) (float64, error) {
	b, err := content(w, e, 8)
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b))), err
	case 8:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), err
	}
	return 0, err
}

// text returns the value of a string, without the zeros that may pad it.
func text(w *window.Reader, e element) (string, error) {
	b, err := content(w, e, maxString)
	for i, c := range b {
		if c == 0 {
			b = b[:i]
			break
		}
	}
	return string(b), err
}
