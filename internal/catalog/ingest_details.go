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
	var artists []string
	for _, id := range ids.Artists {
		if id = words.Clean(id, uuid); id != "" && !strings.Contains(id, ",") && !slices.Contains(artists, id) {
			artists = append(artists, id)
		}
	}
	ids.Artists = artists
}

// detailColumns are the columns of songs for Details.values.
const detailColumns = "sample_rate, channels, bit_depth, mb_recording, mb_track, mb_album, mb_artists"

func (d Details) values() []any {
	ids := d.MusicBrainz
	return []any{null(d.SampleRate), null(d.Channels), null(d.BitDepth), null(ids.Recording), null(ids.Track),
		null(ids.Album), null(strings.Join(ids.Artists, ","))}
}
