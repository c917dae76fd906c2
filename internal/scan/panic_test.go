package scan_test

import (
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
	"waxwing/internal/scan"
	"waxwing/internal/testenv"
)

// panicFS panics when a file with "bad" in its name is read, as a parser with a bug would.
type panicFS struct{ fstest.MapFS }

func (p panicFS) Open(name string) (fs.File, error) {
	f, err := p.MapFS.Open(name)
	if err == nil && strings.Contains(name, "bad") {
		return panicFile{f.(readerAt)}, nil
	}
	return f, err
}

func (p panicFS) Sub(dir string) (fs.FS, error) { return fs.Sub(struct{ fs.FS }{p}, dir) }

type readerAt interface {
	fs.File
	ReadAt(b []byte, off int64) (int, error)
	Seek(offset int64, from int) (int64, error)
}

type panicFile struct{ readerAt }

func (panicFile) Read([]byte) (int, error)          { panic("a bug in a parser") }
func (panicFile) ReadAt([]byte, int64) (int, error) { panic("a bug in a parser") }

// A panic while a song, a cover or a playlist is read costs this file and not the scan.
func TestPanicsOfReadersDoNotEndTheScan(t *testing.T) {
	h := newFixture(t)
	if _, err := h.store.CreateUser(t.Context(), catalog.NewUser{Name: "Ann"}); err != nil {
		t.Fatal(err)
	}
	files := panicFS{fstest.MapFS{
		"a/good.mp3": {Data: titled(1, "Good", "A", "B")}, "a/bad.mp3": {Data: titled(2, "Bad", "A", "B")},
		"bad/cover.jpg": {Data: []byte("\xff\xd8\xff")}, "bad/x.mp3": {Data: titled(3, "Also", "A", "B")},
		"bad.m3u": {Data: []byte("a/good.mp3\n")}, "z/last.mp3": {Data: titled(4, "Last", "A", "B")},
	}}
	h.scan = scan.New(h.store, []library.Root{library.NewEmbedded("demo", files)}, nil, slog.New(slog.DiscardHandler))
	report := h.run(scan.Options{})
	if report.Added != 2 || report.Problems != 2 {
		t.Errorf("got %d songs and %d problems, want 2 and 2", report.Added, report.Problems)
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{Inputs: 4, Note: "readers that panic"})
}
