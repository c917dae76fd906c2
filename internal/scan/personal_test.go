package scan_test

import (
	"log/slog"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
	"waxwing/internal/testenv/postgres"
)

// A song keeps what users think of it while its file moves, gets other tags, is missing and comes
// back.
func TestMovedFilesKeepLikesRatingsAndHistory(t *testing.T) {
	cluster := postgres.ForTest(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			h := newFixture(t)
			if engine == "postgres" {
				store, err := catalog.Open(t.Context(), catalog.Config{DB: cluster.Database(t)})
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				h.store, h.scan = store, scan.New(store, folders(t, []string{h.dir}), nil, slog.New(slog.DiscardHandler))
			}
			h.write("a.mp3", titled(1, "A", "X", "Y"))
			h.write("b.mp3", titled(2, "B", "X", "Y"))
			h.run(scan.Options{})
			id := h.songs()["a.mp3"]
			user, err := h.store.EnsureUser(t.Context(), "listener")
			if err != nil {
				t.Fatal(err)
			}
			me := user.Viewer()
			if err := h.store.SetLiked(t.Context(), me, true, id); err != nil {
				t.Fatal(err)
			}
			if err := h.store.SetRating(t.Context(), me, 4, id); err != nil {
				t.Fatal(err)
			}
			play := catalog.Play{SongID: id, Listener: me, PlayedAt: time.Now().Add(-time.Hour)}
			if _, err := h.store.RecordPlay(t.Context(), play); err != nil {
				t.Fatal(err)
			}
			check := func(after string) {
				t.Helper()
				h.run(scan.Options{})
				got, err := h.store.PersonalOf(t.Context(), me, id)
				if err != nil || got.LikedAt.IsZero() || got.Rating != 4 || got.PlayCount != 1 {
					t.Errorf("after %s: got %+v, error %v; want a like, rating 4 and 1 play", after, got, err)
				}
				plays, _, err := h.store.History(t.Context(), me, catalog.Page{Number: 1, Limit: 10})
				if err != nil || len(plays) != 1 || plays[0].Song.ID != id {
					t.Errorf("after %s: got history %+v, error %v; want one play of %s", after, plays, err, id)
				}
				top, _, err := h.store.TopAlbums(t.Context(), me, time.Time{}, catalog.Page{Number: 1, Limit: 10})
				if err != nil || len(top) != 1 || top[0].Plays != 1 {
					t.Errorf("after %s: got top albums %+v, error %v; want one with 1 play", after, top, err)
				}
			}
			h.rename("a.mp3", "folder/other name.mp3")
			check("a rename")
			h.write("folder/other name.mp3", titled(1, "A, corrected", "Z", "Another album"))
			check("other tags")
			h.remove("folder/other name.mp3")
			h.run(scan.Options{})
			h.write("back.mp3", titled(1, "A, corrected", "Z", "Another album"))
			check("a deletion and a new copy")
		})
	}
}
