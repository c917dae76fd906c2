package scan_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
	"waxwing/internal/scan"
)

// BenchmarkScan measures a first scan and a scan without changes of the folder
// WAXWING_BENCH_MUSIC, which go run ./bench/genlib can generate.
func BenchmarkScan(b *testing.B) {
	dir := os.Getenv("WAXWING_BENCH_MUSIC")
	if dir == "" {
		b.Fatal("WAXWING_BENCH_MUSIC must name a music folder")
	}
	var first, unchanged time.Duration
	for i := 0; b.Loop(); i++ {
		store, err := catalog.Open(b.Context(), catalog.Config{DB: filepath.Join(b.TempDir(), "catalog.db")})
		if err != nil {
			b.Fatal(err)
		}
		root, err := library.NewFolder(dir)
		if err != nil {
			b.Fatal(err)
		}
		s := scan.New(store, []library.Root{root}, nil, nil)
		report, err := s.Scan(b.Context(), scan.Options{})
		if err != nil || report.Added == 0 {
			b.Fatal(report, err)
		}
		first += report.Took
		if report, err = s.Scan(b.Context(), scan.Options{}); err != nil || report.Unchanged != report.Files {
			b.Fatal(report, err)
		}
		unchanged += report.Took
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(first.Seconds()*1000/float64(b.N), "first-ms")
	b.ReportMetric(unchanged.Seconds()*1000/float64(b.N), "unchanged-ms")
}
