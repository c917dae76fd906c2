package ogg

import (
	"errors"

	"waxwing/internal/media/window"
)

const (
	maxLinks = 1024 // a recording of a radio station has some hundreds
	// scanSize is how far pages are read one after the other before, or instead of, bisecting.
	scanSize = 128 << 10
	// maxTail bounds the search for the last page of a stream.
	maxTail = 16 << 20
)

// Read reads the headers of a file and finds out how long it is: the first audio stream of each
// link, as long as codec, rate and channels stay the same. The links after a change are left out.
func Read(r *Reader) ([]*Stream, error) {
	var links []*Stream
	for offset := int64(0); offset < r.w.Size() && len(links) < maxLinks; {
		s, err := r.ReadHeaders(offset)
		if err == nil {
			err = r.measure(s)
		}
		if err != nil {
			if len(links) > 0 && (errors.Is(err, window.ErrDamaged) || errors.Is(err, ErrNoAudio)) {
				break
			}
			return nil, err
		}
		if len(links) > 0 {
			if first := links[0]; s.Codec != first.Codec || s.Rate != first.Rate || s.Channels != first.Channels {
				break
			}
		}
		links = append(links, s)
		if s.Codec != Vorbis && s.Codec != Opus {
			break // decoded as one stream
		}
		offset = s.End
	}
	if len(links) == 0 {
		return nil, window.Damaged("the file is empty")
	}
	return links, nil
}

// measure finds the end and the length of a link.
func (r *Reader) measure(s *Stream) error {
	if err := r.findEnd(s); err != nil {
		return err
	}
	if s.Frames = s.StreamInfo.Frames; s.Frames > 0 {
		return nil
	}
	last, found, err := r.lastPage(s.Start, s.End, func(p page) bool { return p.serial == s.Serial && p.granule >= 0 })
	if err != nil {
		return err
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
// beginning.
func (r *Reader) findEnd(s *Stream) error {
	s.End = r.w.Size()
	// The usual file has one link, and its last page shows it.
	last, found, err := r.lastPage(s.begin, s.End, func(page) bool { return true })
	if err != nil || !found || s.announced[last.serial] {
		return err
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
			return err
		}
		if foreign {
			high = middle
		} else {
			low = middle
		}
	}
	return r.each(low, s.End, func(p page) bool {
		if s.announced[p.serial] {
			return true
		}
		s.End = p.offset
		return false
	})
}

// lastPage returns the last page within [from, limit) that matches, without its slices.
func (r *Reader) lastPage(from, limit int64, match func(page) bool) (last page, found bool, err error) {
	step := int64(window.PageSize)
	for end := limit; end > from && limit-end < maxTail && !found; step = min(8*step, scanSize) {
		start := max(from, end-step)
		err := r.each(start, end, func(p page) bool {
			if match(p) {
				last, found = p, true
				last.lacing, last.content = nil, nil
			}
			return true
		})
		if err != nil {
			return last, false, err
		}
		end = start
	}
	return last, found, nil
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
