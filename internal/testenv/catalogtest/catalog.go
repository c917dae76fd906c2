// Package catalogtest opens catalogs for tests of the servers in front of them.
package catalogtest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// Catalog is an open catalog with a music folder and drawn pictures.
type Catalog struct {
	Store *catalog.Store
	Music string // folder of the files

	pictures *art.Store
	root     *os.Root
}

// Open opens the catalog in a database and creates a music folder. It is closed after the test.
func Open(t testing.TB, db string) *Catalog {
	t.Helper()
	c := &Catalog{Music: t.TempDir()}
	var err error
	if c.Store, err = catalog.Open(t.Context(), catalog.Config{DB: db, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	if c.root, err = os.OpenRoot(c.Music); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.root.Close() })
	c.pictures, err = art.Open(t.TempDir(), 1<<20, func(ctx context.Context, hash string) (art.Source, error) {
		cover, err := c.Store.Cover(ctx, hash)
		return art.Source{Seed: cover.Seed}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.pictures.Close)
	return c
}

// Picture returns a cover.
func (c *Catalog) Picture(ctx context.Context, r art.Request) (art.Image, error) {
	return c.pictures.Get(ctx, r)
}

// OpenFile opens a file of the music folder.
func (c *Catalog) OpenFile(_ context.Context, ref catalog.FileRef) (io.ReadSeekCloser, time.Time, error) {
	f, err := c.root.Open(ref.Path)
	if err != nil {
		return nil, time.Time{}, fault.Wrap(fault.NotFound, err, "the file of this song is missing")
	}
	info, err := f.Stat()
	return f, info.ModTime(), err
}

// AddUsers creates the users Ann and Bob, with a biography.
func (c *Catalog) AddUsers(t testing.TB) {
	t.Helper()
	for _, name := range []string{"Ann", "Bob"} {
		if _, err := c.Store.CreateUser(t.Context(), catalog.NewUser{Name: name, Bio: "I am " + name}); err != nil {
			t.Fatal(err)
		}
	}
}

// Add adds songs with files, numbered from first, as one scan. describe returns the n-th without
// its file.
func (c *Catalog) Add(t testing.TB, first, songs int, describe func(n int) catalog.ScannedSong) (ids []string) {
	t.Helper()
	var batch []catalog.ScannedSong
	for n := first; n < first+songs; n++ {
		song := describe(n)
		song.File = c.File(n)
		if err := os.WriteFile(filepath.Join(c.Music, song.File.Path), content(n), 0o600); err != nil {
			t.Fatal(err)
		}
		batch = append(batch, song)
		if len(batch) == catalog.BatchLimit || n == first+songs-1 {
			got, err := c.Store.IngestSongs(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			ids, batch = append(ids, got...), nil
		}
	}
	if err := c.Store.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ids
}

// File returns the file of the n-th song: 1,000 + n bytes.
func (c *Catalog) File(n int) catalog.File {
	ref := catalog.FileRef{Root: c.Music, Path: fmt.Sprintf("%05d.flac", n)}
	return catalog.File{FileRef: ref, Size: int64(len(content(n))), ModTime: time.Now()}
}

func content(n int) []byte {
	text := make([]byte, 1000+n)
	for i := range text {
		text[i] = byte(n)
	}
	return text
}
