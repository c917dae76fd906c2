package tags

import (
	"encoding/binary"
	"strconv"
)

// ilstText maps iTunes' text atoms to their meaning.
var ilstText = map[string]field{
	"\xa9nam": fieldTitle, "sonm": fieldTitleSort,
	"\xa9ART": fieldArtist, "soar": fieldArtistSort,
	"\xa9alb": fieldAlbum, "soal": fieldAlbumSort,
	"aART": fieldAlbumArtist, "soaa": fieldAlbumArtistSort,
	"\xa9day": fieldDate, "\xa9gen": fieldGenre,
}

// ilst reads iTunes' list of tags.
func (m *mp4File) ilst(list box) error {
	for pos, n := list.start, 0; pos+8 <= list.end && n < maxBoxes; n++ {
		item, err := m.boxAt(pos, list.end)
		if err != nil {
			return err
		}
		if err := m.ilstItem(item); err != nil {
			return err
		}
		pos = item.end
	}
	return nil
}

func (m *mp4File) ilstItem(item box) error {
	text := ilstText[item.kind]
	switch item.kind {
	case "trkn", "disk", "cpil", "rtng", "gnre", "covr", "----":
	default:
		if text == fieldNone {
			return nil
		}
	}
	for pos, n := item.start, 0; pos+8 <= item.end && n < maxValues; n++ {
		b, err := m.boxAt(pos, item.end)
		if err != nil {
			return err
		}
		pos = b.end
		size := b.end - b.start
		switch {
		case b.kind == "name" && item.kind == "----" && size > 4 && size < 256:
			name, err := m.At(b.start+4, int(size-4))
			if err != nil {
				return err
			}
			text = nameField(string(name))
		case b.kind != "data" || size < 8:
		case item.kind == "covr":
			if err := m.cover(b); err != nil {
				return err
			}
		case size <= maxID3Text:
			value, err := m.At(b.start+8, int(size-8))
			if err != nil {
				return err
			}
			if text != fieldNone {
				m.fields.add(text, string(value))
			} else {
				m.ilstNumber(item.kind, value)
			}
		}
	}
	return nil
}

func (m *mp4File) ilstNumber(kind string, b []byte) {
	addInt := func(k field, n int) { m.fields.add(k, strconv.Itoa(n)) }
	switch {
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
		m.fields.add(fieldGenre, genreName(int(binary.BigEndian.Uint16(b))-1))
	}
}

func (m *mp4File) cover(data box) error {
	h, err := m.At(data.start, 8)
	if err != nil {
		return err
	}
	mime := "image/jpeg"
	switch h[3] {
	case 14:
		mime = "image/png"
	case 27:
		mime = "image/bmp"
	}
	m.offerPicture(Picture{Off: data.start + 8, Len: data.end - data.start - 8, MIME: mime, kind: 3})
	return nil
}
