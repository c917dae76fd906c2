package tags

import (
	"encoding/binary"
	"strconv"
	"time"
	"waxwing/internal/media/text"
	"waxwing/internal/media/window"
)

const maxObjects = 4096

// Object identifiers of ASF, the container of WMA, as they stand in the file.
const (
	asfHeaderGUID   = "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
	asfFileGUID     = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"
	asfStreamGUID   = "\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65"
	asfContentGUID  = "\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
	asfExtendedGUID = "\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50"
	asfMoreGUID     = "\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65"
	asfLibraryGUID  = "\x94\x1c\x23\x44\x98\x94\xd1\x49\xa1\x41\x1d\x13\x4e\x45\x70\x54"
	asfAudioGUID    = "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
)

// asfNames maps the attribute names of Windows Media to the names used elsewhere.
var asfNames = map[string]field{
	"WM/AlbumTitle": fieldAlbum, "WM/AlbumArtist": fieldAlbumArtist, "WM/TrackNumber": fieldTrack, "WM/PartOfSet": fieldDisc,
	"WM/Year": fieldDate, "WM/Genre": fieldGenre, "WM/IsCompilation": fieldCompilation, "WM/ARTISTS": fieldArtists, "Author": fieldArtist,
	"WM/TitleSortOrder": fieldTitleSort, "WM/ArtistSortOrder": fieldArtistSort, "WM/AlbumSortOrder": fieldAlbumSort, "WM/AlbumArtistSortOrder": fieldAlbumArtistSort,
	"MusicBrainz/Track Id": fieldRecordingID, "MusicBrainz/Album Id": fieldReleaseID, "MusicBrainz/Artist Id": fieldArtistID, "MusicBrainz/Album Artist Id": fieldAlbumArtistID,
}

func (p *parser) asf() error {
	b, err := p.At(0, 30)
	if err != nil {
		return err
	}
	size := int64(min(binary.LittleEndian.Uint64(b[16:]), 1<<62))
	if size < 30 || size > p.Size() {
		return window.Damaged("the ASF header reaches past the end of the file")
	}
	if err := p.asfObjects(30, size, 0); err != nil {
		return err
	}
	t := &p.tags
	if t.SampleRate == 0 {
		return ErrUnknownFormat
	}
	t.Format, t.Audio = WMA, Range{size, p.Size() - size}
	if t.Bitrate == 0 {
		t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	}
	return nil
}

func (p *parser) asfObjects(pos, end int64, depth int) error {
	for range maxObjects {
		if pos+24 > end {
			return nil
		}
		b, err := p.At(pos, 24)
		if err != nil {
			return err
		}
		id, size := string(b[:16]), int64(min(binary.LittleEndian.Uint64(b[16:]), 1<<62))
		if size < 24 || size > end-pos {
			return window.Damaged("an ASF object has an impossible size")
		}
		body, bodyEnd := pos+24, pos+size
		switch id {
		case asfFileGUID, asfStreamGUID:
			if b, err = p.Peek(body, int(min(size-24, 128))); err != nil {
				return err
			}
			p.asfProperties(id, b)
		case asfContentGUID:
			err = p.asfContent(body, bodyEnd)
		case asfExtendedGUID:
			err = p.asfAttributes(body, bodyEnd, false)
		case asfLibraryGUID:
			err = p.asfAttributes(body, bodyEnd, true)
		case asfMoreGUID:
			if depth == 0 {
				err = p.asfObjects(body+22, bodyEnd, 1)
			}
		}
		if err != nil {
			return err
		}
		pos += size
	}
	return nil
}

func (p *parser) asfProperties(id string, b []byte) {
	t := &p.tags
	if id == asfFileGUID && len(b) >= 64 {
		length, preroll := min(binary.LittleEndian.Uint64(b[40:]), 1<<55), min(binary.LittleEndian.Uint64(b[56:]), 1<<40)
		t.Duration = max(time.Duration(length)*100-time.Duration(preroll)*time.Millisecond, 0)
	}
	if id == asfStreamGUID && has(b, 0, asfAudioGUID) && len(b) >= 54+12 {
		t.Channels, t.SampleRate = int(binary.LittleEndian.Uint16(b[56:])), int(min(binary.LittleEndian.Uint32(b[58:]), 1<<20))
		t.Bitrate = int(binary.LittleEndian.Uint32(b[62:]) / 125)
	}
}

