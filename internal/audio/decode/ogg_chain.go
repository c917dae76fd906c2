package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// maxOggLinks bounds the search for links; a recording of a radio station has some hundreds.
const maxOggLinks = 1024

// openOggChain opens a file of one or more Ogg streams that follow each other. Links are played
// as one as long as rate and channels stay the same; what follows a change is left out.
func openOggChain(in audio.Input, open func(audio.Input) (audio.Source, error)) (audio.Source, error) {
	chain := &oggChain{open: open}
	for offset := int64(0); offset < in.Size() && len(chain.links) < maxOggLinks; {
		rest := io.NewSectionReader(in, offset, in.Size()-offset)
		end, err := (&oggReader{in: rest}).linkEnd()
		if err != nil {
			return nil, err
		}
		link := io.NewSectionReader(in, offset, end)
		offset += end
		source, err := open(link)
		if len(chain.links) == 0 {
			if err != nil || offset >= in.Size() {
				return source, err
			}
			chain.current, chain.info = source, source.Info()
			chain.links = append(chain.links, oggLink{link, chain.info.Frames})
			continue
		}
		if err != nil {
			break
		}
		info := source.Info()
		if err := source.Close(); err != nil {
			return nil, err
		}
		if info.Rate != chain.info.Rate || info.Channels != chain.info.Channels {
			break
		}
		chain.links = append(chain.links, oggLink{link, info.Frames})
		chain.info.Frames += info.Frames
	}
	if chain.current == nil {
		return nil, fmt.Errorf("empty file: %w", io.ErrUnexpectedEOF)
	}
	return chain, nil
}

// oggChain plays links one after the other. Only one of them is open at a time.
type oggChain struct {
	open    func(audio.Input) (audio.Source, error)
	links   []oggLink
	info    audio.Info
	current audio.Source
	index   int // of the current link
}

type oggLink struct {
	in     audio.Input
	frames int64
}

func (c *oggChain) Info() audio.Info { return c.info }

func (c *oggChain) Close() error { return c.current.Close() }

func (c *oggChain) Read(dst []float32) (int, error) {
	for {
		n, err := c.current.Read(dst)
		if err != io.EOF || c.index == len(c.links)-1 {
			return n, err
		}
		if err := c.enter(c.index+1, 0); err != nil {
			return 0, err
		}
	}
}

func (c *oggChain) SeekTo(frame int64) error {
	if frame < 0 || frame > c.info.Frames {
		return fmt.Errorf("seek to frame %d of %d: out of range", frame, c.info.Frames)
	}
	index := 0
	for index < len(c.links)-1 && frame >= c.links[index].frames {
		frame -= c.links[index].frames
		index++
	}
	return c.enter(index, frame)
}

// enter makes frame of the link with the given index the next to be read.
func (c *oggChain) enter(index int, frame int64) error {
	if index == c.index {
		return c.current.SeekTo(frame)
	}
	next, err := c.open(c.links[index].in)
	if err != nil {
		return fmt.Errorf("open link %d: %w", index+1, err)
	}
	if err := next.SeekTo(frame); err != nil {
		return err
	}
	old := c.current
	c.current, c.index = next, index
	return old.Close()
}
