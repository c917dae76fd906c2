package tags

import (
	"errors"
	"fmt"

	"waxwing/internal/media/mp4"
	"waxwing/internal/media/window"
)

var mp4Formats = map[mp4.Codec]Format{mp4.AAC: AAC, mp4.ALAC: ALAC, mp4.FLAC: FLAC, mp4.MP3: MP3, mp4.Opus: Opus}

func (p *parser) mp4() error {
	p.nextTag()
	f, err := mp4.Read(p.Reader, p.mp4Item)
	switch {
	case errors.Is(err, mp4.ErrNoAudio):
		return fmt.Errorf("%w: %w", ErrUnknownFormat, err)
	case err != nil:
		return err
	case f.Protected:
		return fmt.Errorf("%w: the file is protected by DRM", ErrUnknownFormat)
	case mp4Formats[f.Codec] == "":
		return fmt.Errorf("%w: %q in an MP4 file", ErrUnknownFormat, f.Entry)
	}
	data, err := f.Data()
	if err != nil {
		return err
	}
	var samples *mp4.Samples
	if !data.Complete {
		if samples, err = f.Samples(); err != nil {
			return err
		}
	}
	_, frames, err := f.Heard(samples)
	if err != nil {
		return err
	}
	if frames <= 0 {
		return window.Damaged("the audio track of the MP4 file is empty")
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels = mp4Formats[f.Codec], f.Rate, f.Channels
	t.BitDepth = f.Bits
	t.Audio = Range{data.Off, data.Size}
	t.Duration = samplesToTime(frames, f.Rate)
	if t.Bitrate = averageBitrate(data.Total, t.Duration); t.Bitrate == 0 {
		t.Bitrate = f.Bitrate
	}
	return nil
}
