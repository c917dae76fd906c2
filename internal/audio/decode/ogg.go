package decode

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/media/ogg"
	"waxwing/internal/media/window"
)

// openOgg opens an Ogg file whose first audio stream is Vorbis, Opus or FLAC. The links of a
// chained file are played as one.
func openOgg(in audio.Input) (audio.Source, error) {
	source, err := openOggStreams(ogg.NewReader(window.New(in, in.Size())))
	if errors.Is(err, ogg.ErrNoAudio) {
		err = fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ogg: %w", err)
	}
	return source, nil
}

func openOggStreams(r *ogg.Reader) (audio.Source, error) {
	links, err := ogg.Read(r)
	if err != nil {
		return nil, err
	}
	open := openVorbis
	switch links[0].Codec {
	case ogg.Vorbis:
	case ogg.Opus:
		open = openOpus
	case ogg.FLAC:
		content, err := links[0].Content(r)
		if err != nil {
			return nil, err
		}
		return openFLACOf(content, links[0].Frames)
	default:
		return nil, fmt.Errorf("%w: a codec other than Vorbis, Opus and FLAC", audio.ErrUnsupported)
	}
	source, err := open(r, links[0])
	if err != nil || len(links) == 1 {
		return source, err
	}
	chain := &oggChain{reader: r, open: open, links: links, info: source.Info(), current: source}
	for _, link := range links[1:] {
		chain.info.Frames += link.Frames
	}
	return chain, nil
}

// oggChain plays links one after the other. Only one of them is open at a time.
type oggChain struct {
	reader  *ogg.Reader
	open    func(*ogg.Reader, *ogg.Stream) (audio.Source, error)
	links   []*ogg.Stream
	info    audio.Info
	current audio.Source
	index   int // of the current link
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
	for index < len(c.links)-1 && frame >= c.links[index].Frames {
		frame -= c.links[index].Frames
		index++
	}
	return c.enter(index, frame)
}

// enter makes frame of the link with the given index the next to be read.
func (c *oggChain) enter(index int, frame int64) error {
	if index == c.index {
		return c.current.SeekTo(frame)
	}
	next, err := c.open(c.reader, c.links[index])
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
