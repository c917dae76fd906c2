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
	return audio.Info{Codec: "flac", Rate: s.Rate, Channels: s.Channels, Frames: s.Frames}
}

func openFLAC(in audio.Input) (audio.Source, error) { return openFLACOf(in, -1) }

// openFLACOf opens a stream whose container declares its length, unless frames is negative.
func openFLACOf(in audio.Input, frames int64) (audio.Source, error) {
	d, err := flac.Open(in, in.Size())
	if errors.Is(err, flacmeta.ErrInvalid) {
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	if frames >= 0 {
		d.Frames = frames
	}
	if d.Channels <= 2 {
		return flacSource{d}, nil
	}
	mask := uint64(0)
	comments := vorbiscomment.FileBlock(window.New(in, in.Size()), d.Comments.Off, d.Comments.Size)
	err = vorbiscomment.Each(comments, 0, func(c vorbiscomment.Comment) {
		if mask == 0 && strings.EqualFold(string(c.Name), "WAVEFORMATEXTENSIBLE_CHANNEL_MASK") {
			mask, _ = strconv.ParseUint(strings.TrimSpace(string(c.Value)), 0, 32)
		}
	})
	return inWaveOrder(flacSource{d}, uint32(mask)), err
}
