package tags

import (
	"bytes"
	"encoding/binary"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/text"
	"waxwing/internal/media/window"
)

const maxChunks = 4096

// infoFields maps the entries of a RIFF INFO list to their meaning.
var infoFields = map[string]field{
	"INAM": fieldTitle, "IART": fieldArtist, "IPRD": fieldAlbum, "ICRD": fieldDate, "IGNR": fieldGenre,
	"ITRK": fieldTrack, "IPRT": fieldTrack, "IAAR": fieldAlbumArtist,
}

// chunk is one chunk of a RIFF or AIFF file.
type chunk struct {
	id        string
	off, size int64
}

// chunks calls visit for each chunk between pos and end. A last chunk that claims more than the file holds is cut to what is there.
func chunks(w *window.Reader, pos, end int64, order binary.ByteOrder, visit func(chunk) error) error {
	for range maxChunks {
		if pos+8 > end {
			return nil
		}
		b, err := w.At(pos, 8)
		if err != nil {
			return err
		}
		c := chunk{id: string(b[:4]), off: pos + 8, size: int64(order.Uint32(b[4:]))}
		whole := c.size
		c.size = min(c.size, end-c.off)
		if err := visit(c); err != nil {
			return err
		}
		pos = c.off + whole + whole&1
	}
	return nil
}

func (p *parser) wav() error {
	t := &p.tags
	var blockAlign, longData, dataSize int64
	pos := int64(12)
	// An RF64 file keeps the true length of its sound in a chunk of its own.
	if b, err := p.Peek(pos, 8+24); err != nil {
		return err
	} else if has(b, 0, "ds64") && len(b) == 32 {
		longData = int64(binary.LittleEndian.Uint64(b[16:]))
	}
	err := chunks(p.Reader, pos, p.Size(), binary.LittleEndian, func(c chunk) error {
		switch c.id {
		case "fmt ":
			b, err := p.At(c.off, int(min(c.size, 40)))
			if err != nil || len(b) < 16 {
				return err
			}
			t.Channels, t.SampleRate = int(binary.LittleEndian.Uint16(b[2:])), int(binary.LittleEndian.Uint32(b[4:]))
			blockAlign = int64(binary.LittleEndian.Uint16(b[12:]))
		case "data":
			dataSize = c.size
			if longData > 0 {
				dataSize = min(longData, p.Size()-c.off)
			}
			t.Audio = Range{c.off, dataSize}
		case "LIST":
			return p.infoList(c)
		case "id3 ", "ID3 ":
			return p.id3Chunk(c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if t.SampleRate <= 0 || t.SampleRate > 1<<24 || blockAlign == 0 {
		return window.Damaged("the WAV file does not say how its sound is stored")
	}
	t.Format = WAV
	t.Duration = samplesToTime(dataSize/blockAlign, t.SampleRate)
	t.Bitrate = averageBitrate(dataSize, t.Duration)
	return nil
}

// infoList reads a RIFF INFO list. An ID3 chunk in the same file is trusted more, wherever it stands.
func (p *parser) infoList(c chunk) error {
	b, err := p.Peek(c.off, 4)
	if err != nil || !has(b, 0, "INFO") {
		return err
	}
	return chunks(p.Reader, c.off+4, c.off+c.size, binary.LittleEndian, func(e chunk) error {
		k := infoFields[e.id]
		if k == fieldNone || e.size > maxID3Text {
			return nil
		}
		b, err := p.At(e.off, int(e.size))
		if err != nil {
			return err
		}
		b, _, _ = bytes.Cut(b, []byte{0})
		p.fields.add(k, text.Latin1(b))
		return nil
	})
}

// id3Chunk reads an ID3 tag that is kept in a chunk; what weaker tags said before is forgotten.
func (p *parser) id3Chunk(c chunk) error {
	b, err := p.Peek(c.off, id3HeaderLen)
	if err != nil {
		return err
	}
	if size := id3.TagSize(b); size == 0 || size > c.size+id3HeaderLen {
		return nil
	}
	weaker := p.fields
	p.fields = fields{}
	if err := p.id3v2(c.off); err != nil {
		return err
	}
	p.fields.nextTag()
	for k, values := range weaker.values {
		for _, v := range values {
			p.fields.add(field(k), v)
		}
	}
	return nil
}

// aiff reads AIFF and AIFF-C.
func (p *parser) aiff() error {
	t := &p.tags
	names := map[string]field{"NAME": fieldTitle, "AUTH": fieldArtist}
	frames := int64(-1)
	err := chunks(p.Reader, 12, p.Size(), binary.BigEndian, func(c chunk) error {
		switch c.id {
		case "COMM":
			b, err := p.At(c.off, int(min(c.size, 18)))
			if err != nil || len(b) < 18 {
				return err
			}
			t.Channels, frames = int(binary.BigEndian.Uint16(b)), int64(binary.BigEndian.Uint32(b[2:]))
			t.SampleRate = extendedInt(b[8:18])
		case "SSND":
			t.Audio = Range{c.off + min(8, c.size), max(c.size-8, 0)}
		case "ID3 ", "id3 ":
			return p.id3Chunk(c)
		case "NAME", "AUTH":
			if c.size > maxID3Text {
				return nil
			}
			b, err := p.At(c.off, int(c.size))
			if err != nil {
				return err
			}
			p.fields.add(names[c.id], text.Latin1(bytes.TrimRight(b, "\x00")))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if t.SampleRate <= 0 || frames < 0 {
		return window.Damaged("the AIFF file does not say how its sound is stored")
	}
	t.Format = AIFF
	t.Duration = samplesToTime(frames, t.SampleRate)
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}

// extendedInt reads the whole part of an 80-bit float; 0 for what cannot be a sample rate.
func extendedInt(b []byte) int {
	exponent := int(binary.BigEndian.Uint16(b)) - 16383
	if exponent < 0 || exponent > 24 {
		return 0
	}
	return int(binary.BigEndian.Uint64(b[2:]) >> (63 - exponent))
}
