package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/window"
)

// openMP4 opens an MP4 or QuickTime file whose first audio track has one of our codecs.
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
	open := map[mp4.Codec]mp4Opener{
		mp4.AAC: openMP4AAC, mp4.ALAC: openMP4ALAC, mp4.Opus: openMP4Opus, mp4.FLAC: openMP4FLAC, mp4.MP3: openMP4MP3,
	}[file.Codec]
	packets := file.PacketFrames > 0 || file.Codec != mp4.AAC && file.Codec != mp4.ALAC
	configured := file.Config != nil || file.Codec == mp4.MP3
	if open == nil || file.Protected || !configured || !packets {
		return nil, fmt.Errorf("%w: %q in MP4", audio.ErrUnsupported, file.Entry)
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

// mp4Opener opens a track of one codec.
type mp4Opener func(audio.Input, *mp4.File, *mp4.Samples) (audio.Source, error)

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
	track := codec.track(in, samples)
	if track.skip, track.info.Frames, err = file.Heard(samples); err != nil {
		return nil, err
	}
	return inWaveOrder(newPacketSource(track), alacMask(track.info.Channels)), nil
}

func openMP4Opus(in audio.Input, file *mp4.File, samples *mp4.Samples) (audio.Source, error) {
	skip, frames, err := file.Heard(samples)
	if err != nil {
		return nil, err
	}
	return openOgg(file.Remux(in, samples, skip, frames))
}

func openMP4FLAC(in audio.Input, file *mp4.File, samples *mp4.Samples) (audio.Source, error) {
	source, err := openFLAC(samples.Content(in, file.Config))
	return trimMP4(source, err, file, samples)
}

func openMP4MP3(in audio.Input, file *mp4.File, samples *mp4.Samples) (audio.Source, error) {
	source, err := openMP3(samples.Content(in, nil))
	return trimMP4(source, err, file, samples)
}

// trimMP4 applies the edit of the track to a source that was opened without error.
func trimMP4(source audio.Source, err error, file *mp4.File, samples *mp4.Samples) (audio.Source, error) {
	if err != nil {
		return nil, err
	}
	skip, frames, err := file.Heard(samples)
	if err != nil {
		return nil, err
	}
	return trim(source, skip, frames), nil
}
