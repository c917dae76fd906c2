package catalog_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// TestPagesAreTheSameInAnyOrder reads the pages of each list in a random order, without bookmarks
// at first, and compares them with the whole list.
func TestPagesAreTheSameInAnyOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		r := rand.New(rand.NewPCG(testenv.Seed(t), 0))
		ingest(t, s, randomSongs(r, 450)...)
		const limit = 7
		for _, sort := range catalog.SongSorts() {
			for _, order := range []catalog.Order{catalog.Ascending, catalog.Descending} {
				q := catalog.SongQuery{Sort: sort, Order: order}
				catalog.SetBookmarks(s, 100_000, 1000)
				want, total, err := s.ListSongs(t.Context(), q, catalog.Page{Number: 1, Limit: 450})
				if err != nil || total != 450 {
					t.Fatalf("%+v: got %d songs, error %v; want 450", q, total, err)
				}
				catalog.SetBookmarks(s, int64(r.IntN(100)), int64(1+r.IntN(20)))
				for _, i := range r.Perm(450/limit + 1) {
					got, _, err := s.ListSongs(t.Context(), q, catalog.Page{Number: int64(i + 1), Limit: limit})
					if err != nil {
						t.Fatalf("%+v: %v", q, err)
					}
					if part := want[i*limit : min(450, (i+1)*limit)]; !slices.EqualFunc(got, part, sameSong) {
						t.Fatalf("%+v: page %d differs from the whole list: got %v, want %v", q, i+1, got, part)
					}
				}
			}
		}
	})
}

func sameSong(a, b catalog.Song) bool { return a.ID == b.ID }

// TestServersPrepareLongListsInAdvance checks that the first page that a listener opens in the
// middle of a list is near a bookmark, after a scan as well.
func TestServersPrepareLongListsInAdvance(t *testing.T) {
	s := open(t, catalog.Config{DB: filepath.Join(t.TempDir(), "catalog.db"), Serves: true})
	catalog.SetBookmarks(s, 100_000, 10)
	catalog.WalkAllLists(s)
	ingest(t, s, songs(2600)...) // a server walks in steps of 2,500 songs
	for range 2 {
		for _, sort := range []string{"title", "artist", "album", "year"} {
			for began := time.Now(); catalog.Bookmarks(s, sort) == 0; time.Sleep(5 * time.Millisecond) {
				if time.Since(began) > 20*time.Second {
					t.Fatalf("songs by %s: no bookmarks 20 s after the scan", sort)
				}
			}
		}
		ingest(t, s, song(2601))
	}
}

// TestPagesDuringAScanListEverySongOnce reads all pages repeatedly while songs are added.
func TestPagesDuringAScanListEverySongOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		existing := ingest(t, s, songs(700)...)
		var scan sync.WaitGroup
		scan.Go(func() {
			for i := range 40 {
				batch := make([]catalog.ScannedSong, 10)
				for j := range batch {
					batch[j] = song(1000 + i*10 + j)
				}
				if _, err := s.IngestSongs(ctx, batch); err != nil {
					t.Error(err)
					return
				}
				if i%5 == 4 {
					if err := s.FinishScan(ctx); err != nil {
						t.Error(err)
					}
				}
			}
		})
		defer scan.Wait()
		for range 5 {
			listed := make(map[string]int)
			for page := int64(1); ; page++ {
				got, total, err := s.Songs(ctx, catalog.Page{Number: page, Limit: 30})
				if err != nil {
					t.Fatal(err)
				}
				for _, song := range got {
					listed[song.ID]++
				}
				if page*30 >= total {
					break
				}
			}
			for _, id := range existing {
				if listed[id] != 1 {
					t.Fatalf("existing song %s: listed %d times, want 1", id, listed[id])
				}
			}
			for id, n := range listed {
				if n != 1 {
					t.Fatalf("song %s: listed %d times, want 1", id, n)
				}
			}
		}
	})
}
