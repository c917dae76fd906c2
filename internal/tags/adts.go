package tags

// isADTS tells a raw AAC stream from MPEG audio: the layer bits are zero.
func isADTS(b []byte) bool {
	return len(b) >= 7 && b[0] == 0xff && b[1]&0xf6 == 0xf0 && adtsRate(b) != 0 && adtsLength(b) > 7
}

func adtsRate(b []byte) int {
	rates := [16]int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}
	return rates[b[2]>>2&15]
}

func adtsLength(b []byte) int64 { return int64(b[3]&3)<<11 | int64(b[4])<<3 | int64(b[5])>>5 }

// adts reads a raw AAC stream. It has no header that tells its length, so the frames are counted.
func (p *parser) adts() error {
	end, err := p.trailers()
	if err != nil {
		return err
	}
	var frames, at int64
	rate := 0
	for at+7 <= end {
		b, err := p.At(at, 7)
		if err != nil {
			return err
		}
		if !isADTS(b) {
			break
		}
		if frames == 0 {
			rate = adtsRate(b)
			p.tags.Channels = int(b[2]&1)<<2 | int(b[3]>>6)
		}
		frames += int64(b[6]&3) + 1
		at += adtsLength(b)
	}
	if frames < 2 {
		return ErrUnknownFormat
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Audio = AAC, rate, Range{0, min(at, end)}
	t.Duration = samplesToTime(frames*1024, rate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}
