package mpeg

import (
	"errors"
	"io"

	"waxwing/internal/media/ape"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/window"
)

const (
	// maxJunk is the most bytes between the tags and the first frame.
	maxJunk = 1 << 20
	// wantedFrames is the number of consecutive headers that confirm the first one.
	wantedFrames = 4
	// maxFreeTries limits the searches for the length of free-format frames in one file.
	maxFreeTries = 4096
)

// ErrNoFrames is returned by Open when there is no MPEG audio in the file.
var ErrNoFrames = errors.New("no MPEG audio frame found")

// Open finds the first frame of a stream, behind tags and junk, and reads its info frame. Nothing
// but the beginning of the file is read.
func Open(w *window.Reader) (*Stream, error) {
	start := int64(0)
	for {
		size, err := tagAt(w, start)
		if err != nil {
			return nil, err
		}
		if size == 0 {
			break
		}
		start += size
	}
	s, err := findFirst(w, start)
	if errors.Is(err, ErrNoFrames) && start > 0 {
		// A tag may declare a size that is too large.
		s, err = findFirst(w, id3.HeaderSize)
	}
	if err != nil {
		return nil, err
	}
	return s, s.readInfo()
}

// tagAt returns the size of the tag that begins at offset, 0 if there is none.
func tagAt(w *window.Reader, offset int64) (int64, error) {
	b, err := w.Peek(offset, ape.FooterSize)
	if err != nil {
		return 0, err
	}
	if size := id3.TagSize(b); size > 0 {
		return size, nil
	}
	if len(b) >= 3 && string(b[:3]) == "TAG" {
		return id3.V1Size, nil
	}
	return ape.HeaderTagSize(b), nil
}

// finder searches for the first frame of a file.
type finder struct {
	w         *window.Reader
	freeTries int
}

// findFirst returns the stream whose first frame is the first at or after offset.
func findFirst(w *window.Reader, offset int64) (*Stream, error) {
	f := finder{w: w}
	end := offset + maxJunk
	for at := offset; at < end; at++ {
		var err error
		if at, err = nextSync(w, at); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		s, err := f.try(at, at == offset)
		if s != nil || err != nil {
			return s, err
		}
	}
	return nil, ErrNoFrames
}

// try returns a stream that begins at offset if enough frames follow there, else nil. The audio may
// end sooner: one frame suffices where one is expected, two anywhere.
func (f *finder) try(offset int64, expected bool) (*Stream, error) {
	b, err := f.w.Peek(offset, HeaderSize)
	if err != nil {
		return nil, err
	}
	h, ok := ParseHeader(b)
	if !ok {
		return nil, nil
	}
	s := &Stream{w: f.w, First: h, Start: offset, barren: f.w.Size()}
	s.begin(offset)
	if h.BitRate == 0 {
		if s.freeLength, err = f.freeLength(offset, h); err != nil || s.freeLength == 0 {
			return nil, err
		}
	}
	at := offset
	for n := range wantedFrames {
		_, length, err := s.frameAt(at)
		if err != nil {
			return nil, err
		}
		if length == 0 {
			tag, err := tagAt(f.w, at)
			ended := at >= f.w.Size() || tag > 0
			if err == nil && ended && n > 0 && (n > 1 || expected || at == f.w.Size()) {
				return s, nil
			}
			return nil, err
		}
		at += int64(length)
	}
	return s, nil
}

// freeLength measures the distance from the free-format frame at offset to the next one and returns
// the unpadded length that all frames of the stream share; 0 when there is no next one.
func (f *finder) freeLength(offset int64, h Header) (int, error) {
	if f.freeTries++; f.freeTries > maxFreeTries || h.Layer != 3 {
		return 0, nil
	}
	b, err := f.w.Peek(offset, MaxFrame)
	if err != nil {
		return 0, err
	}
	for i := h.MainDataStart(); i+HeaderSize <= len(b); i++ {
		if b[i] != 0xff {
			continue
		}
		g, ok := ParseHeader(b[i:])
		if !ok || !h.SameStream(g) {
			continue
		}
		length := i
		if h.Padded {
			length--
		}
		// A header may occur in the data by chance, so the frame after that one must match too.
		after := i + g.Length(length)
		if after+HeaderSize > len(b) {
			return length, nil
		}
		if g, ok = ParseHeader(b[after:]); ok && h.SameStream(g) {
			return length, nil
		}
	}
	return 0, nil
}

// readInfo reads the first frame as an info frame; if it is one, the audio begins after it.
func (s *Stream) readInfo() error {
	_, length, err := s.frameAt(s.Start)
	if err != nil {
		return err
	}
	frame, err := s.w.Peek(s.Start, length)
	if err != nil {
		return err
	}
	info, ok := parseInfo(frame, s.First)
	if !ok {
		return nil
	}
	p := Position{offset: s.Start + int64(length), last: -1, walked: true}
	first, err := s.Next(&p)
	if err == io.EOF {
		return window.Damaged("an MP3 file without audio")
	} else if err != nil {
		return err
	}
	s.Info, s.First = info, first.Header
	s.begin(first.Offset)
	return nil
}
