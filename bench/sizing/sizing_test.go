package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const results = `# Results

Written by ` + "`make bench`" + ` on 2026-11-15 05:00 UTC, revision abc1234, in 10m0s.
Machine: 2 × A Processor, linux/amd64, go1.26.8; load before the run 0.10. Beside ours: none.

| what | ours | beside it | goal | result | reached |
|---|---|---|---|---|---|
| page of 50 over 1M songs, warm | 40,000/s (39,000–41,000) | floor 45,000/s | ≥ 0.8 | 0.9 | yes |
| random page of 20000, uncached | 8,000/s | floor 45,000/s | ≥ 0.2 | 0.2 | yes |
| first scan, 5,000 files | 0.50 s (0.49–0.52) | MPD 0.8 s | ≤ 1 | 0.6 | yes |
| no-change scan, 5,000 files | 50.0 ms (49.0–51.0) | MPD 0.05 s | ≤ 1 | 1 | yes |
`

func TestReadFindsFiguresInTheResults(t *testing.T) {
	f, err := read(results)
	if err != nil {
		t.Fatal(err)
	}
	if f.cores != 2 || f.hot != 40_000 || f.cold != 8000 || f.first != 10_000 || f.again != 100_000 ||
		!strings.Contains(f.source, "abc1234") {
		t.Errorf("got %+v", f)
	}
	_, err = read(strings.Replace(results, "first scan", "other scan", 1))
	if err == nil || !strings.Contains(err.Error(), "first scan") {
		t.Errorf("got error %v for a missing row, want one that names it", err)
	}
}

// TestNeedsFollowTheModel computes one line of the table by hand.
func TestNeedsFollowTheModel(t *testing.T) {
	f, err := read(results)
	if err != nil {
		t.Fatal(err)
	}
	f.songBytes, f.plays, f.pageBytes = 1500, 500, 30_000
	n := f.needs(demand{songs: 1e6, requests: 1200})
	// 960 cached pages at 20,000 and 240 uncached ones at 4,000 a second and core, at 60 %.
	if want := 960.0/20_000/0.6 + 240.0/4000/0.6; math.Abs(n.cores-want) > 1e-9 {
		t.Errorf("got %v cores, want %v", n.cores, want)
	}
	if n.disk != 1.5e9 || n.first != 100*time.Second || n.again != 10*time.Second || n.servers != 1 {
		t.Errorf("%+v", n)
	}
	if want := 24.0 / 500 / 0.6; math.Abs(n.writers-want) > 1e-9 ||
		!strings.HasPrefix(n.firstToSaturate, "writes of one database") {
		t.Errorf("%v databases, %s", n.writers, n.firstToSaturate)
	}
}

func TestReplaceChangesOnlyTheTable(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+begin+"old\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace(page, "new\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != "before\n"+begin+"new\n"+end+"\nafter\n" {
		t.Errorf("%s %v", got, err)
	}
}
