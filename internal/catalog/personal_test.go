package catalog_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// firstPage is the first page of a list.
var firstPage = catalog.Page{Number: 1, Limit: 50}

// songIDs returns the ids of songs with personal data.
func songIDs(rows []catalog.Rated[catalog.Song]) []string {
	ids := []string{}
	for _, r := range rows {
		ids = append(ids, r.Row.ID)
	}
	return ids
}

func likedSongs(t *testing.T, s *catalog.Store, v catalog.Viewer) []string {
	t.Helper()
	rows, total, err := s.LikedSongs(t.Context(), v, firstPage)
	if err != nil || total != int64(len(rows)) {
		t.Fatalf("liked songs: got %d rows, total %d, error %v", len(rows), total, err)
	}
	return songIDs(rows)
}

func TestLikesAndRatingsBelongToOneUser(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(3)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		before := s.View()
		for _, id := range []string{ids[1], ids[0], ids[1]} { // the last one is liked already
			if err := s.SetLiked(ctx, ann, true, id); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond) // likes of one millisecond have the order of the songs
		}
		if err := s.SetRating(ctx, ann, 4, ids[2]); err != nil {
			t.Fatal(err)
		}
		if got, want := likedSongs(t, s, ann), []string{ids[0], ids[1]}; !slices.Equal(got, want) {
			t.Errorf("likes of Ann: got %v, want %v", got, want)
		}
		if got := likedSongs(t, s, bob); len(got) != 0 {
			t.Errorf("likes of Bob: got %v, want none", got)
		}
		if got, err := s.PersonalOf(ctx, bob, ids[2]); err != nil || got != (catalog.Personal{}) {
			t.Errorf("rating of Bob: got %+v, error %v; want nothing", got, err)
		}
		after := s.View()
		if after.Revision != before.Revision {
			t.Errorf("revision after personal changes: got %d, want %d", after.Revision, before.Revision)
		}
		if after.PersonalVersion(ann) <= before.PersonalVersion(ann) || after.PersonalVersion(bob) != 0 {
			t.Errorf("versions: got %d of Ann, %d of Bob; want more than %d, 0", after.PersonalVersion(ann),
				after.PersonalVersion(bob), before.PersonalVersion(ann))
		}
		for range 2 {
			if err := s.SetLiked(ctx, ann, false, ids[0]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.SetRating(ctx, ann, 0, ids[2]); err != nil {
			t.Fatal(err)
		}
		rows, _, err := s.SongsFor(ctx, ann, firstPage)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if liked := !r.LikedAt.IsZero(); liked != (r.Row.ID == ids[1]) || r.Rating != 0 {
				t.Errorf("song %s: got liked %v, rating %d; want only %s liked, none rated", r.Row.ID, liked, r.Rating, ids[1])
			}
		}
	})
}

func TestLikeOfUnknownOrForeignItemIsNotFound(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(1)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		p, err := s.CreatePlaylist(ctx, ann, catalog.NewPlaylist{Name: "Mine", Public: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetLiked(ctx, bob, true, p.ID); err != nil {
			t.Fatal(err)
		}
		private := false
		if _, err := s.ChangePlaylist(ctx, ann, p.ID, catalog.PlaylistChange{Public: &private}); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{p.ID, "", "so_", "so_0000000000000000000000", "al_0000000000000000000000",
			"ar_0000000000000000000000", "pl_0000000000000000000000", "us_0000000000000000000000", "' OR 1=1"} {
			// The change of all ids fails, so that the first stays unliked.
			if err := s.SetLiked(ctx, bob, true, ids[0], id); kind(err) != fault.NotFound {
				t.Errorf("like %q: got %v, want not found", id, err)
			}
			if err := s.SetRating(ctx, bob, 5, id); kind(err) != fault.NotFound {
				t.Errorf("rate %q: got %v, want not found", id, err)
			}
		}
		for _, rating := range []int{-1, 6} {
			if err := s.SetRating(ctx, bob, rating, ids[0]); kind(err) != fault.Invalid {
				t.Errorf("rating %d: got %v, want invalid", rating, err)
			}
		}
		if got := likedSongs(t, s, bob); len(got) != 0 {
			t.Errorf("likes of Bob: got %v, want none", got)
		}
		if rows, total, err := s.LikedPlaylists(ctx, bob, firstPage); err != nil || len(rows) != 0 || total != 0 {
			t.Errorf("liked playlists after one became private: got %v, total %d, error %v; want none", rows, total, err)
		}
		if err := s.DeletePlaylist(ctx, ann, p.ID); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := catalog.Reader(s).QueryRow(`SELECT count(*) FROM personal`).Scan(&n); err != nil || n != 0 {
			t.Errorf("personal rows after the playlist was deleted: got %d, error %v; want 0", n, err)
		}
	})
}

