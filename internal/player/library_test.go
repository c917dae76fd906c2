package player_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"waxwing/client"
	"waxwing/internal/fault"
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

// A catalog that replies with a redirect, a page or an odd status is unavailable: that is not an
// error of the player, and no redirect is followed.
func TestOddRepliesOfACatalogMakeItUnavailable(t *testing.T) {
	var followed atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer elsewhere.Close()
	catalog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Waxwing-Version", "test")
		status, _ := strconv.Atoi(strings.Split(r.URL.Path, "/")[3])
		w.Header().Set("Location", elsewhere.URL)
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		fmt.Fprint(w, "<!doctype html>")
	}))
	defer catalog.Close()
	library := player.Remote{Catalog: &client.Catalog{BaseURL: catalog.URL, Key: "wxk_player"}}
	for _, status := range []string{"200", "204", "300", "301", "302", "303", "304", "307", "308", "402", "405", "410",
		"418", "451", "500", "502", "599", "999"} {
		_, trackErr := library.Track(t.Context(), status)
		_, albumErr := library.Tracks(t.Context(), player.Selection{AlbumID: status})
		_, playlistErr := library.Tracks(t.Context(), player.Selection{PlaylistID: status})
		for what, err := range map[string]error{"track": trackErr, "album": albumErr, "playlist": playlistErr} {
			if kind, message := fault.Of(err); kind != fault.Unavailable || !strings.HasPrefix(message, "the catalog ") {
				t.Errorf("%s with status %s: got %v, want that the catalog is unavailable", what, status, err)
			}
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("got %d followed redirects, want 0", n)
	}
}
