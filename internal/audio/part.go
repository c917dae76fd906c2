package audio

import (
	"fmt"
	"io"
	"time"
)

// part is a part of the frames of a source.
type part struct {
	Source
	first int64
	count int64 // -1: up to the end, which the source does not say
	at    int64 // of the next frame, in the part
}

// Part returns the frames of src from one time up to another; to 0 stands for the end. A part
// behind the end is empty. It closes src if it fails.
func Part(src Source, from, to time.Duration) (Source, error) {
	info := src.Info()
	frames := func(d time.Duration) int64 {
		return int64(d/time.Second)*int64(info.Rate) + int64(d%time.Second)*int64(info.Rate)/int64(time.Second)
	}
	first, count := frames(from), int64(-1)
	if to > 0 {
		count = max(0, frames(to)-first)
	}
	if info.Frames >= 0 {
		first = min(first, info.Frames)
		if left := info.Frames - first; count < 0 || count > left {
			count = left
		}
	}
	if err := src.SeekTo(first); err != nil {
		_ = src.Close() // it was only read from
		return nil, fmt.Errorf("find the part to play: %w", err)
	}
	return &part{Source: src, first: first, count: count}, nil
}

func (p *part) Info() Info {
	info := p.Source.Info()
	info.Frames = p.count
	return info
}

func (p *part) Read(dst []float32) (int, error) {
	if p.count >= 0 {
		left := p.count - p.at
		if left <= 0 {
			return 0, io.EOF
		}
		if channels := int64(p.Source.Info().Channels); int64(len(dst)) > left*channels {
			dst = dst[:left*channels]
		}
	}
	n, err := p.Source.Read(dst)
	p.at += int64(n)
	return n, err
}

func (p *part) SeekTo(frame int64) error {
	if frame < 0 || p.count >= 0 && frame > p.count {
		return fmt.Errorf("frame %d is not one of the %d of this part", frame, p.count)
	}
	if err := p.Source.SeekTo(p.first + frame); err != nil {
		return err
	}
	p.at = frame
	return nil
}
