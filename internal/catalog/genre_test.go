package catalog_test

import (
	"slices"
	"testing"

	"waxwing/internal/catalog"
)

func allGenres(t *testing.T, s *catalog.Store) []catalog.Genre {
	t.Helper()
	genres, total, err := s.Genres(t.Context(), catalog.Page{Number: 1, Limit: 200})
	if err != nil || total != int64(len(genres)) {
		t.Fatalf("got %d genres of %d, error %v; want all", len(genres), total, err)
	}
	return genres
}

func TestGenresAreFoldedAndCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		tags := songs(5)
		tags[0].Genres = []string{"rock", "Jazz"}
		tags[1].Genres = []string{"Rock", "ROCK "}
		tags[2].Genres = []string{"Hip-Hop"}
		tags[2].Album = nil
		tags[3].Genres = []string{"Ｒock"} // full width
		tags[3].Album = &catalog.AlbumTag{Title: "Second"}
		ids := ingest(t, s, tags...)
		want := []catalog.Genre{{Name: "Hip-Hop", SongCount: 1}, {Name: "Jazz", SongCount: 1, AlbumCount: 1},
			{Name: "Rock", SongCount: 3, AlbumCount: 2}}
		if got := allGenres(t, s); !slices.Equal(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		info, err := s.SongFileInfo(ctx, ids[0])
		if err != nil || !slices.Equal(info.Genres, []string{"Rock", "Jazz"}) {
			t.Errorf("genres of a song: got %q, error %v; want Rock and Jazz", info.Genres, err)
		}

		tags[0].ID, tags[0].Genres = ids[0], []string{"Folk"} // another tag
		ingest(t, s, tags[0])
		if err := s.MarkMissing(ctx, []catalog.FileRef{tags[3].File.FileRef}); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishScan(ctx); err != nil {
			t.Fatal(err)
		}
		want = []catalog.Genre{{Name: "Folk", SongCount: 1, AlbumCount: 1}, {Name: "Hip-Hop", SongCount: 1},
			{Name: "Rock", SongCount: 1, AlbumCount: 1}}
		if got := allGenres(t, s); !slices.Equal(got, want) {
			t.Errorf("after changes: got %+v, want %+v", got, want)
		}
		tags[3].ID = ids[3]
		ingest(t, s, tags[3]) // it is back
		want[2] = catalog.Genre{Name: "Rock", SongCount: 2, AlbumCount: 2}
		if got := allGenres(t, s); !slices.Equal(got, want) {
			t.Errorf("after a return: got %+v, want %+v", got, want)
		}
	})
}

func TestYearsAreCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		tags := songs(3)
		tags[0].Year = 1969
		tags[1].Year = 0
		ingest(t, s, tags...)
		got, total, err := s.Years(t.Context(), catalog.Page{Number: 1, Limit: 10})
		want := []catalog.Year{{Year: 1969, SongCount: 1}, {Year: 1999, SongCount: 1, AlbumCount: 1}}
		if err != nil || total != 2 || !slices.Equal(got, want) {
			t.Errorf("got %+v of %d, error %v; want %+v", got, total, err, want)
		}
	})
}

func TestAlbumArtistsLeaveGuestsOut(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		tag := song(1)
		tag.Credits = append(tag.Credits,
			catalog.Credit{Artist: catalog.ArtistTag{Name: "Guest"}, Role: catalog.FeaturedArtist})
		ids := ingest(t, s, tag)
		names := func() (names []string) {
			artists, total, err := s.ListArtists(ctx, catalog.ArtistQuery{OfAlbums: true}, catalog.Page{Number: 1, Limit: 10})
			if err != nil || total != int64(len(artists)) {
				t.Fatalf("got %d of %d, error %v", len(artists), total, err)
			}
			for _, a := range artists {
				names = append(names, a.Name)
			}
			return names
		}
		if got := names(); !slices.Equal(got, []string{"The Examples"}) {
			t.Errorf("got %q, want The Examples", got)
		}
		if _, total, err := s.Artists(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 2 {
			t.Errorf("all artists: got %d, error %v; want 2", total, err)
		}
		tag.ID, tag.Album.Artists = ids[0], []catalog.ArtistTag{{Name: "Guest"}}
		ingest(t, s, tag)
		if got := names(); !slices.Equal(got, []string{"Guest"}) {
			t.Errorf("after a change of the album artist: got %q, want Guest", got)
		}
	})
}

func TestDetailsOfAFileAreStored(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		tag := song(1)
		tag.Details = catalog.Details{SampleRate: 96000, Channels: 2, BitDepth: 24, MusicBrainz: catalog.MusicBrainzIDs{
			Recording: "8f3471b5-7e6a-48da-86a9-c1c07a0f47ae", Track: "0f9a1d54-3b0f-4d4d-9e0f-2f5a3c1b7d66",
			Album:        "9cc41957-9ac4-4c4a-a6e0-3d4ad3c1f25b",
			Artists:      []string{"87c5dedd-371d-4a53-9f7f-80522fb7f3cb", "f6f2326f-6b25-4170-b89d-e235b25508e8"},
			AlbumArtists: []string{"f6f2326f-6b25-4170-b89d-e235b25508e8"},
		}, Released: "2013-06-18", Composers: []string{"Björk", "Sigur, Rós"}}
		ids := ingest(t, s, tag)
		tag.ID = ids[0]
		ingest(t, s, tag) // again: the row is replaced
		got, err := s.SongFileInfo(t.Context(), ids[0])
		if err != nil || got.Path != tag.File.Path || got.Size != tag.File.Size ||
			got.SampleRate != 96000 || got.Channels != 2 || got.BitDepth != 24 ||
			got.MusicBrainz.Recording != tag.Details.MusicBrainz.Recording ||
			got.MusicBrainz.Track != tag.Details.MusicBrainz.Track ||
			got.MusicBrainz.Album != tag.Details.MusicBrainz.Album ||
			!slices.Equal(got.MusicBrainz.Artists, tag.Details.MusicBrainz.Artists) ||
			!slices.Equal(got.MusicBrainz.AlbumArtists, tag.Details.MusicBrainz.AlbumArtists) ||
			got.Released != "2013-06-18" || !slices.Equal(got.Composers, tag.Details.Composers) {
			t.Errorf("got %+v, error %v; want path, size and %+v", got, err, tag.Details)
		}
	})
}
