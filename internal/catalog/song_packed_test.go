package catalog_test

import (
	"slices"
	"testing"

	"waxwing/internal/catalog"
)

// TestPackedSongsSurviveSeparatorsInText puts the separators of packed songs into every text of a
// song.
func TestPackedSongsSurviveSeparatorsInText(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		const hostile = "a\x1eb\x1fc"
		tags := songs(7)
		for i := range tags {
			tag := &tags[i]
			tag.Title, tag.Genres, tag.Format, tag.Artist, tag.Bitrate = hostile, []string{hostile}, hostile, hostile, 0
			tag.Credits[0].Artist.Name, tag.Album.Title = hostile, hostile
		}
		ids := ingest(t, s, tags...)
		slices.Sort(ids)
		page := catalog.Page{Number: 1, Limit: 50}
		all, _, err := s.Songs(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		newest, err := s.Trending(t.Context(), 50)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(newest)
		for name, list := range map[string][]catalog.Song{"all": all, "newest": newest} {
			var listed []string
			for _, song := range list {
				listed = append(listed, song.ID)
				one, err := s.Song(t.Context(), song.ID)
				if err != nil || one != song {
					t.Errorf("song %s: got %+v, error %v; want %+v as in the list %q", song.ID, one, err, song, name)
				}
				if facts, err := song.Decode(); err != nil || facts.Title != "abc" || *facts.Album != "abc" ||
					*facts.Genre != "abc" || song.Format != "abc" || song.Bitrate != 0 {
					t.Errorf("song of the list %q: got %+v, error %v; want the texts without separators", name, song, err)
				}
			}
			if !slices.Equal(listed, ids) {
				t.Errorf("list %q: got %v, want %v", name, listed, ids)
			}
		}
	})
}
