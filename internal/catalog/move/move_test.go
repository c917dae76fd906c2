package move_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/catalog/move"
	"waxwing/internal/fault"
)

// eachWay runs a test for every pair of engines.
func eachWay(t *testing.T, f func(t *testing.T, from, to string)) {
	t.Helper()
	databases := map[string]func(testing.TB) string{
		"SQLite": file, "PostgreSQL": func(t testing.TB) string { return cluster.Database(t) },
	}
	for source, from := range databases {
		for target, to := range databases {
			t.Run(source+" to "+target, func(t *testing.T) { f(t, from(t), to(t)) })
		}
	}
}

// createRich creates a catalog with rows of every kind.
func createRich(t *testing.T, db string, songs int) *rich {
	t.Helper()
	s := open(t, db)
	k := fillRich(t, s, songs)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestMovedCatalogKeepsKeysLinksAndPlays moves a catalog and uses it as its clients do: with the
// keys, links and play receipts that they hold.
func TestMovedCatalogKeepsKeysLinksAndPlays(t *testing.T) {
	eachWay(t, func(t *testing.T, from, to string) {
		k := createRich(t, from, 60)
		before := serve(t, from)
		link := signed(t, before, k)
		want := before.store.View()
		report := moveCatalog(t, from, to)
		if report.Rows == 0 || report.Revision != want.Revision {
			t.Fatalf("report: got %d rows at revision %d, want some at revision %d",
				report.Rows, report.Revision, want.Revision)
		}
		for _, table := range report.Tables {
			if table.Rows == 0 {
				t.Errorf("table %s: got no rows, want the test to move some of every table", table.Name)
			}
		}
		after := serve(t, to)
		if view := after.store.View(); view.Revision != want.Revision || view.Songs != want.Songs ||
			view.Epoch == want.Epoch {
			t.Errorf("view after the move: got %+v, want %+v with another epoch", view, want)
		}
		if got := after.get("", link); !strings.HasPrefix(got, "200\n") {
			t.Errorf("link from before the move: got %s, want 200", got)
		}
		for who, status := range map[string]string{"ann": "200", "bob": "200", "active": "200", "revoked": "401"} {
			if got := after.get(k.keys[who], "/api/songs"); !strings.HasPrefix(got, status+"\n") {
				t.Errorf("key %s: got %.80s, want %s", who, got, status)
			}
		}
		checkWrites(t, before, after, k)
	})
}

// checkWrites writes to the moved catalog: repeated plays do not count again, and new rows get new
// numbers.
func checkWrites(t *testing.T, before, after fixture, k *rich) {
	t.Helper()
	ctx := t.Context()
	song, err := after.store.Song(ctx, k.plays[3].SongID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := after.store.RecordPlay(ctx, k.plays[3]); err != nil {
		t.Errorf("play that is sent again: got %v, want no error", err)
	}
	if again, err := after.store.Song(ctx, song.ID); err != nil || again.PlayCount != song.PlayCount {
		t.Errorf("play count after a repeated play: got %d, error %v; want %d", again.PlayCount, err, song.PlayCount)
	}
	if _, err := after.store.CreateUser(ctx, catalog.NewUser{Username: "carol", Name: "Carol"}); err != nil {
		t.Errorf("new user: got %v, want no error", err)
	}
	carol, err := after.store.User(ctx, "carol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := after.store.CreatePlaylist(ctx, carol.Viewer(),
		catalog.NewPlaylist{Name: "New", SongIDs: k.songs[:3]}); err != nil {
		t.Errorf("new playlist: got %v, want no error", err)
	}
	if _, err := after.store.RecordPlay(ctx, catalog.Play{SongID: k.songs[0], Listener: carol.Viewer(),
		PlayedAt: time.Now()}); err != nil {
		t.Errorf("new play: got %v, want no error", err)
	}
	ids, err := after.store.IngestSongs(ctx, []catalog.ScannedSong{{
		File: catalog.File{FileRef: catalog.FileRef{Root: "/music", Path: "new.flac"}, Size: 1,
			ModTime: time.UnixMicro(1)},
		Title:   "Brand new xylophone",
		Credits: []catalog.Credit{{Artist: catalog.ArtistTag{Name: "Newcomer"}, Role: catalog.MainArtist}},
		Album:   &catalog.AlbumTag{Title: "Debut"}, Format: "flac",
	}})
	if err != nil {
		t.Fatalf("new song: %v", err)
	}
	if err := after.store.FinishScan(ctx); err != nil {
		t.Fatal(err)
	}
	found, err := after.store.Search(ctx, catalog.Viewer{}, "xylofone", 10)
	if err != nil || len(found.Songs) != 1 || found.Songs[0].ID != ids[0] {
		t.Errorf("search of the new song: got %v, error %v; want %s", found.Songs, err, ids[0])
	}
	// A scan compares every file with its size, time, song and state.
	want, got := knownFiles(t, before.store), knownFiles(t, after.store)
	delete(got, "new.flac")
	if len(want) != len(got) {
		t.Errorf("known files: got %d, want %d", len(got), len(want))
	}
	for path, f := range want {
		if got[path] != f {
			t.Errorf("known file %q: got %+v, want %+v", path, got[path], f)
		}
	}
}

func knownFiles(t *testing.T, s *catalog.Store) map[string]catalog.KnownFile {
	t.Helper()
	known := map[string]catalog.KnownFile{}
	for f, err := range s.Files(t.Context(), "/music") {
		if err != nil {
			t.Fatal(err)
		}
		f.ModTime = f.ModTime.UTC()
		known[f.Path] = f
	}
	return known
}

// signed returns a signed link of a song.
func signed(t *testing.T, h fixture, k *rich) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.server.ServeHTTP(w, request(k.keys["ann"], "/api/songs/"+k.songs[1]+"/link"))
	var link struct{ URL string }
	if err := json.Unmarshal(w.Body.Bytes(), &link); err != nil || w.Code != http.StatusOK {
		t.Fatalf("link of a song: got %d %s, want 200", w.Code, w.Body)
	}
	return strings.TrimPrefix(link.URL, "http://music.example")
}

func TestMoveRejectsANonEmptyTarget(t *testing.T) {
	eachWay(t, func(t *testing.T, from, to string) {
		createRich(t, from, 20)
		s := open(t, to)
		if _, err := s.EnsureUser(t.Context(), "Somebody"); err != nil {
			t.Fatal(err)
		}
		_, err := move.Run(t.Context(), move.Plan{From: from, To: to})
		if kind, message := fault.Of(err); kind != fault.Conflict || !strings.Contains(message, "not empty") {
			t.Errorf("move into a target with rows: got %v, want a conflict", err)
		}
		if _, err := s.User(t.Context(), "somebody"); err != nil {
			t.Errorf("user of the target: got %v, want no error", err)
		}
		open(t, to) // the target can still be opened
	})
}

// TestInterruptedMoveCanBeRepeated cancels at several times, the last after everything was written
// and before it was compared.
func TestInterruptedMoveCanBeRepeated(t *testing.T) {
	eachWay(t, func(t *testing.T, from, to string) {
		createRich(t, from, 100)
		for _, part := range []float64{0.3, 0.9} {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := move.Run(ctx, move.Plan{From: from, To: to, Progress: func(done, total int64) {
				if float64(done) >= part*float64(total) {
					cancel()
				}
			}})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("move cancelled at %v: got %v, want %v", part, err, context.Canceled)
			}
			_, err = catalog.Open(t.Context(), catalog.Config{DB: to})
			if kind, message := fault.Of(err); kind != fault.Conflict || !strings.Contains(message, "did not finish") {
				t.Fatalf("opening an unfinished catalog: got %v, want a conflict", err)
			}
			_, err = move.Run(t.Context(), move.Plan{From: to, To: file(t)})
			if err == nil || !strings.Contains(err.Error(), "did not finish") {
				t.Fatalf("moving an unfinished catalog: got %v, want \"did not finish\"", err)
			}
		}
		moveCatalog(t, from, to)
		open(t, to)
	})
}

