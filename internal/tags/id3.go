package tags

import (
	"bytes"
	"strconv"

	"waxwing/internal/lyrics"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/trailer"
)

// id3Text maps the text frames of ID3v2.3/2.4 and 2.2 to their meaning.
var id3Text = map[string]field{
	"TIT2": fieldTitle, "TT2": fieldTitle, "TSOT": fieldTitleSort, "TST": fieldTitleSort,
	"TPE1": fieldArtist, "TP1": fieldArtist,
	"TSOP": fieldArtistSort, "TSP": fieldArtistSort, "XSOP": fieldArtistSort,
	"TALB": fieldAlbum, "TAL": fieldAlbum, "TSOA": fieldAlbumSort, "TSA": fieldAlbumSort,
	"TPE2": fieldAlbumArtist, "TP2": fieldAlbumArtist, "TSO2": fieldAlbumArtistSort, "TS2": fieldAlbumArtistSort,
	"TRCK": fieldTrack, "TRK": fieldTrack, "TPOS": fieldDisc, "TPA": fieldDisc,
	"TDRC": fieldDate, "TDRL": fieldYear, "TYER": fieldYear, "TYE": fieldYear,
	"TDOR": fieldOriginalDate, "TORY": fieldOriginalDate, "TOR": fieldOriginalDate,
	"TCOM": fieldComposer, "TCM": fieldComposer,
	"TCON": fieldGenre, "TCO": fieldGenre, "TCMP": fieldCompilation, "TCP": fieldCompilation,
}

// id3v2 reads the tag at off.
func (p *parser) id3v2(off int64) error {
	tag, err := id3.Open(p.Reader, off)
	if err != nil || tag == nil {
		return err
	}
	p.nextTag()
	for {
		f, ok := tag.Next()
		if !ok {
			return nil
		}
		if err := p.id3Frame(f); err != nil {
			return err
		}
	}
}

func (p *parser) id3Frame(f id3.Frame) error {
	k := id3Text[f.ID]
	switch {
	case f.ID == "APIC" || f.ID == "PIC":
		return p.id3Picture(f)
	case f.ID == "USLT" || f.ID == "ULT":
		lang, value, ok, err := f.Lyrics()
		if ok {
			p.fields.addLyrics(lang, value)
		}
		return err
	case f.ID == "SYLT" || f.ID == "SLT":
		synced, ok, err := f.SyncedLyrics()
		if ok && len(p.syncedLyrics) < lyrics.MaxTexts {
			p.syncedLyrics = append(p.syncedLyrics, synced)
		}
		return err
	case f.ID == "UFID" || f.ID == "UFI":
		b, err := f.Content()
		if owner, id, _ := bytes.Cut(b, []byte{0}); string(owner) == "http://musicbrainz.org" {
			p.fields.add(fieldRecordingID, string(id))
		}
		return err
	case f.ID == "TXXX" || f.ID == "TXX":
		values, err := f.Strings()
		for _, v := range values[min(1, len(values)):] {
			p.fields.addNamed(values[0], v)
		}
		return err
	case k == fieldNone:
		return nil
	}
	values, err := f.Strings()
	for _, v := range values {
		if k != fieldGenre {
			p.fields.add(k, v)
			continue
		}
		for _, genre := range id3.Genres(v) {
			p.fields.add(k, genre)
		}
	}
	return err
}

func (p *parser) id3Picture(f id3.Frame) error {
	found, ok, err := f.Picture()
	if err != nil || !ok {
		return err
	}
	pic := Picture{Off: found.Off, Len: found.Len, MIME: found.MIME, kind: found.Kind}
	switch {
	case found.TagLen > 0:
		pic.coding, pic.outer = codingUnsyncTag, Range{found.TagOff, found.TagLen}
	case found.Unsync:
		pic.coding = codingUnsync
	}
	p.offerPicture(pic)
	return nil
}

// trailers reads the tags at the end of the file and returns where the audio ends.
func (p *parser) trailers() (end int64, err error) {
	tags, err := trailer.Find(p.Reader)
	if err != nil {
		return 0, err
	}
	if tags.ID3v2 >= 0 {
		if err := ignoreDamage(p.id3v2(tags.ID3v2)); err != nil {
			return 0, err
		}
	}
	if tags.HasAPE {
		if err := ignoreDamage(p.apeTag(tags.APE)); err != nil {
			return 0, err
		}
	}
	if err := p.frontTags(); err != nil {
		return 0, err
	}
	if tags.ID3v1 != nil {
		p.nextTag()
		v := id3.ParseV1(tags.ID3v1)
		p.fields.add(fieldTitle, v.Title)
		p.fields.add(fieldArtist, v.Artist)
		p.fields.add(fieldAlbum, v.Album)
		p.fields.add(fieldYear, v.Year)
		p.fields.add(fieldGenre, v.Genre)
		if v.Track > 0 {
			p.fields.add(fieldTrack, strconv.Itoa(v.Track))
		}
	}
	return tags.End, nil
}
