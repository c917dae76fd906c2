package tags

import (
	"bytes"

	"waxwing/internal/media/id3"
	"waxwing/internal/media/riff"
	"waxwing/internal/media/text"
)

// chunkFields maps the chunks of a RIFF INFO list, and of AIFF files, to their meaning.
var chunkFields = map[string]field{
	"INAM": fieldTitle, "IART": fieldArtist, "IPRD": fieldAlbum, "ICRD": fieldDate, "IGNR": fieldGenre,
	"ITRK": fieldTrack, "IPRT": fieldTrack, "IAAR": fieldAlbumArtist,
	"NAME": fieldTitle, "AUTH": fieldArtist,
}

func (p *parser) wav() error {
	f, err := riff.ReadWAVE(p.Reader, func(c riff.Chunk) error {
		switch c.ID {
		case "LIST":
			return ignoreDamage(p.infoList(c))
		case "id3 ", "ID3 ":
			return ignoreDamage(p.id3Chunk(c))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if f.Format == riff.MP3 {
		whole, base := p.Reader, p.base
		p.Reader, p.base = whole.Section(f.Off, f.Size), base+f.Off
		err := p.mpeg()
		p.tags.Audio.Off += f.Off
		p.Reader, p.base = whole, base
		return err
	}
	p.setAudio(WAV, f.Audio)
	return nil
}

// aiff reads AIFF and AIFF-C.
func (p *parser) aiff() error {
	f, err := riff.ReadAIFF(p.Reader, func(c riff.Chunk) error {
		switch c.ID {
		case "ID3 ", "id3 ":
			return ignoreDamage(p.id3Chunk(c))
		case "NAME", "AUTH":
			return ignoreDamage(p.textChunk(c))
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.setAudio(AIFF, f.Audio)
	return nil
}

func (p *parser) setAudio(format Format, a riff.Audio) {
	t := &p.tags
	t.Format, t.SampleRate, t.Channels, t.Audio = format, a.Rate, a.Channels, Range{a.Off, a.Size}
	if a.SampleSize > 0 {
		t.BitDepth = a.Bits
	}
	t.Duration = samplesToTime(a.Frames, a.Rate)
	t.Bitrate = averageBitrate(a.Size, t.Duration)
}

// infoList reads a RIFF INFO list. An ID3 chunk in the same file has precedence, wherever it is.
func (p *parser) infoList(list riff.Chunk) error {
	b, err := p.Peek(list.Off, 4)
	if err != nil || !has(b, 0, "INFO") {
		return err
	}
	for c, err := range riff.Chunks(p.Reader, list.Off+4, min(list.Off+list.Size, p.Size()), list.Order) {
		if err != nil {
			return err
		}
		if err := p.textChunk(*c); err != nil {
			return err
		}
	}
	return nil
}

// textChunk adds a text that may end with a zero byte.
func (p *parser) textChunk(c riff.Chunk) error {
	k := chunkFields[c.ID]
	if k == fieldNone || c.Size > maxValueBytes {
		return nil
	}
	b, err := p.Peek(c.Off, int(c.Size))
	if err != nil {
		return err
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	p.fields.add(k, text.Latin1(b))
	return nil
}

// id3Chunk reads an ID3 tag in a chunk, the first of which has precedence over all other tags.
func (p *parser) id3Chunk(c riff.Chunk) error {
	b, err := p.Peek(c.Off, id3.HeaderSize)
	if err != nil {
		return err
	}
	if size := id3.TagSize(b); size == 0 || size > c.Size+id3.HeaderSize {
		return nil
	}
	if p.id3Chunks++; p.id3Chunks > 1 {
		return p.id3v2(c.Off)
	}
	weaker := p.fields
	p.fields = fields{}
	if err := p.id3v2(c.Off); err != nil {
		return err
	}
	p.nextTag()
	p.fields.lyrics = append(p.fields.lyrics, weaker.lyrics...)
	for k, values := range weaker.values {
		for _, v := range values {
			p.fields.add(field(k), v)
		}
	}
	return nil
}
