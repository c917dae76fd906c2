package player

import (
	"slices"
	"testing"

	"waxwing/api/catalogapi"
)

func TestTrackListsEachArtist(t *testing.T) {
	credit := "Ada Vale feat. Bo"
	ref := func(names ...string) (refs []catalogapi.ArtistRef) {
		for _, name := range names {
			refs = append(refs, catalogapi.ArtistRef{Name: name})
		}
		return refs
	}
	for _, c := range []struct {
		song    catalogapi.Song
		artists []string
	}{
		{catalogapi.Song{Artist: &credit, Artists: ref("Ada Vale", "Bo")}, []string{"Ada Vale", "Bo"}},
		{catalogapi.Song{Artist: &credit, Artists: ref(credit)}, []string{credit}},
		{catalogapi.Song{Artist: &credit}, []string{credit}},
		{catalogapi.Song{Artists: ref("A\nB", "C")}, []string{"A B", "C"}},
		{catalogapi.Song{}, nil},
	} {
		if got := TrackOf(c.song).Artists(); !slices.Equal(got, c.artists) {
			t.Errorf("artists of %+v: got %q, want %q", c.song, got, c.artists)
		}
	}
}
