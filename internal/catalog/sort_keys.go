package catalog

import (
	"cmp"
	"strconv"

	"waxwing/internal/words"
)

// tagVersion is the version of what is stored of a file's tags. Rows of a lower version are read
// again once by the next scan: raise it when more of the tags is stored. Version 1 was derived from
// the facts of an older release, version 2 lacks dates, composers and the ids of album artists.
const tagVersion = 3

// songSortKeys are the columns that order lists of songs.
type songSortKeys struct {
	title, artist, album string
	year                 int
}

func sortKeysOf(tag *ScannedSong, album int64) songSortKeys {
	keys := songSortKeys{title: words.SortKey(tag.Title), year: tag.Year}
	artist := tag.Artist
	for _, c := range tag.Credits {
		if c.Role == MainArtist {
			artist = cmp.Or(c.Artist.SortName, tag.Artist)
			break
		}
	}
	keys.artist = words.SortKey(artist)
	if tag.Album != nil {
		keys.album = words.SortKey(tag.Album.Title) + albumSortEnd(album)
	}
	return keys
}

// albumSortEnd ends the album_sort of the songs of an album, to keep albums of one title apart.
func albumSortEnd(album int64) string { return keySeparator + strconv.FormatInt(album, 10) }

// albumArtistSort orders albums by artist; credit is the credit line.
func albumArtistSort(tag *AlbumTag, credit string) string {
	if len(tag.Artists) > 0 && tag.Artists[0].SortName != "" {
		credit = tag.Artists[0].SortName
	}
	return words.SortKey(credit)
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
