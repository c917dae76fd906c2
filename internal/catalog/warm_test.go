package catalog_test

import (
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/rules"
)

// TestServersEvaluateSmartPlaylistsInAdvance checks that a listener who opens a smart playlist does
// not wait for its rules, after the start of a server and after a scan.
func TestServersEvaluateSmartPlaylistsInAdvance(t *testing.T) {
	db := filepath.Join(t.TempDir(), "catalog.db")
	command := open(t, catalog.Config{DB: db})
	ingest(t, command, songs(20)...)
	ann, err := command.EnsureUser(t.Context(), "Ann")
	if err != nil {
		t.Fatal(err)
	}
	list, err := command.CreatePlaylist(t.Context(), ann.Viewer(), catalog.NewPlaylist{Name: "smart", Rules: &rules.Set{
		Match: rules.All, Rules: []rules.Rule{{Field: "title", Op: "contains", Value: "1"},
			{Field: "play_count", Op: "lt", Value: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	server := open(t, catalog.Config{DB: db, Serves: true})
	wait := func(when string) {
		t.Helper()
		for began := time.Now(); !catalog.IsEvaluated(server, list); time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > 20*time.Second {
				t.Fatalf("%s: the smart playlist was not evaluated", when)
			}
		}
	}
	wait("after the start")
	ingest(t, server, song(21))
	if catalog.IsEvaluated(server, list) {
		t.Error("after a scan: the songs of the playlist are from before")
	}
	wait("after the scan")
	_, total, err := server.PlaylistSongs(t.Context(), ann.Viewer(), list.ID, catalog.Page{Number: 1, Limit: 1})
	if err != nil || total != 12 {
		t.Errorf("got %d songs, error %v; want 12", total, err)
	}
}
