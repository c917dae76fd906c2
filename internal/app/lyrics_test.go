package app_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"waxwing/client"
	"waxwing/internal/testenv"
)

// TestLyricsAreLookedUpOnlyWithLyricsURL follows the setting to the lyrics of the current track.
func TestLyricsAreLookedUpOnlyWithLyricsURL(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{"syncedLyrics":"[00:00.10]One\n[00:02.00]Two"}`))
	}))
	defer server.Close()
	for url, want := range map[string]int32{"": 0, server.URL: 1} {
		cfg := config(t)
		cfg.Catalog.LyricsURL = url
		a := up(t, cfg)
		player := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
		testenv.WaitFor(t, "a song is scanned and loaded", func() bool {
			_, err := player.Play(t.Context())
			return err == nil
		})
		for range 2 {
			got, err := player.Lyrics(t.Context())
			if err != nil || len(got.Lyrics) != int(want) {
				t.Errorf("with %q: got %+v, %v; want %d texts", url, got, err, want)
			}
		}
		if n := requests.Swap(0); n != want {
			t.Errorf("requests with %q: got %d, want %d", url, n, want)
		}
	}
}
