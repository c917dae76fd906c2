package tags

import (
	"bytes"
	"strconv"
	"waxwing/internal/media/text"
)

const id3v1Len = 128

// trailers reads the tags at the end of the file (ID3v1, APEv2, Lyrics3) and returns where the sound ends.
func (p *parser) trailers() (end int64, err error) {
	end = p.Size()
	b, err := p.Peek(max(0, end-id3v1Len-apeFooterLen), id3v1Len+apeFooterLen)
	if err != nil {
		return 0, err
	}
	var v1 []byte
	if len(b) >= id3v1Len && has(b, len(b)-id3v1Len, "TAG") {
		v1 = bytes.Clone(b[len(b)-id3v1Len:])
		end -= id3v1Len
	}
	if end, err = p.lyrics3(end); err != nil {
		return 0, err
	}
	if end, err = p.apeTag(end); err != nil {
		return 0, err
	}
	if v1 != nil {
		p.fields.nextTag()
		p.id3v1(v1)
	}
	return end, nil
}

func (p *parser) id3v1(b []byte) {
	text := func(from, to int) string {
		s, _, _ := bytes.Cut(b[from:to], []byte{0})
		return text.Latin1(bytes.TrimRight(s, " "))
	}
	p.fields.add(fieldTitle, text(3, 33))
	p.fields.add(fieldArtist, text(33, 63))
	p.fields.add(fieldAlbum, text(63, 93))
	p.fields.add(fieldYear, text(93, 97))
	if b[125] == 0 && b[126] != 0 {
		p.fields.add(fieldTrack, strconv.Itoa(int(b[126])))
	}
	p.fields.add(fieldGenre, genreName(int(b[127])))
}

// lyrics3 steps over a Lyrics3v2 block that ends at end.
func (p *parser) lyrics3(end int64) (int64, error) {
	const footer = 15
	if end < footer {
		return end, nil
	}
	b, err := p.At(end-footer, footer)
	if err != nil {
		return 0, err
	}
	if !has(b, 6, "LYRICS200") {
		return end, nil
	}
	n, err := strconv.ParseInt(string(b[:6]), 10, 32)
	if err != nil || n < 0 || n+footer > end {
		return end, nil
	}
	return end - footer - n, nil
}
