package catalog_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// forget makes a catalog look as an older release left it: without sort keys, genres, details and
// the indexes of songs.
func forget(t *testing.T, s *catalog.Store) {
	t.Helper()
	var statements []string
	for _, index := range catalog.SongIndexes() {
		statements = append(statements, `DROP INDEX `+index)
	}
	for _, statement := range append(statements,
		`UPDATE songs SET title_sort = '', artist_sort = '', album_sort = '', year = 0, tag_version = 0,
			sample_rate = NULL, channels = NULL, mb_track = NULL`,
		`UPDATE albums SET artist_sort = ''`,
		`DELETE FROM genres`, `DELETE FROM song_genres`, `DELETE FROM album_genres`,
		`DELETE FROM settings WHERE name = 'sort_keys'`,
	) {
		if _, err := catalog.Writer(s).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDeriveFillsWhatAnOlderReleaseLeftOut compares lists before and after.
func TestDeriveFillsWhatAnOlderReleaseLeftOut(t *testing.T) {
	for name, db := range map[string]string{
		"sqlite": filepath.Join(t.TempDir(), "catalog.db"), "postgres": cluster.Database(t),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := open(t, catalog.Config{DB: db})
			tags := songs(700)
			for i := range tags {
				tags[i].Title = fmt.Sprintf("Title %d", i%50)
				tags[i].Year = 1990 + i%3
				tags[i].Genres = [][]string{{"Rock"}, {"Jazz"}, nil}[i%3]
			}
			ids := ingest(t, s, tags...)
			if err := s.MarkMissing(ctx, []catalog.FileRef{tags[5].File.FileRef}); err != nil {
				t.Fatal(err)
			}
			if err := s.FinishScan(ctx); err != nil {
				t.Fatal(err)
			}
			read := func(s *catalog.Store) (listed []string) {
				for _, sort := range []string{"title", "artist", "album", "year"} {
					got, total, err := s.ListSongs(ctx, catalog.SongQuery{Sort: sort}, catalog.Page{Number: 2, Limit: 200})
					if err != nil || total != 699 {
						t.Fatalf("got %d songs, error %v; want 699", total, err)
					}
					for _, song := range got {
						listed = append(listed, song.ID+song.Facts)
					}
				}
				return append(listed, fmt.Sprint(allGenres(t, s)))
			}
			want := read(s)
			before, err := s.Song(ctx, ids[0])
			if err != nil {
				t.Fatal(err)
			}
			forget(t, s)
			reopened := open(t, catalog.Config{DB: db})
			_, _, err = reopened.ListSongs(ctx, catalog.SongQuery{Sort: "title"}, catalog.Page{Number: 1, Limit: 1})
			if kind, _ := fault.Of(err); kind != fault.Unavailable {
				t.Errorf("songs by title without an index: got %v, want an Unavailable fault", err)
			}
			if err := reopened.Derive(ctx); err != nil {
				t.Fatal(err)
			}
			for _, index := range catalog.SongIndexes() {
				if _, err := catalog.Writer(reopened).ExecContext(ctx, `DROP INDEX `+index); err != nil {
					t.Errorf("index %s after Derive: %v", index, err)
				}
			}
			if got := read(reopened); !slices.Equal(got, want) {
				t.Error("lists differ from those of songs that were ingested")
			}
			after, err := reopened.Song(ctx, ids[0])
			if err != nil || after != before {
				t.Errorf("got %+v, error %v; want the song unchanged: %+v", after, err, before)
			}
		})
	}
}

// TestServersDeriveInTheBackground checks that a server completes a catalog without being asked.
func TestServersDeriveInTheBackground(t *testing.T) {
	db := filepath.Join(t.TempDir(), "catalog.db")
	s := open(t, catalog.Config{DB: db})
	tag := song(1)
	tag.Genres = []string{"Rock"}
	ingest(t, s, tag)
	forget(t, s)
	server := open(t, catalog.Config{DB: db, Serves: true})
	for {
		view := server.View()
		if genres, _, err := server.Genres(t.Context(), catalog.Page{Number: 1, Limit: 1}); err != nil {
			t.Fatal(err)
		} else if len(genres) == 1 {
			return
		}
		select {
		case <-view.Superseded():
		case <-t.Context().Done():
			t.Fatal("the server did not fill the genres")
		}
	}
}

// TestJoinedGenresOfAnOlderReleaseAreSplit checks that the genre becomes the first of them.
func TestJoinedGenresOfAnOlderReleaseAreSplit(t *testing.T) {
	s := openSQLite(t)
	tag := song(1)
	tag.Genres = []string{"Rock, Jazz"}
	ids := ingest(t, s, tag)
	forget(t, s)
	if err := s.Derive(t.Context()); err != nil {
		t.Fatal(err)
	}
	song, err := s.Song(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	facts, err := song.Decode()
	if err != nil || *facts.Genre != "Rock" {
		t.Errorf("genre: got %q, error %v; want Rock", *facts.Genre, err)
	}
	if got := allGenres(t, s); len(got) != 2 {
		t.Errorf("got %+v, want Jazz and Rock", got)
	}
}
