package tags

import (
	"encoding/binary"
	"strconv"

	"waxwing/internal/media/id3"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/text"
)

// mp4Text maps the kinds of iTunes' text items to their meaning.
var mp4Text = map[string]field{
	"\xa9nam": fieldTitle, "sonm": fieldTitleSort,
	"\xa9ART": fieldArtist, "soar": fieldArtistSort,
	"\xa9alb": fieldAlbum, "soal": fieldAlbumSort,
	"aART": fieldAlbumArtist, "soaa": fieldAlbumArtistSort,
	"\xa9day": fieldDate, "\xa9gen": fieldGenre, "\xa9wrt": fieldComposer,
}

// mp4Item adds one value of an iTunes tag.
func (p *parser) mp4Item(item mp4.Item) {
	b := item.Value
	addInt := func(k field, n int) { p.fields.add(k, strconv.Itoa(n)) }
	switch kind := item.Kind; {
	case kind == "covr":
		mime := map[byte]string{14: "image/png", 27: "image/bmp"}[item.Type]
		if mime == "" {
			mime = "image/jpeg"
		}
		p.offerPicture(Picture{Off: item.Off, Len: item.Size, MIME: mime, kind: 3})
	case kind == "----" && nameField(item.Name) == fieldLyrics, kind == "\xa9lyr":
		p.mp4Lyrics(item)
	case kind == "----":
		p.fields.addNamed(item.Name, string(b))
	case mp4Text[kind] != fieldNone:
		p.fields.add(mp4Text[kind], string(b))
	case (kind == "trkn" || kind == "disk") && len(b) >= 6:
		number, total := fieldTrack, fieldTrackTotal
		if kind == "disk" {
			number, total = fieldDisc, fieldDiscTotal
		}
		addInt(number, int(binary.BigEndian.Uint16(b[2:])))
		addInt(total, int(binary.BigEndian.Uint16(b[4:])))
	case kind == "cpil" && len(b) >= 1:
		addInt(fieldCompilation, int(b[len(b)-1]))
	case kind == "rtng" && len(b) >= 1:
		addInt(fieldAdvisory, int(b[len(b)-1]))
	case kind == "gnre" && len(b) >= 2:
		p.fields.add(fieldGenre, id3.GenreName(int(binary.BigEndian.Uint16(b))-1))
	}
}

// mp4Lyrics adds lyrics, which may be longer than other values.
func (p *parser) mp4Lyrics(item mp4.Item) {
	b := item.Value
	if b == nil && fieldLyrics.fits(item.Size) {
		b, _ = p.At(item.Off, int(item.Size)) // none if the file is damaged there
	}
	if item.Type == 2 { // UTF-16 without a mark
		bigEndian := true
		p.fields.addLyrics("", text.UTF16(b, &bigEndian))
		return
	}
	p.fields.addLyrics("", string(b))
}
