package mpd

import "strings"

// tag is a kind of metadata.
type tag uint8

// The tags of the protocol, in its order. Those without a value in the catalog are accepted in
// filters and match nothing.
const (
	tagArtist tag = iota
	tagArtistSort
	tagAlbum
	tagAlbumSort
	tagAlbumArtist
	tagAlbumArtistSort
	tagTitle
	tagTitleSort
	tagTrack
	tagName
	tagGenre
	tagMood
	tagDate
	tagOriginalDate
	tagComposer
	tagComposerSort
	tagPerformer
	tagConductor
	tagWork
	tagMovement
	tagMovementNumber
	tagShowMovement
	tagEnsemble
	tagLocation
	tagGrouping
	tagComment
	tagDisc
	tagLabel
	tagMBArtist
	tagMBAlbum
	tagMBAlbumArtist
	tagMBTrack
	tagMBReleaseTrack
	tagMBReleaseGroup
	tagMBWork
	tagCount
)

// tagAny is any tag, in filters.
const tagAny = tagCount

var tagNames = [tagCount]string{
	"Artist", "ArtistSort", "Album", "AlbumSort", "AlbumArtist", "AlbumArtistSort", "Title", "TitleSort", "Track", "Name",
	"Genre", "Mood", "Date", "OriginalDate", "Composer", "ComposerSort", "Performer", "Conductor", "Work", "Movement",
	"MovementNumber", "ShowMovement", "Ensemble", "Location", "Grouping", "Comment", "Disc", "Label",
	"MUSICBRAINZ_ARTISTID", "MUSICBRAINZ_ALBUMID", "MUSICBRAINZ_ALBUMARTISTID", "MUSICBRAINZ_TRACKID",
	"MUSICBRAINZ_RELEASETRACKID", "MUSICBRAINZ_RELEASEGROUPID", "MUSICBRAINZ_WORKID",
}

// servedTags are the tags that songs can have here.
var servedTags = []tag{tagArtist, tagAlbum, tagAlbumArtist, tagTitle, tagTrack, tagName, tagGenre, tagDate,
	tagComposer, tagDisc, tagMBArtist, tagMBAlbum, tagMBAlbumArtist, tagMBTrack, tagMBReleaseTrack}

// tagSet is a set of tags.
type tagSet uint64

const allTags tagSet = 1<<tagCount - 1

func (s tagSet) has(t tag) bool { return s&(1<<t) != 0 }

func tagNamed(name string) (tag, bool) {
	for i, n := range tagNames {
		if strings.EqualFold(n, name) {
			return tag(i), true
		}
	}
	return 0, false
}

// fallback returns the tag that stands in for a missing one.
func (t tag) fallback() (tag, bool) {
	switch t {
	case tagArtistSort, tagAlbumArtist:
		return tagArtist, true
	case tagAlbumSort:
		return tagAlbum, true
	case tagAlbumArtistSort:
		return tagAlbumArtist, true
	case tagTitleSort:
		return tagTitle, true
	case tagComposerSort:
		return tagComposer, true
	}
	return 0, false
}
