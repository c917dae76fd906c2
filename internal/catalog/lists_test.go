package catalog_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// randomSongs returns songs whose fields have few values, so that many are equal in every order.
func randomSongs(r *rand.Rand, n int) []catalog.ScannedSong {
	tags := songs(n)
	for i := range tags {
		tag := &tags[i]
		artist := catalog.ArtistTag{Name: fmt.Sprintf("Artist %d", r.IntN(5))}
		tag.Title = fmt.Sprintf("Title %d", r.IntN(20))
		tag.Credits = []catalog.Credit{{Artist: artist, Role: catalog.MainArtist},
			{Artist: catalog.ArtistTag{Name: "Guest"}, Role: catalog.FeaturedArtist}}
		tag.Year = []int{0, 1969, 1999, 2024}[r.IntN(4)]
		tag.Duration = time.Duration(r.IntN(5)) * time.Minute
		tag.Format = []string{"flac", "mp3", "opus"}[r.IntN(3)]
		tag.Genres = [][]string{nil, {"Rock"}, {"rock", "Jazz"}, {"Jazz", "Jazz"}, {"Hip-Hop"}}[r.IntN(5)]
		tag.Album = nil
		if r.IntN(10) > 0 {
			tag.Album = &catalog.AlbumTag{Title: fmt.Sprintf("Album %d", r.IntN(6)), Artists: []catalog.ArtistTag{artist},
				Year: []int{0, 1999, 2000}[r.IntN(3)], Key: fmt.Sprintf("album %d", r.IntN(150))}
		}
	}
	return tags
}

// songQueries are all combinations of orders and filters.
func songQueries() (queries []catalog.SongQuery) {
	for _, sort := range append(catalog.SongSorts(), "") {
		for _, order := range []catalog.Order{catalog.Natural, catalog.Ascending, catalog.Descending} {
			for _, genre := range []string{"", "ROCK", "jazz", "unknown"} {
				for _, years := range []catalog.Range{{}, {From: 1999, To: 1999}, {From: 1960, To: 2000}} {
					for _, format := range []string{"", "flac"} {
						queries = append(queries,
							catalog.SongQuery{Sort: sort, Order: order, Genre: genre, Years: years, Format: format})
					}
				}
			}
		}
	}
	return queries
}

