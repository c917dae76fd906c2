package catalog_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/catalog"
)

// onBoth runs a test on SQLite and on PostgreSQL.
func onBoth(t *testing.T, f func(t *testing.T, s *catalog.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, openSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, open(t, catalog.Config{DB: cluster.Database(t)})) })
}

func openSQLite(t testing.TB) *catalog.Store {
	t.Helper()
	return open(t, catalog.Config{DB: filepath.Join(t.TempDir(), "catalog.db")})
}

func open(t testing.TB, cfg catalog.Config) *catalog.Store {
	t.Helper()
	s, err := catalog.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// song returns a complete song that is unique for n.
func song(n int) catalog.ScannedSong {
	return catalog.ScannedSong{
		File: catalog.File{FileRef: catalog.FileRef{Root: "/music", Path: fmt.Sprintf("album/%05d.flac", n)},
			Size: int64(1000 + n), ModTime: time.UnixMicro(1700000000000000 + int64(n))},
		Title: fmt.Sprintf("Song %05d", n),
		Credits: []catalog.Credit{
			{Artist: catalog.ArtistTag{Name: "The Examples"}, Role: catalog.MainArtist},
		},
		Album:    &catalog.AlbumTag{Title: "First Album", Artists: []catalog.ArtistTag{{Name: "The Examples"}}, Year: 1999},
		Track:    n,
		Disc:     1,
		Duration: 3 * time.Minute,
		Year:     1999,
		Format:   "flac",
		Bitrate:  900,
		Identities: []catalog.Identity{
			{Kind: catalog.ByAudio, Value: fmt.Sprintf("audio-%d", n)},
			{Kind: catalog.ByTags, Value: fmt.Sprintf("tags-%d", n)},
		},
	}
}

// ingest stores songs in batches, publishes them and returns their ids.
func ingest(t testing.TB, s *catalog.Store, tags ...catalog.ScannedSong) []string {
	t.Helper()
	var ids []string
	for len(tags) > 0 {
		n := min(len(tags), catalog.BatchLimit)
		got, err := s.IngestSongs(t.Context(), tags[:n])
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, got...)
		tags = tags[n:]
	}
	if err := s.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ids
}

func songs(n int) []catalog.ScannedSong {
	tags := make([]catalog.ScannedSong, n)
	for i := range tags {
		tags[i] = song(i + 1)
	}
	return tags
}
