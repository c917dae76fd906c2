package tags

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/media/ogg"
	"waxwing/internal/media/window"
)

var oggFormats = map[ogg.Codec]Format{ogg.Vorbis: Vorbis, ogg.Opus: Opus, ogg.FLAC: FLAC, ogg.Speex: Speex}

func (p *parser) ogg() error {
	r := ogg.NewReader(p.Reader)
	s, err := r.ReadHeaders(0)
	if errors.Is(err, ogg.ErrNoAudio) {
		return fmt.Errorf("%w: %w", ErrUnknownFormat, err)
	}
	if err != nil {
		return err
	}
	p.nextTag()
	if err := p.vorbisComments(&s.Comments, s.CommentSkip(), Picture{coding: codingOgg}); err != nil {
		return err
	}
	links, err := r.Chain(s)
	if err != nil {
		return err
	}
	t := &p.tags
	for _, link := range links {
		t.Duration += samplesToTime(link.Frames, link.Rate)
	}
	t.Format, t.SampleRate, t.Channels = oggFormats[s.Codec], s.Rate, s.Channels
	t.Audio, p.paged = Range{s.Start, p.Size() - s.Start}, true
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	p.setStreamInfo(s.StreamInfo)
	return nil
}

// readOgg reads a picture from the comment packet, which is spread over pages.
func (p Picture) readOgg(r io.ReaderAt, size int64) ([]byte, error) {
	s, err := ogg.NewReader(window.New(r, size).From(p.outer.Off)).ReadHeaders(0)
	if err != nil {
		return nil, err
	}
	if p.Off < 0 || p.Off > s.Comments.Size()-p.Len {
		return nil, window.Damaged("the picture is cut off")
	}
	text := make([]byte, 0, p.Len)
	for int64(len(text)) < p.Len {
		b, err := s.Comments.At(p.Off+int64(len(text)), int(min(p.Len-int64(len(text)), window.MaxRead)))
		if err != nil {
			return nil, err
		}
		text = append(text, b...)
	}
	return base64Picture(string(text))
}
