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
		tag.Genres = []string{"Dream Pop"}
		explicit := true
		tag.Explicit = &explicit
		tag.Credits = append(tag.Credits,
			catalog.Credit{Artist: catalog.ArtistTag{Name: "Guest"}, Role: catalog.FeaturedArtist},
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
			t.Errorf("facts: got %s, want those of the tags", got.Facts)
		}
		if got.Cover != tag.Cover.Hash || got.Format != "flac" || got.Bitrate != 900 || !got.Available ||
			got.PlayCount != 0 || got.CreatedAt.IsZero() {
			t.Errorf("song: got %+v, want an available flac of 900 kbit/s with its cover and no plays", got)
		}
		album, err := s.Album(ctx, *facts.AlbumID)
		if err != nil || album.SongCount != 1 || album.Duration != 180000 || album.Year != 1999 ||
			album.Artist != "The Examples" || album.Cover != tag.Cover.Hash {
			t.Errorf("album: got %+v, error %v; want 1 song of 3 minutes from 1999 by The Examples", album, err)
		}
		artist, err := s.Artist(ctx, "The-Examples")
		if err != nil || artist.SongCount != 1 || artist.AlbumCount != 1 || artist.ID != *facts.ArtistID {
			t.Errorf("artist: got %+v, error %v; want 1 song and 1 album", artist, err)
		}
		if composer, err := s.Artist(ctx, "somebody"); err != nil || composer.SongCount != 0 {
			t.Errorf("composer: got %+v, error %v; want no songs", composer, err)
		}
		if artists, total, err := s.Artists(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 2 ||
			artists[0].Name != "The Examples" || artists[1].Name != "Guest" {
			t.Errorf("artists: got %+v, total %d, error %v; want The Examples and Guest", artists, total, err)
		}
		cover, err := s.Cover(ctx, got.Cover)
		if err != nil || cover.File != tag.File.FileRef || cover.Source != catalog.CoverInAudio {
			t.Errorf("cover: got %+v, error %v; want the picture in %v", cover, err, tag.File.FileRef)
		}
		if file, format, err := s.SongFile(ctx, ids[0]); err != nil || file != tag.File.FileRef || format != "flac" {
			t.Errorf("file: got %v, %v, error %v; want %v, flac", file, format, err, tag.File.FileRef)
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
			t.Fatalf("matches: got %+v, error %v; want the available song %s", matches, err, id)
		}

		moved := song(1)
		moved.ID, moved.File.Path, moved.Title, moved.Credits[0].Artist.Name = id, "other/place.flac", "New title", "Solo"
		if got := ingest(t, s, moved); got[0] != id {
			t.Errorf("id of the moved song: got %s, want %s", got[0], id)
		}
		_, err = s.FindFile(ctx, catalog.FileRef{Root: "/music", Path: "album/00001.flac"})
		if kind(err) != fault.NotFound {
			t.Errorf("old file of the moved song: got %v, want NotFound", err)
		}
		if a, _ := s.Artist(ctx, "the-examples"); a.SongCount != 1 {
			t.Errorf("songs of the old artist: got %d, want 1", a.SongCount)
		}
		if a, _ := s.Artist(ctx, "solo"); a.SongCount != 1 || a.AlbumCount != 0 {
			t.Errorf("new artist: got %+v, want 1 song and no album", a)
		}

		if err := s.MarkMissing(ctx, []catalog.FileRef{moved.File.FileRef, {Root: "/music", Path: "never/was"},
			{Root: "/else", Path: "x"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishScan(ctx); err != nil {
			t.Fatal(err)
		}
		missing, err := s.Song(ctx, id)
		if err != nil || missing.Available {
			t.Errorf("song without a file: got %+v, error %v; want it unavailable", missing, err)
		}
		if list, total, err := s.Songs(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 1 ||
			len(list) != 1 || list[0].ID == id {
			t.Errorf("songs: got %v, total %d, error %v; want only the available one", list, total, err)
		}
		if a, _ := s.Artist(ctx, "solo"); a.SongCount != 0 {
			t.Errorf("songs of the artist of an unavailable song: got %d, want 0", a.SongCount)
		}
		if _, _, err := s.SongFile(ctx, id); kind(err) != fault.NotFound {
			t.Errorf("file of an unavailable song: got %v, want NotFound", err)
		}

		ingest(t, s, moved)
		if back, _ := s.Song(ctx, id); !back.Available {
			t.Error("availability after ingesting the song again: got false, want true")
		}
		if list, total, err := s.Songs(ctx, catalog.Page{Number: 1, Limit: 10}); err != nil || total != 2 ||
			list[0].ID != id && list[1].ID != id {
			t.Errorf("songs: got %v, total %d, error %v; want 2 with %s", list, total, err, id)
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
			t.Error("availability of the replaced song: got true, want false")
		}
		if b, _ := s.Song(t.Context(), second); !b.Available {
			t.Error("availability of the new song: got false, want true")
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
			t.Errorf("problems: got %+v, error %v; want the 2 stored ones", got, err)
		}
		if a, _ := s.Song(ctx, id); a.Available {
			t.Error("availability of a song with an unreadable file: got true, want false")
		}
		again := song(1)
		again.ID = id
		ingest(t, s, again)
		if got, err := s.Problems(ctx); err != nil || len(got) != 1 {
			t.Errorf("problems after the file is readable: got %+v, error %v; want 1", got, err)
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
			t.Errorf("known files: got %+v, want song %s and the unreadable file", known, id)
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
			t.Errorf("first artist: got %+v, error %v; want Nirvana with 4 songs", us, err)
		}
		uk, err := s.Artist(ctx, "nirvana-2")
		if err != nil || uk.SongCount != 1 {
			t.Errorf("second artist: got %+v, error %v; want 1 song", uk, err)
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
			t.Errorf("artist: got %+v, error %v; want Beyoncé with 3 songs", a, err)
		}
		first, _ := s.Song(ctx, id)
		facts, err := first.Decode()
		if err != nil || facts.Artists[0].Name != "Beyoncé" || *facts.Artist != "beyonce" {
			t.Errorf("facts: got %s, error %v; want the artist Beyoncé, credited as beyonce", first.Facts, err)
		}
	})
}

func TestSyntheticRootsAreNotListed(t *testing.T) {
	s := openSQLite(t)
	scanned, synthetic := song(1), song(2)
	synthetic.File.Root = catalog.SyntheticRoot + "fill"
	ingest(t, s, scanned, synthetic)
	for name, list := range map[string]func(context.Context) ([]string, error){
		"Roots": s.Roots, "RootsInUse": s.RootsInUse,
	} {
		if got, err := list(t.Context()); err != nil || !slices.Equal(got, []string{scanned.File.Root}) {
			t.Errorf("%s: got %q, error %v; want %q", name, got, err, scanned.File.Root)
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
			t.Errorf("%s: got %v, want an Invalid fault", name, err)
		}
	}
	if _, total, _ := s.Songs(t.Context(), catalog.Page{Number: 1, Limit: 1}); total != 0 {
		t.Errorf("songs: got %d, want 0", total)
	}
}

func TestSongPagesHaveOneOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(1101)...)
		var missing []catalog.FileRef
		for i := range 1101 {
			if i%7 == 3 || i < 5 {
				missing = append(missing, song(i+1).File.FileRef)
				ids[i] = ""
			}
		}
		if err := s.MarkMissing(ctx, missing); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishScan(ctx); err != nil {
			t.Fatal(err)
		}
		var listed []catalog.Song
		for page := int64(1); ; page++ {
			got, total, err := s.Songs(ctx, catalog.Page{Number: page, Limit: 37})
			if err != nil {
				t.Fatal(err)
			}
			if int(total) != 1101-len(missing) {
				t.Fatalf("total: got %d, want %d", total, 1101-len(missing))
			}
			if len(got) == 0 {
				break
			}
			listed = append(listed, got...)
		}
		found := make(map[string]bool)
		for i, song := range listed {
			found[song.ID] = true
			if i > 0 {
				before := listed[i-1]
				if song.CreatedAt.Before(before.CreatedAt) || song.CreatedAt.Equal(before.CreatedAt) && song.ID <= before.ID {
					t.Fatalf("order: got %s after %s, want ascending dates and ids", song.ID, before.ID)
				}
			}
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
		if len(listed) != len(ids) {
			t.Errorf("songs on all pages: got %d, want %d", len(listed), len(ids))
		}
		for _, id := range ids {
			if !found[id] {
				t.Errorf("song %s is not listed, want it on a page", id)
			}
		}
		album, _, err := s.Albums(ctx, catalog.Page{Number: 1, Limit: 1})
		if err != nil || len(album) != 1 {
			t.Fatalf("albums: got %v, error %v; want 1", album, err)
		}
		var tracks []int
		for page := int64(1); page < 20; page++ {
			got, total, err := s.AlbumSongs(ctx, album[0].ID, catalog.Page{Number: page, Limit: 100})
			if err != nil || int(total) != len(ids) {
				t.Fatalf("songs of the album: got %d, error %v; want %d", total, err, len(ids))
			}
			for _, song := range got {
				facts, _ := song.Decode()
				tracks = append(tracks, *facts.TrackNumber)
			}
		}
		if len(tracks) != len(ids) || !slices.IsSorted(tracks) {
			t.Errorf("tracks of the album: got %d, sorted %v; want %d, true", len(tracks), slices.IsSorted(tracks), len(ids))
		}
		got, total, err := s.ArtistSongs(ctx, "the-examples", catalog.Page{Number: 10, Limit: 100})
		if err != nil || int(total) != len(ids) || len(got) != len(ids)-900 {
			t.Errorf("last page of the artist: got %d of %d songs, error %v; want %d of %d",
				len(got), total, err, len(ids)-900, len(ids))
		}
	})
}

// kind returns the kind of a fault, or 255 without an error.
func kind(err error) fault.Kind {
	if err == nil {
		return 255
	}
	k, _ := fault.Of(err)
	return k
}
