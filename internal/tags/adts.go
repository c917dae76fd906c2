package tags

import "waxwing/internal/media/mpeg"

// adts reads a raw AAC stream. No header states its length, so the frames are counted.
func (p *parser) adts() error {
	if _, err := p.trailers(); err != nil {
		return err
	}
	t := &p.tags
	var packets int64
	err := mpeg.WalkADTS(p.Reader, func(at int64, h mpeg.ADTSHeader) error {
		if packets == 0 {
			t.Format, t.SampleRate, t.Channels, t.Audio.Off = AAC, h.Rate(), h.Channels(), at
		}
		if t.Channels == 0 { // the packets describe them
			packet, err := p.Peek(at+int64(h.HeaderLen), min(h.Length-h.HeaderLen, mpeg.ADTSDescriptionSize))
			if err != nil {
				return err
			}
			t.Channels = mpeg.DescribedChannels(packet)
		}
		packets += int64(h.Blocks)
		t.Audio.Len = at + int64(h.Length) - t.Audio.Off
		return nil
	})
	if err != nil {
		return err
	}
	if packets == 0 {
		return ErrUnknownFormat
	}
	t.Duration = samplesToTime(packets*mpeg.ADTSFrameSamples, t.SampleRate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}
