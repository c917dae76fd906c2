package decode

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"waxwing/internal/audio"
	"waxwing/internal/audio/flac"
)

// flacSource gives package flac's decoder the description a Source needs.
type flacSource struct {
	*flac.Decoder
	info audio.Info
}

func (s flacSource) Info() audio.Info { return s.info }

func openFLAC(in audio.Input) (audio.Source, error) {
	d, err := flac.Open(in, in.Size())
	if errors.Is(err, flac.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	comment := vorbisComments(d.Comments)
	d.Comments = nil
	src := flacSource{Decoder: d, info: audio.Info{
		Codec: "flac", Rate: d.Info.Rate, Channels: d.Info.Channels, Frames: d.Info.Frames,
		Loudness: loudnessFromComments(comment),
	}}
	mask, err := strconv.ParseUint(strings.TrimSpace(comment("WAVEFORMATEXTENSIBLE_CHANNEL_MASK")), 0, 32)
	if err != nil {
		return src, nil
	}
	return inWaveOrder(src, uint32(mask)), nil
}
