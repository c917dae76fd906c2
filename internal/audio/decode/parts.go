package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// part is one of the streams that a file plays one after the other.
type part struct {
	info audio.Info // Frames is known
	open func() (audio.Source, error)
}

// partChain plays parts as one source. Only one of them is open at a time.
//
// If the parts differ in rate, all are converted to the highest; if they differ in channels, all
// are mixed to stereo.
type partChain struct {
	parts   []part
	frames  []int64 // of each part, converted
	info    audio.Info
	current audio.Source
	index   int // of the current part
}

// joinParts opens the first part and returns a source of all.
func joinParts(parts []part) (audio.Source, error) {
	first, err := parts[0].open()
	if err != nil || len(parts) == 1 {
		return first, err
	}
	c := &partChain{parts: parts, info: parts[0].info}
	for _, p := range parts {
		c.info.Rate = max(c.info.Rate, p.info.Rate)
		if p.info.Channels != c.info.Channels {
			c.info.Channels = 2
		}
	}
	c.info.Frames = 0
	for _, p := range parts {
		n := audio.Rescale(p.info.Frames, p.info.Rate, c.info.Rate)
		c.frames = append(c.frames, n)
		c.info.Frames += n
	}
	c.current = c.convert(first)
	return c, nil
}

// convert returns a part in the format of the chain.
func (c *partChain) convert(src audio.Source) audio.Source {
	if src.Info().Channels != c.info.Channels {
		src = audio.Downmix(src)
	}
	return audio.Resample(src, c.info.Rate)
}

func (c *partChain) Info() audio.Info { return c.info }

func (c *partChain) Close() error { return c.current.Close() }

func (c *partChain) Read(dst []float32) (int, error) {
	for {
		n, err := c.current.Read(dst)
		if err != io.EOF || c.index == len(c.parts)-1 {
			return n, err
		}
		if err := c.enter(c.index+1, 0); err != nil {
			return 0, err
		}
	}
}

func (c *partChain) SeekTo(frame int64) error {
	if frame < 0 || frame > c.info.Frames {
		return fmt.Errorf("seek to frame %d of %d: out of range", frame, c.info.Frames)
	}
	index := 0
	for index < len(c.parts)-1 && frame >= c.frames[index] {
		frame -= c.frames[index]
		index++
	}
	return c.enter(index, frame)
}

// enter makes frame of the part with the given index the next to be read.
func (c *partChain) enter(index int, frame int64) error {
	if index == c.index {
		return c.current.SeekTo(frame)
	}
	next, err := c.parts[index].open()
	if err != nil {
		return fmt.Errorf("open part %d: %w", index+1, err)
	}
	next = c.convert(next)
	if err := next.SeekTo(frame); err != nil {
		return err
	}
	old := c.current
	c.current, c.index = next, index
	return old.Close()
}
