package mpeg

import (
	"bytes"
	"io"
	"sort"

	"waxwing/internal/media/window"
)

const (
	// MaxFrame exceeds the longest frame, 5761 bytes of 640 kbit/s free format at 8 kHz.
	MaxFrame = 8192
	// CheckpointEvery is the distance in frames between the positions that a Stream remembers.
	CheckpointEvery = 16
	// maxLost is the most frames that a gap in the file is assumed to have held. A wider gap is
	// foreign data between two pieces of audio rather than damage.
	maxLost = 16
	// worthJumping is the distance in frames from which computing an offset beats walking.
	worthJumping = 256
)

// Stream is a sequence of numbered frames in a file. A damaged header does not change the numbers
// of the frames behind it, so that positions in the audio stay exact.
type Stream struct {
	w          *window.Reader
	Info       Info
	First      Header // of the first audio frame; all others match it
	Start      int64  // offset of the first frame, info frame included
	audio      int64  // offset of the first audio frame
	freeLength int
	known      []Position // in order, the first at the start of the audio
	// jumps reports that every frame has the bit rate of First, so that offsets can be computed.
	jumps   bool
	forgets bool // no positions are remembered
	// barren is the lowest offset from which a search found no further frame.
	barren int64
}

// Frame is one frame in the file. Numbers missing in a walk are frames with destroyed headers.
type Frame struct {
	Number int64
	Offset int64
	Length int // as much of it as the file has
	Header Header
}

// Position is a point in the walk from frame to frame.
type Position struct {
	number int64 // of the next frame if none is lost before it
	offset int64 // expected offset of the next frame
	last   int64 // offset of the previous frame, -1 if unknown
	walked bool  // reached from the start frame by frame
}

// Number returns the number of the next frame if none is lost before it.
func (p Position) Number() int64 { return p.number }

// begin sets the offset of the first audio frame.
func (s *Stream) begin(offset int64) {
	s.audio = offset
	s.known = []Position{{offset: offset, last: -1, walked: true}}
}

// Forget makes the stream remember no more positions, for one that never ends and cannot seek.
func (s *Stream) Forget() { s.forgets = true }

// Begin returns the position of the first audio frame.
func (s *Stream) Begin() Position { return s.known[0] }

// Data returns the bytes of a frame, valid until the next call of any method.
func (s *Stream) Data(f Frame) ([]byte, error) { return s.w.Peek(f.Offset, f.Length) }

// Next returns the frame at p and moves p behind it; io.EOF when there is none.
func (s *Stream) Next(p *Position) (Frame, error) {
	if p.offset >= s.w.Size() {
		return Frame{}, io.EOF
	}
	h, length, err := s.frameAt(p.offset)
	if err != nil {
		return Frame{}, err
	}
	e := Frame{Number: p.number, Offset: p.offset, Length: length, Header: h}
	if length == 0 {
		if e, err = s.resync(*p); err != nil {
			return Frame{}, err
		}
	}
	p.number, p.offset, p.last = e.Number+1, e.Offset+int64(e.Length), e.Offset
	if p.walked && !s.forgets && p.number >= s.known[len(s.known)-1].number+CheckpointEvery {
		s.known = append(s.known, *p)
	}
	e.Length = int(min(int64(e.Length), s.w.Size()-e.Offset))
	return e, nil
}

// Before returns a position from which Next reaches frame n, at most CheckpointEvery frames and the
// lost ones before it, or the end of the file if that comes first.
func (s *Stream) Before(n int64) (Position, error) {
	p := s.known[len(s.known)-1]
	if s.jumps && n-p.number > worthJumping {
		if to, ok, err := s.jump(n); err != nil || ok {
			return to, err
		}
	}
	for p.number < n {
		if _, err := s.Next(&p); err == io.EOF {
			break
		} else if err != nil {
			return Position{}, err
		}
	}
	after := sort.Search(len(s.known), func(i int) bool { return s.known[i].number > n })
	return s.known[max(after-1, 0)], nil
}

// jump computes the position of frame n in a stream of constant bit rate. Padding keeps every frame
// within two bytes of its ideal offset, and the next frame is hundreds of bytes behind it, so two
// headers there confirm the number; ok is false if they are missing.
func (s *Stream) jump(n int64) (p Position, ok bool, err error) {
	ideal := s.audio + s.ideal(n)
	for _, off := range [...]int64{0, 1, -1, 2, -2} {
		h, length, err := s.frameAt(ideal + off)
		if err != nil {
			return Position{}, false, err
		}
		if length == 0 || h.BitRate != s.First.BitRate {
			continue
		}
		if _, following, err := s.frameAt(ideal + off + int64(length)); err != nil || following > 0 {
			return Position{number: n, offset: ideal + off, last: -1}, err == nil, err
		}
	}
	return Position{}, false, nil
}

// ideal returns the length in bytes of n frames at the bit rate of the first.
func (s *Stream) ideal(n int64) int64 {
	return n * int64(s.First.Samples()/8) * int64(s.First.BitRate) / int64(s.First.Rate())
}

// frameAt parses the header at offset; length is 0 if there is none of this stream.
func (s *Stream) frameAt(offset int64) (h Header, length int, err error) {
	b, err := s.w.Peek(offset, HeaderSize)
	if err != nil {
		return Header{}, 0, err
	}
	h, ok := ParseHeader(b)
	if !ok || !s.First.SameStream(h) {
		return Header{}, 0, nil
	}
	return h, h.Length(s.freeLength), nil
}

// resync searches for the next frame if there is none at p. The previous header may be the damaged
// one, so the search begins within that frame. It accepts two consecutive frames, or one that ends
// the file.
func (s *Stream) resync(p Position) (Frame, error) {
	from := p.offset
	if p.last >= 0 {
		from = min(from, p.last+HeaderSize)
	}
	foreign := int64(0) // bytes of tags within the audio
	for {
		size, err := tagAt(s.w, p.offset+foreign)
		if err != nil {
			return Frame{}, err
		}
		if size == 0 {
			break
		}
		foreign += size
		from = p.offset + foreign
	}
	begin := from
	for {
		if from >= s.barren {
			return Frame{}, io.EOF
		}
		offset, err := nextSync(s.w, from)
		if err == io.EOF {
			s.barren = begin
		}
		if err != nil {
			return Frame{}, err
		}
		h, length, err := s.frameAt(offset)
		if err != nil {
			return Frame{}, err
		}
		if length > 0 {
			after := offset + int64(length)
			if _, following, err := s.frameAt(after); err != nil {
				return Frame{}, err
			} else if following > 0 || after == s.w.Size() {
				return Frame{p.number + lost(p, offset-foreign, length), offset, length, h}, nil
			}
		}
		from = offset + 1
	}
}

// lost estimates the number of frames between the last good one and the one at offset from the
// length of the latter.
func lost(p Position, offset int64, length int) int64 {
	begin, whole := p.last, int64(1)
	if begin < 0 {
		begin, whole = p.offset, 0
	}
	n := (offset-begin+int64(length)/2)/int64(length) - whole
	if n < 0 || n > maxLost {
		return 0
	}
	return n
}

// nextSync returns the offset of the first byte at or after offset that could begin a header;
// io.EOF if there is none.
func nextSync(w *window.Reader, offset int64) (int64, error) {
	for {
		b, err := w.Peek(offset, window.PageSize)
		if err != nil {
			return 0, err
		}
		if len(b) < HeaderSize {
			return 0, io.EOF
		}
		if i := bytes.IndexByte(b, 0xff); i >= 0 {
			return offset + int64(i), nil
		}
		offset += int64(len(b))
	}
}