// asfContent reads title and author, which have no names in the file.
func (p *parser) asfContent(pos, end int64) error {
	b, err := p.Peek(pos, 10)
	if err != nil || len(b) < 10 {
		return err
	}
	title, author := int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
	if b, err = p.Peek(pos+10, title+author); err != nil || len(b) < title+author || pos+10+int64(title+author) > end {
		return err
	}
	p.fields.add(fieldTitle, littleUTF16(b[:title]))
	if len(p.fields.values[fieldArtist]) == 0 {
		p.fields.add(fieldArtist, littleUTF16(b[title:]))
	}
	return nil
}

func littleUTF16(b []byte) string {
	for len(b) >= 2 && b[len(b)-1] == 0 && b[len(b)-2] == 0 {
		b = b[:len(b)-2]
	}
	bigEndian := false
	return text.UTF16(b, &bigEndian)
}

// asfAttributes reads the list of named values; that of the metadata library has wider fields.
func (p *parser) asfAttributes(pos, end int64, library bool) error {
	b, err := p.At(pos, 2)
	if err != nil {
		return err
	}
	count := int(binary.LittleEndian.Uint16(b))
	pos += 2
	for range min(count, maxObjects) {
		var name string
		var kind uint16
		var value, size int64
		if b, err = p.Peek(pos, 12+512); err != nil || len(b) < 12 || pos >= end {
			return err
		}
		if library {
			nameLen := int(binary.LittleEndian.Uint16(b[4:]))
			kind, size = binary.LittleEndian.Uint16(b[6:]), int64(binary.LittleEndian.Uint32(b[8:]))
			if 12+nameLen > len(b) {
				return nil
			}
			name, value = littleUTF16(b[12:12+nameLen]), pos+12+int64(nameLen)
		} else {
			nameLen := int(binary.LittleEndian.Uint16(b))
			if 2+nameLen+4 > len(b) {
				return nil
			}
			name = littleUTF16(b[2 : 2+nameLen])
			kind, size = binary.LittleEndian.Uint16(b[2+nameLen:]), int64(binary.LittleEndian.Uint16(b[4+nameLen:]))
			value = pos + 6 + int64(nameLen)
		}
		if size > end-value {
			return nil
		}
		if err := p.asfAttribute(name, kind, value, size); err != nil {
			return err
		}
		pos = value + size
	}
	return nil
}

func (p *parser) asfAttribute(name string, kind uint16, off, size int64) error {
	if name == "WM/Picture" {
		return p.asfPicture(off, size)
	}
	k, known := asfNames[name]
	if !known {
		k = nameField(name)
	}
	if k == fieldNone || size > maxID3Text {
		return nil
	}
	b, err := p.At(off, int(size))
	if err != nil {
		return err
	}
	switch {
	case kind == 0:
		v := littleUTF16(b)
		if k == fieldArtist && len(p.fields.values[k]) > 0 && p.fields.values[k][0] == text.Clean(v) {
			return nil
		}
		p.fields.add(k, v)
	case len(b) >= 4:
		p.fields.add(k, strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10))
	case len(b) >= 2:
		p.fields.add(k, strconv.Itoa(int(binary.LittleEndian.Uint16(b))))
	}
	return nil
}

func (p *parser) asfPicture(off, size int64) error {
	b, err := p.Peek(off, int(min(size, 1024)))
	if err != nil || len(b) < 9 {
		return err
	}
	kind := b[0]
	mime := textEnd(1, b[5:])
	if mime < 0 {
		return nil
	}
	description := textEnd(1, b[5+mime:])
	if description < 0 {
		return nil
	}
	start := int64(5 + mime + description)
	p.offerPicture(Picture{Off: off + start, Len: size - start, MIME: littleUTF16(b[5 : 5+mime]), kind: kind})
	return nil
}
