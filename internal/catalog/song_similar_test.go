package catalog_test

import (
	"slices"
	"testing"
	"time"

	"waxwing/internal/catalog"
)

func TestSimilarPrefersOwnSessionsThenArtistThenGenre(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		tags := songs(6)
		for i := range tags {
			tags[i].Credits[0].Artist.Name = []string{"A", "A", "B", "C", "D", "E"}[i]
			tags[i].Genres = []string{[]string{"Rock", "Jazz", "Rock", "Jazz", "Pop", "Folk"}[i]}
			tags[i].Year = []int{1999, 1970, 1970, 1950, 1950, 1999}[i]
		}
		ids := ingest(t, s, tags...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		at := time.Now().Add(-48 * time.Hour)
		for hours := range 2 {
			for _, i := range []int{0, 4} { // two sessions of Ann
				_, err := s.RecordPlay(ctx, catalog.Play{SongID: ids[i], Listener: ann,
					PlayedAt: at.Add(time.Duration(hours)*time.Hour + time.Duration(i)*time.Minute)})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, c := range []struct {
			who  catalog.Viewer
			want []string
		}{{ann, []string{ids[4], ids[1], ids[2], ids[5]}}, {bob, []string{ids[1], ids[2], ids[5]}}} {
			for range 2 {
				found, err := s.Similar(ctx, c.who, ids[0], 20)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, song := range found {
					got = append(got, song.ID)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("similar songs: got %v, want %v", got, c.want)
				}
			}
		}
	})
}
