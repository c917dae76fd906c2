package decode

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxSearchSeconds is how much may be decoded from the start when the pages do not tell where they are.
const maxSearchSeconds = 600

func (s *oggSource) SeekTo(frame int64) error {
	if frame < 0 || frame > s.info.Frames {
		return fmt.Errorf("seek to frame %d of %d: out of range", frame, s.info.Frames)
	}
	if s.failed == nil && frame >= s.frame && frame-s.frame <= s.runUp {
		s.frame = frame // Read passes over what lies between
		return nil
	}
	s.failed = nil
	err := s.place(frame)
	if err != nil {
		s.failed = fmt.Errorf("seek to frame %d: %w", frame, err)
	}
	return s.failed
}

// place makes frame the next one. A codec with a long memory, as that of Opus for speech, may not have
// forgotten by then that it started in the middle. So it starts at two distances:
// when both yield the same samples right before the place, where they started
// no longer matters, and what follows is what linear decoding gives. If not, it
// goes back twice as far, and so on.
func (s *oggSource) place(frame int64) error {
	var before []float32
	for runUp := s.runUp; ; runUp *= 2 {
		s.frame = frame
		fromStart, err := s.approach(s.origin + frame - runUp)
		if err != nil || fromStart || s.runUp == 0 {
			return err
		}
		s.frame -= min(frame, s.runUp/16)
		samples, err := s.readTo(frame)
		if err != nil {
			return err
		}
		if slices.Equal(samples, before) || runUp >= s.farthest {
			return nil
		}
		before = samples
	}
}

// readTo reads all frames up to the given one.
func (s *oggSource) readTo(frame int64) ([]float32, error) {
	out := make([]float32, (frame-s.frame)*int64(s.info.Channels))
	for rest := out; len(rest) > 0; {
		n, err := s.Read(rest)
		if err != nil {
			return nil, err
		}
		rest = rest[n*s.info.Channels:]
	}
	return out, nil
}

// approach puts the decoder where its next samples start at or before granule. It tells whether
// that is the start of the stream.
func (s *oggSource) approach(granule int64) (fromStart bool, err error) {
	for back := int64(0); ; back = 2*back + int64(s.info.Rate) {
		page, err := s.reader.pageBefore(s.serial, s.start, s.limit, granule-back)
		if err != nil {
			return false, err
		}
		if page <= s.start {
			if granule-s.first > maxSearchSeconds*int64(s.info.Rate) {
				return false, errors.New("the pages do not tell where they are")
			}
			s.rewind()
			return true, nil
		}
		known, err := s.enter(page)
		if err != nil {
			return false, err
		}
		if known && s.cursor <= granule {
			return false, nil
		}
	}
}

// enter starts decoding at a page and stops after the first packet whose position
// the stream tells. It returns false when there is none.
func (s *oggSource) enter(page int64) (bool, error) {
	s.packets.seek(page)
	s.codec.reset()
	s.pending = nil
	for range oggMaxUnplaced {
		packet, err := s.packets.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, err
		}
		if _, err := s.codec.decode(packet.data); err == nil && packet.granule >= 0 {
			s.cursor = packet.granule
			return true, nil
		}
	}
	return false, nil
}
