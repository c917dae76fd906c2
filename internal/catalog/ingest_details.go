package catalog

import (
	"slices"
	"strings"

	"waxwing/internal/words"
)

func (d *Details) tidy() {
	d.SampleRate, d.Channels, d.BitDepth = max(d.SampleRate, 0), max(d.Channels, 0), max(d.BitDepth, 0)
	const uuid = 36
	ids := &d.MusicBrainz
	ids.Recording, ids.Track = words.Clean(ids.Recording, uuid), words.Clean(ids.Track, uuid)
	ids.Album = words.Clean(ids.Album, uuid)
	ids.Artists, ids.AlbumArtists = tidyList(ids.Artists, uuid, ","), tidyList(ids.AlbumArtists, uuid, ",")
	d.Released = words.Clean(d.Released, len("2006-01-02"))
	d.Composers = tidyList(d.Composers, longestName, "\n")
}

// maxListed limits the values of a list in a column.
const maxListed = 64

// tidyList returns the clean values of a list, each once, without those that contain its separator.
func tidyList(list []string, longest int, separator string) (tidy []string) {
	for _, value := range list {
		value = words.Clean(value, longest)
		if value != "" && !strings.Contains(value, separator) && !slices.Contains(tidy, value) && len(tidy) < maxListed {
			tidy = append(tidy, value)
		}
	}
	return tidy
}

// detailColumns are the columns of songs for Details.values.
const detailColumns = "sample_rate, channels, bit_depth, mb_recording, mb_track, mb_album, mb_artists, " +
	"mb_album_artists, released, composers"

func (d Details) values() []any {
	ids := d.MusicBrainz
	return []any{null(d.SampleRate), null(d.Channels), null(d.BitDepth), null(ids.Recording), null(ids.Track),
		null(ids.Album), null(strings.Join(ids.Artists, ",")), null(strings.Join(ids.AlbumArtists, ",")),
		null(d.Released), null(strings.Join(d.Composers, "\n"))}
}
