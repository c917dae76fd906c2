package decode

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxSearchSeconds is how much is decoded from the start, at most, when pages have no positions or
// the state of the decoder depends on everything before.
const maxSearchSeconds = 600

func (s *oggSource) SeekTo(frame int64) error {
	if frame < 0 || frame > s.info.Frames {
		return fmt.Errorf("seek to frame %d of %d: out of range", frame, s.info.Frames)
	}
	if s.failed == nil && frame >= s.frame && frame-s.frame <= s.runUp {
		s.frame = frame // Read skips the frames between
		return nil
	}
	s.failed = nil
	err := s.seekExactly(frame)
	if err != nil {
		s.failed = fmt.Errorf("seek to frame %d: %w", frame, err)
	}
	return s.failed
}

// seekExactly makes frame the next one. The state of some codecs, such as Opus for speech, depends
// on the packets of many seconds. So decoding starts at two distances before the target: if both
// give the same samples right before it, the start no longer matters. If not, it starts twice as
// far back, and so on; in the end at the start of the stream, unless that is more than
// maxSearchSeconds before.
func (s *oggSource) seekExactly(frame int64) error {
	var before []float32
	limit, near := s.maxRunUp, frame <= maxSearchSeconds*int64(s.info.Rate)
	if !near {
		limit *= 4
	}
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
		if slices.Equal(samples, before) {
			return nil
		}
		if runUp >= limit {
			if near {
				s.rewind()
				s.frame = frame // Read skips the frames before
			}
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

// approach moves the decoder to where its next samples are at or before granule. It reports whether
// that is the start of the stream.
func (s *oggSource) approach(granule int64) (fromStart bool, err error) {
	for back := int64(0); ; back = 2*back + int64(s.info.Rate) {
		page, err := s.stream.PageBefore(s.reader, granule-back)
		if err != nil {
			return false, err
		}
		if page <= s.stream.Start {
			if granule-s.stream.First > maxSearchSeconds*int64(s.info.Rate) {
				return false, errors.New("the pages have no positions")
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

// enter starts decoding at a page and stops after the first packet with a position. It returns
// false when there is none.
func (s *oggSource) enter(page int64) (bool, error) {
	s.packets.SeekPage(page)
	s.codec.reset()
	s.pending = nil
	for range maxUnplaced {
		packet, err := s.packets.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, err
		}
		if _, err := s.codec.decode(packet.Data); err == nil && packet.Granule >= 0 {
			s.cursor = packet.Granule
			return true, nil
		}
	}
	return false, nil
}
