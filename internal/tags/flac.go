package tags

import (
	"waxwing/internal/audio/flac"
	"waxwing/internal/media/flacmeta"
	"waxwing/internal/media/vorbiscomment"
)

func (p *parser) flac() error {
	m, err := flacmeta.Read(p.Reader, 0)
	if err != nil {
		return err
	}
	p.nextTag()
	comments := vorbiscomment.FileBlock(p.Reader, m.Comments.Off, m.Comments.Size)
	where := Picture{Off: m.Comments.Off, coding: codingBase64}
	if err := ignoreDamage(p.vorbisComments(comments, 0, where)); err != nil {
		return err
	}
	for _, block := range m.Pictures {
		b, err := p.Peek(block.Off, 512)
		if err != nil {
			return err
		}
		if start, n, pic, ok := flacPicture(b, block.Size); ok {
			pic.Off, pic.Len = block.Off+start, n
			p.offerPicture(pic)
		}
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels = FLAC, m.Rate, m.Channels
	t.Audio = Range{m.End, p.Size() - m.End}
	t.Duration = samplesToTime(m.Frames, m.Rate)
	if t.Audio.Len > 0 && !plausibleLength(m.StreamInfo, t.Audio.Len) {
		// Only the decoder can tell the last frame from a coincidence in the data.
		d, err := flac.Open(p.Reader, p.Size())
		if err != nil {
			return err
		}
		t.Duration = 0
		for i := range d.Parts() {
			part := d
			if i > 0 {
				part = d.Part(i)
			}
			t.Duration += samplesToTime(part.Frames, part.Rate)
		}
	}
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	p.setStreamInfo(m.StreamInfo)
	return nil
}

// plausibleLength reports whether a stream declares its length, and about as many samples as its
// bytes can hold: neither more than uncompressed nor almost none of them.
func plausibleLength(info flacmeta.StreamInfo, size int64) bool {
	if info.Frames == 0 {
		return false
	}
	compressed := float64(size) * 8 / (float64(info.Frames) * float64(info.Channels) * float64(info.Depth))
	return compressed > 0.02 && compressed < 1.05 || info.Frames < 1<<16
}

// setStreamInfo uses the sample size of FLAC, and identifies the audio by the checksum of its
// samples, if the file has one.
func (p *parser) setStreamInfo(info flacmeta.StreamInfo) {
	p.tags.BitDepth = info.Depth
	if info.MD5 != [16]byte{} {
		p.audioDigest = info.MD5[:]
	}
}
