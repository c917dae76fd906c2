package ogg

import (
	"bytes"
	"errors"
	"slices"

	"waxwing/internal/media/window"
)

const (
	maxLinks = 1024 // a recording of a radio station has some hundreds
	// scanSize is how far pages are read one after the other before, or instead of, bisecting.
	scanSize = 128 << 10
	// maxTail bounds the search for the last page of a stream, and maxStep one read of it.
	maxTail = 16 << 20
	maxStep = 512 << 10
)

// Read reads the headers of a file and finds out how long it is: the first audio stream of each
// link. Codec, rate and channels may change from link to link.
func Read(r *Reader) ([]*Stream, error) {
	first, err := r.ReadHeaders(0)
	if err != nil {
		return nil, err
	}
	return r.Chain(first)
}

// Chain is Read after the headers at the start of the file.
func (r *Reader) Chain(first *Stream) ([]*Stream, error) {
	if err := r.measure(first); err != nil {
		return nil, err
	}
	links := []*Stream{first}
	for end := first.End; end < r.w.Size() && len(links) < maxLinks; {
		s, err := r.ReadHeaders(end)
		if err == nil {
			err = r.measure(s)
		}
		if errors.Is(err, window.ErrDamaged) || errors.Is(err, ErrNoAudio) {
			break
		}
		if err != nil {
			return nil, err
		}
		links = append(links, s)
		end = s.End
	}
	return links, nil
}

// measure finds the end and the length of a link.
func (r *Reader) measure(s *Stream) error {
	last, found, err := r.findEnd(s)
	if err != nil {
		return err
	}
	if s.Frames = s.StreamInfo.Frames; s.Frames > 0 {
		return nil
	}
	match := func(p page) bool { return p.serial == s.Serial && p.granule >= 0 }
	if !found || !match(last) {
		if last, found, err = r.lastPage(s.Start, s.End, match); err != nil {
			return err
		}
	}
	if !found {
		return window.Damaged("no page of the Ogg stream has a position")
	}
	if s.First, err = r.firstGranule(s); err != nil {
		return err
	}
	s.Frames = max(0, last.granule-s.Origin())
	return nil
}

// findEnd finds the end of the link: the first page of a stream that is not announced at its
// beginning. It returns the last page of the file, if that has one behind the headers.
func (r *Reader) findEnd(s *Stream) (last page, found bool, err error) {
	s.End = r.w.Size()
	last, found, err = r.lastPage(s.Start, s.End, func(page) bool { return true })
	if err != nil || !found || s.announced[last.serial] {
		return last, found, err
	}
	low, high := s.Start, s.End
	for high-low > scanSize {
		middle := low + (high-low)/2
		foreign := true
		err := r.each(middle, high, func(p page) bool {
			foreign = !s.announced[p.serial]
			return false
		})
		if err != nil {
			return last, false, err
		}
		if foreign {
			high = middle
		} else {
			low = middle
		}
	}
	err = r.each(low, s.End, func(p page) bool {
		if s.announced[p.serial] {
			return true
		}
		s.End = p.offset
		return false
	})
	return last, true, err
}

// lastPage returns the last intact page within [from, limit) that matches, without its slices.
func (r *Reader) lastPage(from, limit int64, match func(page) bool) (last page, found bool, err error) {
	step := int64(window.PageSize)
	for end := limit; end > from && limit-end < maxTail && r.waste < maxWaste; step = min(8*step, maxStep) {
		start := max(from, end-step)
		b, err := r.w.Peek(start, int(min(limit, end+MaxPageSize)-start))
		if err != nil {
			return last, false, err
		}
		var candidates []int
		for at := 0; at < int(end-start); at++ {
			i := bytes.Index(b[at:], capture)
			if i < 0 {
				break
			}
			at += i
			candidates = append(candidates, at)
		}
		for _, at := range slices.Backward(candidates) {
			if r.waste > maxWaste {
				break
			}
			p, err := r.parse(b[at:], start+int64(at))
			if err == nil && p.offset < end && match(p) {
				p.lacing, p.content = nil, nil
				return p, true, nil
			}
		}
		end = start
	}
	return last, false, nil
}

// PageBefore returns the offset of the stream's last page whose position is at most granule, or
// Start when there is none.
func (s *Stream) PageBefore(r *Reader, granule int64) (int64, error) {
	low, high := s.Start, s.End
	for high-low > scanSize {
		middle := low + (high-low)/2
		later, at := true, int64(0)
		err := r.each(middle, high, func(p page) bool {
			if p.serial != s.Serial || p.granule < 0 {
				return true
			}
			later, at = p.granule > granule, p.offset
			return false
		})
		if err != nil {
			return 0, err
		}
		if later {
			high = middle
		} else {
			low = at
		}
	}
	found := low
	err := r.each(low, s.End, func(p page) bool {
		if p.serial != s.Serial || p.granule < 0 {
			return true
		}
		if p.granule > granule {
			return false
		}
		found = p.offset
		return true
	})
	return found, err
}
