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
	places := map[string]func(testing.TB) string{
		"SQLite": file, "PostgreSQL": func(t testing.TB) string { return cluster.Database(t) },
	}
	for source, from := range places {
		for target, to := range places {
			t.Run(source+" to "+target, func(t *testing.T) { f(t, from(t), to(t)) })
		}
	}
}

func filled(t *testing.T, db string, songs int) *rich {
	t.Helper()
	s := open(t, db)
	k := makeRich(t, s, songs)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestMovedCatalogKeepsKeysLinksAndPlays moves a catalog and uses it as its clients do: with the
// keys, links and play receipts that they hold.
func TestMovedCatalogKeepsKeysLinksAndPlays(t *testing.T) {
	eachWay(t, func(t *testing.T, from, to string) {
		k := filled(t, from, 60)
		before := serve(t, from)
		link := signed(t, before, k)
		want := before.store.View()
		report := carry(t, from, to)
		if report.Rows == 0 || report.Revision != want.Revision {
			t.Fatalf("%d rows at revision %d, want revision %d", report.Rows, report.Revision, want.Revision)
		}
		after := serve(t, to)
		if view := after.store.View(); view.Revision != want.Revision || view.Songs != want.Songs ||
			view.Epoch == want.Epoch {
			t.Errorf("the view was %+v and is %+v; the epoch alone must be another", want, view)
		}
		if got := after.get("", link); !strings.HasPrefix(got, "200\n") {
			t.Errorf("an old link: %s", got)
		}
		for who, status := range map[string]string{"ann": "200", "bob": "200", "active": "200", "revoked": "401"} {
			if got := after.get(k.keys[who], "/api/songs"); !strings.HasPrefix(got, status+"\n") {
				t.Errorf("the key %s: %.80s", who, got)
			}
		}
		goOn(t, before, after, k)
	})
}

// goOn writes to the moved catalog: repeated plays do not count again, and new rows get new
// numbers.
func goOn(t *testing.T, before, after fixture, k *rich) {
	t.Helper()
	ctx := t.Context()
	song, err := after.store.Song(ctx, k.plays[3].SongID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := after.store.RecordPlay(ctx, k.plays[3]); err != nil {
		t.Errorf("a play that is sent again: %v", err)
	}
	if again, err := after.store.Song(ctx, song.ID); err != nil || again.PlayCount != song.PlayCount {
		t.Errorf("it was counted: %d, then %d, %v", song.PlayCount, again.PlayCount, err)
	}
	if _, err := after.store.CreateUser(ctx, catalog.NewUser{Username: "carol", Name: "Carol"}); err != nil {
		t.Errorf("a new user: %v", err)
	}
	carol, err := after.store.User(ctx, "carol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := after.store.CreatePlaylist(ctx, carol.Viewer(),
		catalog.NewPlaylist{Name: "New", SongIDs: k.songs[:3]}); err != nil {
		t.Errorf("a new playlist: %v", err)
	}
	if _, err := after.store.RecordPlay(ctx, catalog.Play{SongID: k.songs[0], Listener: carol.Viewer(),
		PlayedAt: time.Now()}); err != nil {
		t.Errorf("a new play: %v", err)
	}
	ids, err := after.store.IngestSongs(ctx, []catalog.ScannedSong{{
		File: catalog.File{
			FileRef: catalog.FileRef{Root: "/music", Path: "new.flac"},
			Size:    1,
			ModTime: time.UnixMicro(1),
		},
		Title:   "Brand new xylophone",
		Credits: []catalog.Credit{{Artist: catalog.ArtistTag{Name: "Newcomer"}, Role: catalog.MainArtist}},
		Album:   &catalog.AlbumTag{Title: "Debut"}, Format: "flac",
	}})
	if err != nil {
		t.Fatalf("a new song: %v", err)
	}
	if err := after.store.FinishScan(ctx); err != nil {
		t.Fatal(err)
	}
	if found, err := after.store.Search(ctx, catalog.Viewer{}, "xylofone",
		10); err != nil || len(found.Songs) != 1 || found.Songs[0].ID != ids[0] {
		t.Errorf("the new song is not found: %v, %v", found.Songs, err)
	}
	// A scan compares every file with its size, time, song and state.
	want, got := knownFiles(t, before.store), knownFiles(t, after.store)
	delete(got, "new.flac")
	if len(want) != len(got) {
		t.Errorf("%d files were known, %d are", len(want), len(got))
	}
	for path, f := range want {
		if got[path] != f {
			t.Errorf("%q was %+v and is %+v", path, f, got[path])
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

// signed returns a signed link.
func signed(t *testing.T, h fixture, k *rich) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.server.ServeHTTP(w, request(k.keys["ann"], "/api/songs/"+k.songs[1]+"/link"))
	var link struct{ URL string }
	if err := json.Unmarshal(w.Body.Bytes(), &link); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return strings.TrimPrefix(link.URL, "http://music.example")
}

func TestMoveRejectsANonEmptyTarget(t *testing.T) {
	eachWay(t, func(t *testing.T, from, to string) {
		filled(t, from, 20)
		s := open(t, to)
		if _, err := s.EnsureUser(t.Context(), "Somebody"); err != nil {
			t.Fatal(err)
		}
		_, err := move.Run(t.Context(), move.Plan{From: from, To: to})
		if kind, sentence := fault.Of(err); kind != fault.Conflict || !strings.Contains(sentence, "not empty") {
			t.Errorf("a move into a used target: %v", err)
		}
		if _, err := s.User(t.Context(), "somebody"); err != nil {
			t.Errorf("the rows of the target are missing: %v", err)
		}
		open(t, to) // it is not refused afterwards
	})
}

// TestInterruptedMoveCanBeRepeated cancels at several times, the last after everything was written
// and before it was compared.
func TestInterruptedMoveCanBeRepeated(t *testing.T) {
	eachWay(t, func(t *testing.T, from, to string) {
		filled(t, from, 100)
		for _, part := range []float64{0.3, 0.9} {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := move.Run(ctx, move.Plan{From: from, To: to, Progress: func(done, total int64) {
				if float64(done) >= part*float64(total) {
					cancel()
				}
			}})
			cancel()
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("at %v: %v", part, err)
			}
			_, err = catalog.Open(t.Context(), catalog.Config{DB: to})
			if kind, sentence := fault.Of(err); kind != fault.Conflict || !strings.Contains(sentence, "did not finish") {
				t.Fatalf("an unfinished catalog opens: %v", err)
			}
			if _, err := move.Run(t.Context(), move.Plan{From: to, To: file(t)}); err == nil || !strings.Contains(err.Error(),
				"did not finish") {
				t.Fatalf("an unfinished catalog is moved: %v", err)
			}
		}
		carry(t, from, to)
		open(t, to)
	})
}

func TestMoveErrorIdentifiesTheRow(t *testing.T) {
	from := file(t)
	k := filled(t, from, 20)
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
		_, sentence := fault.Of(err)
		for _, word := range []string{"table songs", k.songs[4], "title", why} {
			if !strings.Contains(sentence, word) {
				t.Errorf("%q does not say %q", sentence, word)
			}
		}
		carry(t, from, file(t)) // SQLite accepts it
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE songs SET duration = 'long'
		WHERE id = '`+k.songs[5]+`'`); err != nil {
		t.Fatal(err)
	}
	if _, err = move.Run(t.Context(), move.Plan{From: from, To: file(t)}); err == nil || !strings.Contains(err.Error(),
		k.songs[5]) {
		t.Errorf("text for a number: %v", err)
	}
}

func TestMoveRejectsAMissingSource(t *testing.T) {
	missing, target := file(t), file(t)
	if _, err := move.Run(t.Context(), move.Plan{From: missing, To: target}); err == nil ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("a missing source: %v", err)
	}
	for _, path := range []string{missing, target} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s was created", path)
		}
	}
	filled(t, missing, 1)
	if _, err := move.Run(t.Context(), move.Plan{From: missing, To: missing}); err == nil ||
		!strings.Contains(err.Error(), "same") {
		t.Errorf("a catalog into itself: %v", err)
	}
}
