package catalog

import (
	"context"
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

func (d Details) row(song int64) []any {
	return []any{song, null(d.SampleRate), null(d.Channels), null(d.BitDepth), null(d.MusicBrainz.Recording),
		null(d.MusicBrainz.Track), null(d.MusicBrainz.Album), null(strings.Join(d.MusicBrainz.Artists, ","))}
}

func (p *ingest) writeDetails(ctx context.Context) error {
	rows := make([][]any, len(p.tags))
	for i := range p.tags {
		rows[i] = p.tags[i].Details.row(p.nums[i])
	}
	if err := p.deleteOld(ctx, "song_details"); err != nil {
		return err
	}
	return p.t.putDetails(ctx, rows)
}

func (t *tx) putDetails(ctx context.Context, rows [][]any) error {
	return t.insertMany(ctx, "ingest details", "song_details",
		"song, sample_rate, channels, bit_depth, mb_recording, mb_track, mb_album, mb_artists", rows, "")
}
