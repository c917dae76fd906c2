package catalog_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

func TestIngestedSongIsReadBack(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		tag := song(1)
		tag.Title = "Ünïcode \x00 & <Title>"
		tag.Genre = "Dream Pop"
		yes := true
		tag.Explicit = &yes
		tag.Credits = append(tag.Credits, catalog.Credit{Artist: catalog.ArtistTag{Name: "Guest"},
			Role: catalog.FeaturedArtist},
			catalog.Credit{Artist: catalog.ArtistTag{Name: "Somebody"}, Role: catalog.Composer})
		tag.Cover = &catalog.Cover{
			Hash: "00112233445566778899aabbccddeeff", Source: catalog.CoverInAudio, File: tag.File.FileRef,
		}
		ids := ingest(t, s, tag)

		got, err := s.Song(ctx, ids[0])
		if err != nil {
			t.Fatal(err)
		}
		facts, err := got.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if facts.Title != "Ünïcode  & <Title>" || *facts.Artist != "The Examples feat. Guest" || len(facts.Artists) != 2 ||
			facts.Artists[0].Username != "the-examples" || *facts.ArtistID != facts.Artists[0].ID ||
			*facts.Album != "First Album" ||
			*facts.TrackNumber != 1 || *facts.DiscNumber != 1 || facts.Duration != 180000 || *facts.Year != 1999 ||
			*facts.Genre != "Dream Pop" || !*facts.Explicit {
			t.Errorf("facts are %s", got.Facts)
		}
		if got.Cover != tag.Cover.Hash || got.Format != "flac" || got.Bitrate != 900 || !got.Available ||
			got.PlayCount != 0 || got.CreatedAt.IsZero() {
			t.Errorf("song is %+v", got)
		}
		album, err := s.Album(ctx, *facts.AlbumID)
		if err != nil || album.SongCount != 1 || album.Duration != 180000 || album.Year != 1999 ||
			album.Artist != "The Examples" || album.Cover != tag.Cover.Hash {
			t.Errorf("album is %+v, %v", album, err)
		}
		artist, err := s.Artist(ctx, "The-Examples")
		if err != nil || artist.SongCount != 1 || artist.AlbumCount != 1 || artist.ID != *facts.ArtistID {
			t.Errorf("artist is %+v, %v", artist, err)
		}
		if composer, err := s.Artist(ctx, "somebody"); err != nil || composer.SongCount != 0 {
			t.Errorf("composer is %+v, %v", composer, err)
		}
		if artists, total, err := s.Artists(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 2 ||
			artists[0].Name != "The Examples" || artists[1].Name != "Guest" {
			t.Errorf("artists are %+v, %d, %v", artists, total, err)
		}
		cover, err := s.Cover(ctx, got.Cover)
		if err != nil || cover.File != tag.File.FileRef || cover.Source != catalog.CoverInAudio {
			t.Errorf("cover is %+v, %v", cover, err)
		}
		if file, format, err := s.SongFile(ctx, ids[0]); err != nil || file != tag.File.FileRef || format != "flac" {
			t.Errorf("file is %v %v %v", file, format, err)
		}
	})
}

