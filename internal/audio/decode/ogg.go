package decode

import (
	"errors"
	"fmt"

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
	var parts []part
	for i, link := range links {
		p, err := oggLink(r, link)
		if i > 0 && errors.Is(err, audio.ErrUnsupported) {
			break
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return joinParts(parts)
}

// oggLink returns a link as a part of a chained file.
func oggLink(r *ogg.Reader, link *ogg.Stream) (part, error) {
	p := part{info: audio.Info{Rate: link.Rate, Channels: link.Channels, Frames: link.Frames}}
	switch link.Codec {
	case ogg.Vorbis:
		p.info.Codec = "vorbis"
		p.open = func() (audio.Source, error) { return openVorbis(r, link) }
	case ogg.Opus:
		p.info.Codec = "opus"
		p.open = func() (audio.Source, error) { return openOpus(r, link) }
	case ogg.FLAC:
		content, err := link.Content(r)
		if err != nil {
			return part{}, err
		}
		source, err := openFLACOf(content, link.Frames)
		if err != nil {
			return part{}, err
		}
		p.info = source.Info()
		p.open = func() (audio.Source, error) { return openFLACOf(content, link.Frames) }
		return p, source.Close()
	default:
		return part{}, fmt.Errorf("%w: a codec other than Vorbis, Opus and FLAC", audio.ErrUnsupported)
	}
	return p, nil
}