// hear records plays of a song, one hour apart.
func hear(t *testing.T, s *catalog.Store, v catalog.Viewer, id string, first time.Time, times int) {
	t.Helper()
	var plays sync.WaitGroup
	for i := range times {
		plays.Go(func() {
			_, err := s.RecordPlay(t.Context(), catalog.Play{
				SongID: id, Listener: v, PlayedAt: first.Add(time.Duration(i) * time.Hour), Source: "phone",
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	plays.Wait()
}

func TestHistoryIsNewestFirstAndCanBeDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(2)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		start := time.Now().Add(-200 * time.Hour).Truncate(time.Millisecond)
		hear(t, s, ann, ids[0], start, 130)
		hear(t, s, ann, ids[1], start.Add(time.Minute), 1)
		hear(t, s, bob, ids[1], start, 1)
		got, total, err := s.History(ctx, ann, catalog.Page{Number: 3, Limit: 50})
		if err != nil || total != 131 || len(got) != 31 {
			t.Fatalf("page 3 of the history: got %d of %d, error %v; want 31 of 131", len(got), total, err)
		}
		if !slices.IsSortedFunc(got, func(a, b catalog.HistoryEntry) int { return b.PlayedAt.Compare(a.PlayedAt) }) {
			t.Error("the history is not ordered by time, newest first")
		}
		last := got[30]
		if last.Song.ID != ids[0] || !last.PlayedAt.Equal(start) || last.Source != "phone" {
			t.Errorf("first play: got %+v, want %s at %v from phone", last, ids[0], start)
		}
		for _, id := range []string{"", "py_", "py_zzzzzzzzzzzzzzzzzzzzzz", "py_0000000000010000000000", "1 OR 1=1"} {
			if err := s.ForgetPlay(ctx, ann, id); kind(err) != fault.NotFound {
				t.Errorf("delete play %q: got %v, want not found", id, err)
			}
		}
		if err := s.ForgetPlay(ctx, bob, last.ID); kind(err) != fault.NotFound {
			t.Errorf("Bob deletes a play of Ann: got %v, want not found", err)
		}
		newest, _, err := s.History(ctx, ann, catalog.Page{Number: 1, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ForgetPlay(ctx, ann, newest[0].ID); err != nil {
			t.Fatal(err)
		}
		song, err := s.PersonalOf(ctx, ann, ids[0])
		if want := newest[0].PlayedAt; err != nil || song.PlayCount != countedPlays(t, s, ids[0])-1 ||
			!song.LastPlayedAt.Before(want) {
			t.Errorf("song after its last play was deleted: got %+v, error %v; want one less, before %v", song, err, want)
		}
		if err := s.ForgetPlays(ctx, ann); err != nil {
			t.Fatal(err)
		}
		if _, total, err := s.History(ctx, ann, firstPage); err != nil || total != 0 {
			t.Errorf("history after its deletion: got %d plays, error %v; want 0", total, err)
		}
		if _, total, err := s.History(ctx, bob, firstPage); err != nil || total != 1 {
			t.Errorf("history of Bob: got %d plays, error %v; want 1", total, err)
		}
		var n int
		if err := catalog.Reader(s).QueryRow(`SELECT count(*) FROM personal`).Scan(&n); err != nil || n != 3 {
			t.Errorf("personal rows: got %d, error %v; want song, album and artist of Bob", n, err)
		}
	})
}

// countedPlays returns the plays of a song by all users.
func countedPlays(t *testing.T, s *catalog.Store, id string) int64 {
	t.Helper()
	song, err := s.Song(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return song.PlayCount
}

func TestTopCountsOwnPlaysOfThePeriod(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(3)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		now := time.Now()
		hear(t, s, ann, ids[0], now.Add(-100*24*time.Hour), 5)
		hear(t, s, ann, ids[1], now.Add(-24*time.Hour), 2)
		hear(t, s, ann, ids[2], now.Add(-24*time.Hour), 1)
		hear(t, s, bob, ids[2], now.Add(-24*time.Hour), 4)
		for _, c := range []struct {
			since time.Time
			page  catalog.Page
			want  string
		}{
			{time.Time{}, firstPage, fmt.Sprintf("%s=5 %s=2 %s=1 of 3", ids[0], ids[1], ids[2])},
			{now.Add(-7 * 24 * time.Hour), firstPage, fmt.Sprintf("%s=2 %s=1 of 2", ids[1], ids[2])},
			{now.Add(-7 * 24 * time.Hour), catalog.Page{Number: 2, Limit: 1}, fmt.Sprintf("%s=1 of 2", ids[2])},
			{now.Add(-7 * 24 * time.Hour), catalog.Page{Number: 9, Limit: 1}, "of 2"},
		} {
			top, total, err := s.TopSongs(ctx, ann, c.since, c.page)
			got := ""
			for _, row := range top {
				got += fmt.Sprintf("%s=%d ", row.Row.ID, row.Plays)
			}
			if got += fmt.Sprintf("of %d", total); err != nil || got != c.want {
				t.Errorf("top since %v, page %v: got %s, error %v; want %s", c.since, c.page, got, err, c.want)
			}
		}
		for name, since := range map[string]time.Time{"ever": {}, "week": now.Add(-7 * 24 * time.Hour)} {
			want := map[string]int64{"ever": 8, "week": 3}[name]
			albums, _, err := s.TopAlbums(ctx, ann, since, firstPage)
			if err != nil || len(albums) != 1 || albums[0].Plays != want {
				t.Errorf("top albums, %s: got %+v, error %v; want one with %d", name, albums, err, want)
			}
			artists, _, err := s.TopArtists(ctx, ann, since, firstPage)
			if err != nil || len(artists) != 1 || artists[0].Plays != want {
				t.Errorf("top artists, %s: got %+v, error %v; want one with %d", name, artists, err, want)
			}
		}
	})
}

// TestRetagMovesOwnPlaysToTheNewAlbum also checks that a song keeps its like when its file moves or
// is missing.
func TestRetagMovesOwnPlaysToTheNewAlbum(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(2)...)
		ann := createUser(t, s, "Ann").Viewer()
		hear(t, s, ann, ids[0], time.Now().Add(-24*time.Hour), 2)
		hear(t, s, ann, ids[1], time.Now().Add(-48*time.Hour), 3)
		if err := s.SetLiked(ctx, ann, true, ids[0]); err != nil {
			t.Fatal(err)
		}
		moved := song(1)
		moved.ID, moved.File.Path = ids[0], "elsewhere.flac"
		moved.Album = &catalog.AlbumTag{Title: "Second Album", Artists: []catalog.ArtistTag{{Name: "Others"}}}
		moved.Credits[0].Artist.Name = "Others"
		ingest(t, s, moved)
		albums, _, err := s.TopAlbums(ctx, ann, time.Time{}, firstPage)
		if err != nil || len(albums) != 2 || albums[0].Plays != 3 || albums[1].Plays != 2 ||
			albums[1].Row.Title != "Second Album" {
			t.Errorf("top albums: got %+v, error %v; want the first with 3 and the second with 2", albums, err)
		}
		artists, _, err := s.TopArtists(ctx, ann, time.Time{}, firstPage)
		if err != nil || len(artists) != 2 || artists[0].Plays != 3 || artists[1].Row.Name != "Others" {
			t.Errorf("top artists: got %+v, error %v; want The Examples with 3, Others with 2", artists, err)
		}
		moved.Album.Title = "Third Album"
		ingest(t, s, moved)
		var empty int
		if err := catalog.Reader(s).QueryRow(`SELECT count(*) FROM personal WHERE liked_at IS NULL AND rating IS NULL
			AND play_count = 0 AND last_played_at IS NULL`).Scan(&empty); err != nil || empty != 0 {
			t.Errorf("personal rows without a value after an album lost its only song: got %d, error %v; want 0", empty, err)
		}
		if err := s.MarkMissing(ctx, []catalog.FileRef{moved.File.FileRef}); err != nil {
			t.Fatal(err)
		}
		if got := likedSongs(t, s, ann); !slices.Equal(got, ids[:1]) {
			t.Errorf("likes after the file moved and is missing: got %v, want %v", got, ids[:1])
		}
		if _, total, err := s.History(ctx, ann, firstPage); err != nil || total != 5 {
			t.Errorf("history: got %d plays, error %v; want 5", total, err)
		}
	})
}

// checkPersonal checks that all albums and main artists are liked, and that the plays of the only
// listener are those of all.
func (v version1) checkPersonal(t *testing.T, s *catalog.Store) {
	t.Helper()
	_, want, err := s.Albums(t.Context(), firstPage)
	if err != nil {
		t.Fatal(err)
	}
	albums, total, err := s.LikedAlbums(t.Context(), v.listener, firstPage)
	if err != nil || total != want {
		t.Errorf("liked albums: got %d, error %v; want %d", total, err, want)
	}
	for _, a := range albums {
		if a.PlayCount != a.Row.SongCount {
			t.Errorf("own plays of %s: got %d, want %d, one of each song", a.Row.Title, a.PlayCount, a.Row.SongCount)
		}
	}
	artists, _, err := s.Artists(t.Context(), firstPage)
	if err != nil {
		t.Fatal(err)
	}
	rated, err := catalog.Rate(t.Context(), s, v.listener, artists)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range rated {
		if a.PlayCount != a.Row.PlayCount || a.LikedAt.IsZero() {
			t.Errorf("%s: got %d own plays, liked at %v; want %d, liked", a.Row.Name, a.PlayCount, a.LikedAt, a.Row.PlayCount)
		}
	}
}
