package tags

import (
	"slices"

	"waxwing/internal/media/asf"
	"waxwing/internal/media/text"
)

// asfNames maps the attributes of Windows Media to their meaning.
var asfNames = map[string]field{
	"Title": fieldTitle, "Author": fieldArtist, "WM/ARTISTS": fieldArtists,
	"WM/AlbumTitle": fieldAlbum, "WM/AlbumArtist": fieldAlbumArtist,
	"WM/TrackNumber": fieldTrack, "WM/PartOfSet": fieldDisc, "WM/Year": fieldDate,
	"WM/Genre": fieldGenre, "WM/Composer": fieldComposer, "WM/IsCompilation": fieldCompilation,
	"WM/TitleSortOrder": fieldTitleSort, "WM/ArtistSortOrder": fieldArtistSort,
	"WM/AlbumSortOrder": fieldAlbumSort, "WM/AlbumArtistSortOrder": fieldAlbumArtistSort,
	"WM/Lyrics":                    fieldLyrics,
	"MusicBrainz/Release Track Id": fieldTrackID,
	"MusicBrainz/Track Id":         fieldRecordingID, "MusicBrainz/Album Id": fieldReleaseID,
	"MusicBrainz/Artist Id": fieldArtistID, "MusicBrainz/Album Artist Id": fieldAlbumArtistID,
}

func (p *parser) asf() error {
	h, err := asf.Read(p.Reader, p.asfAttribute)
	if err != nil {
		return err
	}
	if h.SampleRate == 0 {
		return ErrUnknownFormat
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels, t.Duration = WMA, h.SampleRate, h.Channels, h.Duration
	t.Audio = Range{h.Size, p.Size() - h.Size}
	if t.Bitrate = h.Bitrate; t.Bitrate == 0 {
		t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	}
	return nil
}

func (p *parser) asfAttribute(a asf.Attribute) error {
	if a.Name == "WM/Picture" {
		pic, ok, err := a.Picture()
		if ok {
			p.offerPicture(Picture{Off: pic.Off, Len: pic.Len, MIME: pic.MIME, kind: pic.Kind})
		}
		return err
	}
	k, known := asfNames[a.Name]
	if !known {
		k = nameField(a.Name)
	}
	if k == fieldNone || !k.fits(a.Size) {
		return nil
	}
	v, err := a.Text()
	if err != nil {
		return err
	}
	// The author of the content description is often repeated as an attribute.
	if k != fieldArtist || !slices.Contains(p.fields.values[k], text.Clean(v)) {
		p.fields.add(k, v)
	}
	return nil
}