func TestSongKeepsIDWhenMovedRetaggedOrMissing(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		id := ingest(t, s, song(1), song(2))[0]

		matches, err := s.FindIdentities(ctx, []catalog.Identity{{Kind: catalog.ByAudio, Value: "audio-1"},
			{Kind: catalog.ByTags, Value: "nothing"}})
		if err != nil || len(matches) != 1 || matches[0].SongID != id || matches[0].File.Path != "album/00001.flac" ||
			!matches[0].Available {
			t.Fatalf("matches are %+v, %v", matches, err)
		}

		moved := song(1)
		moved.ID, moved.File.Path, moved.Title, moved.Credits[0].Artist.Name = id, "other/place.flac", "New title", "Solo"
		if got := ingest(t, s, moved); got[0] != id {
			t.Errorf("id became %s", got[0])
		}
		if _, err := s.FindFile(ctx, catalog.FileRef{Root: "/music", Path: "album/00001.flac"}); kind(
			err,
		) != fault.NotFound {
			t.Errorf("the old file is still known: %v", err)
		}
		if a, _ := s.Artist(ctx, "the-examples"); a.SongCount != 1 {
			t.Errorf("the old artist has %d songs", a.SongCount)
		}
		if a, _ := s.Artist(ctx, "solo"); a.SongCount != 1 || a.AlbumCount != 0 {
			t.Errorf("the new artist is %+v", a)
		}

		if err := s.MarkMissing(ctx, []catalog.FileRef{moved.File.FileRef, {Root: "/music", Path: "never/was"},
			{Root: "/else", Path: "x"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishScan(ctx); err != nil {
			t.Fatal(err)
		}
		lost, err := s.Song(ctx, id)
		if err != nil || lost.Available {
			t.Errorf("the unavailable song is %+v, %v", lost, err)
		}
		if list, total, err := s.Songs(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 1 ||
			len(list) != 1 || list[0].ID == id {
			t.Errorf("songs are %v, %d, %v", list, total, err)
		}
		if a, _ := s.Artist(ctx, "solo"); a.SongCount != 0 {
			t.Errorf("the artist of an unavailable song has %d songs, want 0", a.SongCount)
		}
		if _, _, err := s.SongFile(ctx, id); kind(err) != fault.NotFound {
			t.Errorf("the file of an unavailable song: %v, want NotFound", err)
		}

		ingest(t, s, moved)
		if back, _ := s.Song(ctx, id); !back.Available {
			t.Error("the song is still unavailable after it was ingested again")
		}
		if list, total, err := s.Songs(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 2 ||
			list[0].ID != id && list[1].ID != id {
			t.Errorf("songs are %v, %d, %v", list, total, err)
		}
	})
}

func TestFileWithAnotherSongMakesTheFirstUnavailable(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		first := ingest(t, s, song(1))[0]
		other := song(2)
		other.File.FileRef = song(1).File.FileRef
		second := ingest(t, s, other)[0]
		if a, _ := s.Song(t.Context(), first); a.Available {
			t.Error("the displaced song is still available")
		}
		if b, _ := s.Song(t.Context(), second); !b.Available {
			t.Error("the new song is not available")
		}
	})
}

func TestProblemsAreStoredUntilTheFileIsReadable(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		id := ingest(t, s, song(1))[0]
		bad := catalog.Problem{File: song(1).File, Sentence: "it is no\nmusic"}
		hostile := catalog.Problem{File: catalog.File{FileRef: catalog.FileRef{Root: "/music", Path: "b\xff\x01ad"},
			ModTime: time.UnixMicro(1)}, Sentence: "bad"}
		if err := s.PutProblems(ctx, []catalog.Problem{bad, hostile}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Problems(ctx)
		if err != nil || len(got) != 2 || got[0].Sentence != "it is no music" || got[1].File.Path != "b\xff\x01ad" {
			t.Errorf("problems are %+v, %v", got, err)
		}
		if a, _ := s.Song(ctx, id); a.Available {
			t.Error("a song of an unreadable file is available")
		}
		again := song(1)
		again.ID = id
		ingest(t, s, again)
		if got, err := s.Problems(ctx); err != nil || len(got) != 1 {
			t.Errorf("problems are %+v, %v", got, err)
		}
		var known []catalog.KnownFile
		for f, err := range s.Files(ctx, "/music") {
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, f)
		}
		if len(known) != 2 || known[0].SongID != id || !known[0].ModTime.Equal(song(1).File.ModTime) ||
			known[1].Problem != "bad" {
			t.Errorf("files are %+v", known)
		}
	})
}

func TestMusicBrainzIDsSeparateArtistsOfOneName(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		tags := songs(5)
		for i, artist := range []catalog.ArtistTag{
			{Name: "Nirvana"}, {Name: "NIRVANA", MusicBrainz: "us"}, {Name: "Nirvana", MusicBrainz: "uk"}, {Name: "nirvana"},
			{Name: "Nirvana", MusicBrainz: "us"},
		} {
			tags[i].Credits[0].Artist = artist
			tags[i].Album = nil
		}
		ingest(t, s, tags...)
		us, err := s.Artist(ctx, "nirvana")
		if err != nil || us.SongCount != 4 || us.Name != "Nirvana" {
			t.Errorf("the first is %+v, %v", us, err)
		}
		uk, err := s.Artist(ctx, "nirvana-2")
		if err != nil || uk.SongCount != 1 {
			t.Errorf("the second is %+v, %v", uk, err)
		}
	})
}

