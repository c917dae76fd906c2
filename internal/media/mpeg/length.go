package mpeg

import (
	"fmt"
	"io"

	"waxwing/internal/media/id3"
	"waxwing/internal/media/trailer"
)

const (
	// decoderDelay is the delay in samples of every Layer III decoder; LAME's delay excludes it.
	decoderDelay = 529
	// constantFrames is the number of frames at the start that must have one bit rate before the
	// whole stream is checked for a constant bit rate.
	constantFrames = 16
)

// Length returns the number of samples to drop at the start of the decoded stream and the number to
// play after them, per channel. If the info frame is reliable, nothing more is read; otherwise the
// frames are counted.
func (s *Stream) Length() (skip, samples int64, err error) {
	frames := s.Info.Frames
	reliable, err := s.infoIsReliable()
	if err != nil {
		return 0, 0, err
	}
	if reliable {
		slack := s.infoEnd() - s.audio - s.ideal(frames)
		s.jumps = s.Info.Constant && s.First.BitRate > 0 && -2 <= slack && slack <= 2
	} else if frames, err = s.count(); err != nil {
		return 0, 0, fmt.Errorf("count the frames of an MP3: %w", err)
	}
	spf := int64(s.First.Samples())
	end := frames * spf
	if s.Info.Gapless {
		skip = int64(s.Info.Delay + decoderDelay)
		// If there are more frames than the info frame says, the file was extended and the padding
		// is somewhere in the middle.
		if frames <= s.Info.Frames {
			end = min(end, s.Info.Frames*spf-int64(max(s.Info.Padding-decoderDelay, 0)))
		}
	}
	return skip, max(end-skip, 0), nil
}

// infoEnd returns the offset at which the audio ended when the info frame was written.
func (s *Stream) infoEnd() int64 { return s.Start + s.Info.Bytes }

// infoIsReliable reports whether the frame count of the info frame can replace counting: the number
// of bytes is plausible, and the audio still ends where it ended when the frame was written.
func (s *Stream) infoIsReliable() (bool, error) {
	if s.Info.Frames == 0 || s.Info.Bytes == 0 {
		return false, nil
	}
	room := s.infoEnd() - s.audio
	if room < s.Info.Frames*int64(HeaderSize+s.First.SideInfoSize()) || room > s.Info.Frames*MaxFrame {
		return false, nil
	}
	switch rest := s.w.Size() - s.infoEnd(); {
	case rest == 0 || rest == id3.V1Size:
		return true, nil
	case rest < 0:
		return false, nil
	}
	// Either a tag or more audio follows.
	_, length, err := s.frameAt(s.infoEnd())
	return length == 0, err
}

// count returns the number of frames. If the bit rate is constant, the last frames are found by
// computing their offset; otherwise every header is read.
func (s *Stream) count() (int64, error) {
	p, err := s.lastIfConstant()
	if err != nil {
		return 0, err
	}
	for {
		if _, err := s.Next(&p); err == io.EOF {
			return p.number, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// lastIfConstant returns a position near the end of a stream of constant bit rate, which it
// confirms at the start, in the middle and at the end; for other streams the first position.
func (s *Stream) lastIfConstant() (Position, error) {
	first := s.known[0]
	p := first
	for n := range int64(constantFrames) {
		f, err := s.Next(&p)
		if err == io.EOF {
			return first, nil
		} else if err != nil {
			return first, err
		}
		if f.Header.BitRate != s.First.BitRate || f.Header.BitRate == 0 || f.Number != n {
			return first, nil
		}
	}
	tags, err := trailer.Find(s.w)
	if err != nil {
		return first, err
	}
	frames := (tags.End - s.audio) * int64(s.First.Rate()) / (int64(s.First.Samples()/8) * int64(s.First.BitRate))
	if frames < worthJumping {
		return first, nil
	}
	for _, n := range []int64{frames / 2, frames - 2} {
		to, ok, err := s.jump(n)
		if err != nil || !ok {
			return first, err
		}
		p = to
	}
	s.jumps = true
	return p, nil
}
