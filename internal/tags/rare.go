package tags

import (
	"waxwing/internal/media"
	"waxwing/internal/media/rare"
	"waxwing/internal/media/window"
)

// rare reads a format that only an external decoder plays.
func (p *parser) rare(kind media.Kind) error {
	var h rare.Header
	var err error
	known := true
	format := Format("")
	switch kind {
	case media.MonkeysAudio:
		format = APE
		h, known, err = rare.MonkeysAudio(p.Reader)
	case media.Musepack:
		format = MPC
		h, known, err = rare.Musepack(p.Reader)
	case media.WavPack:
		format = WavPack
		h, err = rare.WavPack(p.Reader)
	case media.DSF:
		format = DSF
		h, err = rare.DSF(p.Reader)
	default:
		return ErrUnknownFormat
	}
	if err != nil {
		return err
	}
	if !known {
		return ErrUnknownFormat
	}
	end := h.Tag
	if end > 0 {
		err = ignoreDamage(p.id3v2(h.Tag))
	} else {
		end, err = p.trailers()
	}
	if err != nil {
		return err
	}
	if h.SampleRate <= 0 || end < h.Start {
		return window.Damaged("the header does not describe the audio")
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels = format, h.SampleRate, h.Channels
	t.Duration = samplesToTime(h.Samples, t.SampleRate)
	t.Audio = Range{h.Start, end - h.Start}
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}