func TestArtistHasTheSpellingOfMostSongs(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		tags := songs(3)
		tags[0].Credits[0].Artist.Name = "beyonce"
		id := ingest(t, s, tags[0])[0]
		tags[1].Credits[0].Artist.Name, tags[2].Credits[0].Artist.Name = "Beyoncé", "Beyoncé"
		ingest(t, s, tags[1:]...)
		a, err := s.Artist(ctx, "beyonce")
		if err != nil || a.Name != "Beyoncé" || a.SongCount != 3 {
			t.Errorf("artist is %+v, %v", a, err)
		}
		first, _ := s.Song(ctx, id)
		facts, err := first.Decode()
		if err != nil || facts.Artists[0].Name != "Beyoncé" || *facts.Artist != "beyonce" {
			t.Errorf("facts are %s, %v", first.Facts, err)
		}
	})
}

func TestSyntheticRootsAreNotListed(t *testing.T) {
	s := openSQLite(t)
	scanned, synthetic := song(1), song(2)
	synthetic.File.Root = catalog.SyntheticRoot + "fill"
	ingest(t, s, scanned, synthetic)
	for name, list := range map[string]func(context.Context) ([]string, error){"Roots": s.Roots,
		"RootsInUse": s.RootsInUse} {
		if got, err := list(t.Context()); err != nil || !slices.Equal(got, []string{scanned.File.Root}) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, scanned.File.Root)
		}
	}
}

func TestInvalidBatchesChangeNothing(t *testing.T) {
	s := openSQLite(t)
	twice, nowhere := songs(2), song(1)
	twice[1].File = twice[0].File
	nowhere.File.Path = ""
	foreign := song(1)
	foreign.ID = "al_0000000000000000000000"
	for name, batch := range map[string][]catalog.ScannedSong{
		"file twice": twice, "no path": {nowhere}, "foreign id": {foreign}, "too many": songs(catalog.BatchLimit + 1),
	} {
		if _, err := s.IngestSongs(t.Context(), batch); kind(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, total, _ := s.Songs(t.Context(), catalog.Page{Number: 1, Limit: 1}); total != 0 {
		t.Errorf("%d songs", total)
	}
}

func TestSongPagesHaveOneOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(1101)...)
		var gone []catalog.FileRef
		for i := range 1101 {
			if i%7 == 3 || i < 5 {
				gone = append(gone, song(i+1).File.FileRef)
				ids[i] = ""
			}
		}
		if err := s.MarkMissing(ctx, gone); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishScan(ctx); err != nil {
			t.Fatal(err)
		}
		var walked []catalog.Song
		for page := int64(1); ; page++ {
			got, total, err := s.Songs(ctx, catalog.Page{Number: page, Limit: 37})
			if err != nil {
				t.Fatal(err)
			}
			if int(total) != 1101-len(gone) {
				t.Fatalf("total is %d", total)
			}
			if len(got) == 0 {
				break
			}
			walked = append(walked, got...)
		}
		seen := make(map[string]bool)
		for i, song := range walked {
			seen[song.ID] = true
			if i > 0 {
				before := walked[i-1]
				if song.CreatedAt.Before(before.CreatedAt) || song.CreatedAt.Equal(before.CreatedAt) && song.ID <= before.ID {
					t.Fatalf("%s comes after %s", song.ID, before.ID)
				}
			}
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
		if len(walked) != len(ids) {
			t.Errorf("the pages list %d songs, want %d", len(walked), len(ids))
		}
		for _, id := range ids {
			if !seen[id] {
				t.Errorf("%s is not listed", id)
			}
		}
		album, _, err := s.Albums(ctx, catalog.Page{Number: 1, Limit: 1})
		if err != nil || len(album) != 1 {
			t.Fatal(album, err)
		}
		var tracks []int
		for page := int64(1); page < 20; page++ {
			got, total, err := s.AlbumSongs(ctx, album[0].ID, catalog.Page{Number: page, Limit: 100})
			if err != nil || int(total) != len(ids) {
				t.Fatal(total, err)
			}
			for _, song := range got {
				facts, _ := song.Decode()
				tracks = append(tracks, *facts.TrackNumber)
			}
		}
		if len(tracks) != len(ids) || !slices.IsSorted(tracks) {
			t.Errorf("%d tracks of %d, sorted: %v", len(tracks), len(ids), slices.IsSorted(tracks))
		}
		got, total, err := s.ArtistSongs(ctx, "the-examples", catalog.Page{Number: 10, Limit: 100})
		if err != nil || int(total) != len(ids) || len(got) != len(ids)-900 {
			t.Errorf("artist's songs: %d of %d, %v", len(got), total, err)
		}
	})
}

func kind(err error) fault.Kind {
	if err == nil {
		return 255
	}
	k, _ := fault.Of(err)
	return k
}