// sortValue orders a song by what the API shows of it.
func sortValue(t *testing.T, song catalog.Song, sort string) string {
	t.Helper()
	facts, err := song.Decode()
	if err != nil {
		t.Fatal(err)
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	number := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	switch sort {
	case "title":
		return facts.Title
	case "artist":
		return fmt.Sprintf("%s %04d", text(facts.Artist), number(facts.Year))
	case "album":
		return text(facts.Album)
	case "year":
		return fmt.Sprintf("%04d", number(facts.Year))
	case "duration":
		return fmt.Sprintf("%012d", facts.Duration)
	case "plays":
		return fmt.Sprintf("%012d", song.PlayCount)
	}
	return fmt.Sprintf("%020d", song.CreatedAt.UnixMilli())
}

func selected(t *testing.T, song catalog.Song, tag catalog.ScannedSong, q catalog.SongQuery) bool {
	t.Helper()
	genre := map[string][]string{"ROCK": {"Rock", "rock"}, "jazz": {"Jazz"}}[q.Genre]
	return (q.Genre == "" || slices.ContainsFunc(tag.Genres, func(g string) bool { return slices.Contains(genre, g) })) &&
		(q.Years == catalog.Range{} || tag.Year >= q.Years.From && tag.Year <= q.Years.To) &&
		(q.Format == "" || song.Format == q.Format)
}

// TestEverySongListIsCompleteAndOrdered reads every list by pages of several sizes, while plays and
// playlists change, and compares it with what was ingested.
func TestEverySongListIsCompleteAndOrdered(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		r := rand.New(rand.NewPCG(testenv.Seed(t), 0))
		tags := randomSongs(r, 450)
		ids := ingest(t, s, tags...)
		byID := make(map[string]catalog.ScannedSong)
		for i, id := range ids {
			byID[id] = tags[i]
		}
		for _, i := range []int{3, 77, 401} { // unavailable songs are in no list
			if err := s.MarkMissing(ctx, []catalog.FileRef{tags[i].File.FileRef}); err != nil {
				t.Fatal(err)
			}
			delete(byID, ids[i])
		}
		user, err := s.EnsureUser(ctx, "Ann")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			play := catalog.Play{SongID: ids[i*7], Listener: user.Viewer(), PlayedAt: time.Now()}
			if _, err := s.RecordPlay(ctx, play); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.FinishScan(ctx); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		var changes sync.WaitGroup
		changes.Go(func() { // unrelated rows
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				if _, err := s.CreatePlaylist(ctx, user.Viewer(), catalog.NewPlaylist{Name: fmt.Sprint(i)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
		defer changes.Wait()
		defer close(stop)
		for _, q := range songQueries() {
			limit := int64(20 + r.IntN(180))
			// With and without pages that are read from the end.
			catalog.SetBookmarks(s, int64(r.IntN(2)*1000), int64(40+r.IntN(100)))
			var listed []catalog.Song
			var total int64
			for page := int64(1); ; page++ {
				got, n, err := s.ListSongs(ctx, q, catalog.Page{Number: page, Limit: limit})
				if err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				listed, total = append(listed, got...), n
				if page*limit >= n {
					break
				}
			}
			checkSongList(t, q, listed, total, byID)
			if t.Failed() {
				return
			}
		}
	})
}

func checkSongList(
	t *testing.T, q catalog.SongQuery, listed []catalog.Song, total int64, byID map[string]catalog.ScannedSong,
) {
	t.Helper()
	want := 0
	seen := make(map[string]bool)
	for _, song := range listed {
		tag, known := byID[song.ID]
		if !known || seen[song.ID] || !selected(t, song, tag, q) {
			t.Errorf("%+v lists %s: known %v, listed before %v; want songs of the filters once", q, song.ID, known,
				seen[song.ID])
		}
		seen[song.ID] = true
	}
	for _, tag := range byID {
		if selected(t, catalog.Song{Format: tag.Format}, tag, q) {
			want++
		}
	}
	if len(listed) != want || total != int64(want) {
		t.Errorf("%+v: got %d songs of %d, want %d", q, len(listed), total, want)
	}
	descending := q.Order == catalog.Descending || q.Order == catalog.Natural && (q.Sort == "added" || q.Sort == "plays")
	if !slices.IsSortedFunc(listed, func(a, b catalog.Song) int {
		c := cmp.Compare(sortValue(t, a, q.Sort), sortValue(t, b, q.Sort))
		if descending {
			return -c
		}
		return c
	}) {
		t.Errorf("%+v: the list is not in its order", q)
	}
}

// TestEveryAlbumListIsCompleteAndOrdered does the same for albums.
func TestEveryAlbumListIsCompleteAndOrdered(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		r := rand.New(rand.NewPCG(testenv.Seed(t), 0))
		tags := randomSongs(r, 450)
		ids := ingest(t, s, tags...)
		genres := make(map[string]map[string]bool) // of albums by id
		for i, id := range ids {
			song, err := s.Song(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			facts, err := song.Decode()
			if err != nil {
				t.Fatal(err)
			}
			if facts.AlbumID == nil {
				continue
			}
			if genres[*facts.AlbumID] == nil {
				genres[*facts.AlbumID] = make(map[string]bool)
			}
			for _, genre := range tags[i].Genres {
				genres[*facts.AlbumID][genre] = true
			}
		}
		orders := make(map[string][]string)
		for _, sort := range append(catalog.AlbumSorts(), "") {
			for _, order := range []catalog.Order{catalog.Natural, catalog.Ascending, catalog.Descending} {
				for _, genre := range []string{"", "jazz"} {
					for _, years := range []catalog.Range{{}, {From: 1999, To: 2000}} {
						q := catalog.AlbumQuery{Sort: sort, Order: order, Genre: genre, Years: years}
						if sort == "random" {
							q.Seed = "a"
						}
						catalog.SetBookmarks(s, int64(r.IntN(2)*1000), int64(40+r.IntN(100)))
						listed := allAlbums(t, s, q, int64(7+r.IntN(90)))
						want := 0
						for _, a := range allAlbums(t, s, catalog.AlbumQuery{}, 200) {
							if (genre == "" || genres[a.ID]["Jazz"]) && (years == catalog.Range{} || a.Year >= 1999) {
								want++
							}
						}
						if len(listed) != want {
							t.Errorf("%+v: got %d albums, want %d", q, len(listed), want)
						}
						checkAlbumOrder(t, q, listed)
						orders[fmt.Sprintf("%s %s %s %v", sort, order, genre, years)] = albumIDs(listed)
					}
				}
			}
		}
		plain := catalog.AlbumQuery{Sort: "random", Seed: "b"}
		other := albumIDs(allAlbums(t, s, plain, 33))
		if slices.Equal(other, orders["random   {0 0}"]) || slices.Equal(other, orders["title   {0 0}"]) {
			t.Error("random: two seeds give the same order, or that of the titles")
		}
		if again := albumIDs(allAlbums(t, s, plain, 50)); !slices.Equal(again, other) {
			t.Error("random: the same seed gives another order with other pages")
		}
		// New albums do not change the order of the others.
		ingest(t, s, func() catalog.ScannedSong {
			tag := song(9000)
			tag.Album = &catalog.AlbumTag{Title: "New", Key: "new"}
			return tag
		}())
		grown := albumIDs(allAlbums(t, s, plain, 50))
		if len(grown) != len(other)+1 {
			t.Fatalf("random: got %d albums after one more, want %d", len(grown), len(other)+1)
		}
		kept := slices.DeleteFunc(grown, func(id string) bool { return !slices.Contains(other, id) })
		if !slices.Equal(kept, other) {
			t.Error("random: a new album changes the order of the others")
		}
	})
}

func allAlbums(t *testing.T, s *catalog.Store, q catalog.AlbumQuery, limit int64) (listed []catalog.Album) {
	t.Helper()
	for page := int64(1); ; page++ {
		got, total, err := s.ListAlbums(t.Context(), q, catalog.Page{Number: page, Limit: limit})
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		listed = append(listed, got...)
		if page*limit >= total {
			break
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(albumIDs(listed)))); len(unique) != len(listed) {
		t.Errorf("%+v: %d albums are listed %d times", q, len(unique), len(listed))
	}
	return listed
}

func albumIDs(albums []catalog.Album) (ids []string) {
	for _, a := range albums {
		ids = append(ids, a.ID)
	}
	return ids
}

func checkAlbumOrder(t *testing.T, q catalog.AlbumQuery, listed []catalog.Album) {
	t.Helper()
	value := func(a catalog.Album) string {
		switch q.Sort {
		case "artist":
			return fmt.Sprintf("%s %04d", a.Artist, a.Year)
		case "year":
			return fmt.Sprintf("%04d", a.Year)
		case "newest":
			return fmt.Sprintf("%020d", a.CreatedAt.UnixMilli())
		case "random":
			return ""
		}
		return a.Title
	}
	descending := q.Order == catalog.Descending || q.Order == catalog.Natural && q.Sort == "newest"
	if !slices.IsSortedFunc(listed, func(a, b catalog.Album) int {
		if descending {
			a, b = b, a
		}
		return cmp.Compare(value(a), value(b))
	}) {
		t.Errorf("%+v: the list is not in its order", q)
	}
}
