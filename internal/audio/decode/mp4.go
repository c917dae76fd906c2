package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/window"
)

// openMP4 opens an MP4 or QuickTime file whose first audio track is AAC-LC or ALAC.
func openMP4(in audio.Input) (audio.Source, error) {
	source, err := openMP4Track(in)
	if err != nil {
		return nil, fmt.Errorf("mp4: %w", err)
	}
	return source, nil
}

func openMP4Track(in audio.Input) (audio.Source, error) {
	file, err := mp4.Read(window.New(in, in.Size()), nil)
	if errors.Is(err, mp4.ErrNoAudio) {
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	open := openMP4AAC
	switch {
	case file.Protected || file.Config == nil || file.PacketFrames == 0:
		return nil, fmt.Errorf("%w: %q in MP4", audio.ErrUnsupported, file.Entry)
	case file.Codec == mp4.ALAC:
		open = openMP4ALAC
	}
	samples, err := file.Samples()
	if err != nil {
		return nil, err
	}
	if samples.Count == 0 {
		return nil, errors.New("the audio track is empty")
	}
	return open(in, file, samples)
}

func openMP4AAC(in audio.Input, file *mp4.File, samples *mp4.Samples) (audio.Source, error) {
	codec, err := newAACCodec(aac.ParseConfig(file.Config))
	if err != nil {
		return nil, err
	}
	if err := codec.probe(in, samples); err != nil {
		return nil, err
	}
	track := codec.track(in, samples)
	file.Rate, file.PacketFrames = track.info.Rate, aac.FrameSize
	if track.skip, track.info.Frames, err = file.Heard(samples); err != nil {
		return nil, err
	}
	return inWaveOrder(newPacketSource(track), codec.config.Speakers()), nil
}

func openMP4ALAC(in audio.Input, file *mp4.File, samples *mp4.Samples) (audio.Source, error) {
	codec, err := newALACCodec(file.Config)
	if err != nil {
		return nil, err
	}
	channels := codec.decoder.Channels()
	track := packetTrack{
		in:      in,
		packets: samples,
		codec:   codec,
		size:    int64(codec.decoder.MaxFrames()),
		info:    audio.Info{Codec: "alac", Rate: codec.decoder.Rate(), Channels: channels},
	}
	if track.skip, track.info.Frames, err = file.Heard(samples); err != nil {
		return nil, err
	}
	return inWaveOrder(newPacketSource(track), alacMask(channels)), nil
}
