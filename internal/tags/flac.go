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
	p.fields.nextTag()
	comments := vorbiscomment.FileBlock(p.Reader, m.Comments.Off, m.Comments.Size)
	if err := p.vorbisComments(comments, 0, Picture{Off: m.Comments.Off, coding: codingBase64}); err != nil {
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
	if m.Frames == 0 && t.Audio.Len > 0 {
		// Only the decoder can tell the last frame from a coincidence in the data.
		d, err := flac.Open(p.Reader, p.Size())
		if err != nil {
			return err
		}
		m.Frames = d.Frames
	}
	t.Duration = samplesToTime(m.Frames, m.Rate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	p.setDigest(m.StreamInfo)
	return nil
}

// setDigest identifies the audio by the checksum of its samples, if the file has one.
func (p *parser) setDigest(info flacmeta.StreamInfo) {
	if info.MD5 != [16]byte{} {
		p.audioDigest = info.MD5[:]
	}
}