func TestMoveErrorIdentifiesTheRow(t *testing.T) {
	from := file(t)
	k := createRich(t, from, 20)
	db, err := sql.Open("sqlite", from)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for value, why := range map[string]string{`'a' || char(0) || 'b'`: "contains NUL", `CAST(x'ff' AS TEXT)`: "UTF-8"} {
		if _, err := db.ExecContext(t.Context(), `UPDATE songs SET title = `+value+`
			WHERE id = '`+k.songs[4]+`'`); err != nil {
			t.Fatal(err)
		}
		_, err = move.Run(t.Context(), move.Plan{From: from, To: cluster.Database(t)})
		_, message := fault.Of(err)
		for _, word := range []string{"table songs", k.songs[4], "title", why} {
			if !strings.Contains(message, word) {
				t.Errorf("message: got %q, want it to contain %q", message, word)
			}
		}
		moveCatalog(t, from, file(t)) // SQLite accepts it
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE songs SET duration = 'long'
		WHERE id = '`+k.songs[5]+`'`); err != nil {
		t.Fatal(err)
	}
	_, err = move.Run(t.Context(), move.Plan{From: from, To: file(t)})
	if err == nil || !strings.Contains(err.Error(), k.songs[5]) {
		t.Errorf("text in a numeric column: got %v, want an error with the id %s", err, k.songs[5])
	}
}

func TestMoveRejectsAMissingSource(t *testing.T) {
	missing, target := file(t), file(t)
	if _, err := move.Run(t.Context(), move.Plan{From: missing, To: target}); err == nil ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("missing source: got %v, want an error with its path", err)
	}
	for _, path := range []string{missing, target} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("file %s after a failed move: got %v, want none", path, err)
		}
	}
	createRich(t, missing, 1)
	if _, err := move.Run(t.Context(), move.Plan{From: missing, To: missing}); err == nil ||
		!strings.Contains(err.Error(), "same") {
		t.Errorf("move of a catalog to itself: got %v, want an error", err)
	}
}
