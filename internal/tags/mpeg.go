package tags

import (
	"errors"
	"time"

	"waxwing/internal/media"
	"waxwing/internal/media/mpeg"
)

// mpeg reads an MPEG audio stream.
func (p *parser) mpeg() error {
	end, err := p.trailers()
	if err != nil {
		return err
	}
	stream, err := mpeg.Open(p.Reader)
	if errors.Is(err, mpeg.ErrNoFrames) {
		return ErrUnknownFormat
	}
	if err != nil {
		return err
	}
	_, samples, err := stream.Length()
	if err != nil {
		return err
	}
	t := &p.tags
	layers := [4]Format{1: MP1, 2: MP2, 3: MP3}
	t.Format, t.SampleRate, t.Channels = layers[stream.First.Layer], stream.First.Rate(), stream.First.Channels()
	t.Audio = Range{stream.Start, max(end-stream.Start, 0)}
	t.Duration = samplesToTime(samples, t.SampleRate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	p.encoderGain = mpegGain(stream.Info)
	p.frameTime = float64(stream.First.Samples()) * 1000 / float64(max(stream.First.Rate(), 1))
	return nil
}

// mpegGain returns the gain that the encoder measured, which counts if no tag has one.
func mpegGain(info mpeg.Info) (g media.Gain) {
	if info.TrackGain != nil {
		g.Track = media.LimitGain(*info.TrackGain)
	}
	if info.AlbumGain != nil {
		g.Album = media.LimitGain(*info.AlbumGain)
	}
	if info.Peak != nil && *info.Peak <= media.MaxPeak {
		g.TrackPeak = info.Peak
	}
	return g
}

func samplesToTime(samples int64, rate int) time.Duration {
	if rate <= 0 || samples < 0 {
		return 0
	}
	seconds := samples / int64(rate)
	if seconds > 1<<32 {
		return 0
	}
	return time.Duration(seconds)*time.Second + time.Duration(samples%int64(rate))*time.Second/time.Duration(rate)
}

// averageBitrate returns kbit/s.
func averageBitrate(bytes int64, d time.Duration) int {
	if d < time.Millisecond || bytes <= 0 {
		return 0
	}
	return int(min(float64(bytes)*8/d.Seconds()/1000+0.5, 1e6))
}
