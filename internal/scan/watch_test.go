package scan_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"waxwing/internal/library"
	"waxwing/internal/scan"
)

// A file that is created after the scan has listed its folder is found without waiting for the
// next scheduled scan. So is one in a folder that replaced another of the same name.
func TestRunFindsFilesCreatedDuringAScan(t *testing.T) {
	h := newFixture(t)
	h.write("a/a.mp3", titled(1, "A", "X", "Y"))
	h.write("b/b.mp3", titled(2, "B", "X", "Y"))
	root, err := library.NewFolder(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	writeLate := sync.OnceFunc(func() { h.write("a/late.mp3", titled(3, "Late", "X", "Y")) })
	scanner := scan.New(h.store, []library.Root{root}, func(ctx context.Context) (context.Context, func(), error) {
		return ctx, writeLate, nil // release is called at the end of the scan
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- scanner.Run(ctx, scan.Schedule{Watch: true, Debounce: 10 * time.Millisecond}) }()
	found := func(path string) {
		t.Helper()
		for deadline := time.Now().Add(15 * time.Second); h.songs()[path] == ""; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("got songs %v, want %s among them", h.songs(), path)
			}
		}
	}
	found("a/late.mp3")
	h.remove("b/b.mp3")
	h.remove("b")
	h.write("b/c.mp3", titled(4, "C", "X", "Y"))
	found("b/c.mp3")
	h.write("b/d.mp3", titled(5, "D", "X", "Y"))
	found("b/d.mp3")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
