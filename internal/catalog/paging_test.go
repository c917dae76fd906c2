package catalog_test

import (
	"sync"
	"testing"

	"waxwing/internal/catalog"
)

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
