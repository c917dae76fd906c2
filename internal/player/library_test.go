package player_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"waxwing/client"
	"waxwing/internal/player"
)

// The scan begins after the first request and finds the first song only while it runs.
func TestDefaultTracksWaitForTheFirstScan(t *testing.T) {
	scans := 0
	catalog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Waxwing-Version", "test")
		switch r.URL.Path {
		case "/api/scan":
			scans++
			started := "null"
			if scans > 1 {
				started = `"2026-11-15T08:30:00.000Z"`
			}
			fmt.Fprintf(w, `{"scan": {"running": %t, "started_at": %s}}`, scans > 1, started)
		case "/api/songs/trending":
			if scans < 4 {
				fmt.Fprint(w, `{"songs": []}`)
				return
			}
			fmt.Fprint(w, `{"songs": [{"id": "so_1", "title": "First"}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer catalog.Close()
	library := player.Remote{Catalog: &client.Catalog{BaseURL: catalog.URL}}
	tracks, err := library.DefaultTracks(t.Context(), 10)
	if err != nil || len(tracks) != 1 || tracks[0].ID != "so_1" {
		t.Errorf("default tracks: got %+v, error %v; want so_1", tracks, err)
	}
}

func TestDefaultTracksDoNotWaitAfterAScanWithoutSongs(t *testing.T) {
	requests := 0
	catalog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Waxwing-Version", "test")
		if r.URL.Path == "/api/scan" {
			fmt.Fprint(w, `{"scan": {"running": false, "started_at": "2026-11-15T08:30:00.000Z"}}`)
			return
		}
		requests++
		fmt.Fprint(w, `{"songs": []}`)
	}))
	defer catalog.Close()
	tracks, err := player.Remote{Catalog: &client.Catalog{BaseURL: catalog.URL}}.DefaultTracks(t.Context(), 10)
	if err != nil || len(tracks) != 0 || requests != 1 {
		t.Errorf("default tracks: got %+v, error %v after %d requests; want none after 1", tracks, err, requests)
	}
}
