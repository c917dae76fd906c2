package decode

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"waxwing/internal/audio"
	"waxwing/internal/audio/flac"
	"waxwing/internal/media/flacmeta"
	"waxwing/internal/media/vorbiscomment"
	"waxwing/internal/media/window"
)

// flacSource is a Source of package flac's decoder.
type flacSource struct{ *flac.Decoder }

func (s flacSource) Info() audio.Info {
	return audio.Info{Codec: "flac", Rate: s.Rate, Channels: s.Channels, Frames: s.Frames, Depth: s.Depth}
}

func openFLAC(in audio.Input) (audio.Source, error) { return openFLACOf(in, -1) }

// openFLACOf opens a stream whose container declares its length, unless frames is negative. The
// parts of a stream whose rate or channels change are played as one.
func openFLACOf(in audio.Input, frames int64) (audio.Source, error) {
	d, err := flac.Open(in, in.Size())
	if errors.Is(err, flacmeta.ErrInvalid) {
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	if frames >= 0 && !d.Indexed() {
		d.Frames = frames
	}
	mask, err := flacSpeakers(in, d)
	if err != nil {
		return nil, err
	}
	var parts []part
	for i := range d.Parts() {
		open := func() audio.Source {
			source := flacSource{d}
			if i > 0 {
				source = flacSource{d.Part(i)}
			}
			return inWaveOrder(source, mask)
		}
		parts = append(parts, part{open().Info(), func() (audio.Source, error) { return open(), nil }})
	}
	return joinParts(parts)
}

// flacSpeakers returns the speaker mask in the comments of a file with more than two channels, 0 if
// there is none.
func flacSpeakers(in audio.Input, d *flac.Decoder) (uint32, error) {
	if d.Parts() == 1 && d.Channels <= 2 {
		return 0, nil
	}
	mask := uint64(0)
	comments := vorbiscomment.FileBlock(window.New(in, in.Size()), d.Comments.Off, d.Comments.Size)
	err := vorbiscomment.Each(comments, 0, func(c vorbiscomment.Comment) {
		if mask == 0 && strings.EqualFold(string(c.Name), "WAVEFORMATEXTENSIBLE_CHANNEL_MASK") {
			mask, _ = strconv.ParseUint(strings.TrimSpace(string(c.Value)), 0, 32)
		}
	})
	return uint32(mask), err
}
