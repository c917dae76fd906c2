package catalog_test

import (
	"path/filepath"
	"sync"
	"testing"

	"waxwing/internal/catalog"
)

// TestConcurrentOpensCreateOneSchema checks that one of several openers migrates and the others
// wait.
func TestConcurrentOpensCreateOneSchema(t *testing.T) {
	for name, newDatabase := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "catalog.db") },
		"postgres": func(t *testing.T) string { return cluster.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				db := newDatabase(t)
				var openers sync.WaitGroup
				for range 5 {
					openers.Go(func() {
						s, err := catalog.Open(t.Context(), catalog.Config{DB: db})
						if err != nil {
							t.Error(err)
							return
						}
						if err := s.Close(); err != nil {
							t.Error(err)
						}
					})
				}
				openers.Wait()
				if err := catalog.Check(t.Context(), db); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
