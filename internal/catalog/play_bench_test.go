package catalog_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/catalog"
)

// BenchmarkPlays measures single plays, and 64 concurrent ones that share transactions.
func BenchmarkPlays(b *testing.B) {
	for engine, open := range map[string]func() *catalog.Store{
		"sqlite":   func() *catalog.Store { return openSQLite(b) },
		"postgres": func() *catalog.Store { return open(b, catalog.Config{DB: cluster.Database(b)}) },
	} {
		s := open()
		ids := ingest(b, s, songs(500)...)
		ann := createUser(b, s, "Ann")
		var n atomic.Int64
		play := func() error {
			i := n.Add(1)
			_, err := s.RecordPlay(b.Context(), catalog.Play{
				SongID: ids[i%int64(len(ids))], Listener: ann.Viewer(), PlayedAt: time.UnixMilli(i * 31 * 60000),
				Idempotency: fmt.Sprint(i),
			})
			return err
		}
		b.Run(engine+"/alone", func(b *testing.B) {
			for b.Loop() {
				if err := play(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(engine+"/together", func(b *testing.B) {
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := play(); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
