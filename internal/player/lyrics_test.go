package player_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"waxwing/client"
	"waxwing/internal/fault"
	"waxwing/internal/player"
)

func TestLyricsOfACatalogAreSortedAndBounded(t *testing.T) {
	catalog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Waxwing-Version", "test")
		switch r.URL.Path {
		case "/api/songs/so_1/lyrics":
			fmt.Fprint(w, `{"lyrics": [{"lang": "<b>", "synced": true, "offset": -9007199254740991, "lines": [
				{"start": 2000, "text": "two\u0000\n"}, {"start": -5, "text": "one"}, {"start": null, "text": "none"}]}]}`)
		case "/api/songs/so_2/lyrics":
			http.NotFound(w, r)
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer catalog.Close()
	library := player.Remote{Catalog: &client.Catalog{BaseURL: catalog.URL}}
	got, err := library.Lyrics(t.Context(), "so_1")
	if err != nil || len(got) != 1 || len(got[0].Lines) != 3 {
		t.Fatalf("got %+v, error %v; want one text of three lines", got, err)
	}
	l := got[0]
	if l.Lang != "" || l.Offset < -1000*time.Hour || l.Lines[0].Text != "one" || l.Lines[2].Start != 2*time.Second ||
		l.Lines[2].Text != "two  " {
		t.Errorf("got %+v, want sorted lines without control characters and a bounded offset", l)
	}
	if got, err := library.Lyrics(t.Context(), "so_2"); err != nil || len(got) > 0 {
		t.Errorf("an unknown song: got %+v, error %v; want none", got, err)
	}
	_, err = library.Lyrics(t.Context(), "so_3")
	if kind, _ := fault.Of(err); kind != fault.Unavailable {
		t.Errorf("a catalog that fails: got %v, want an Unavailable fault", err)
	}
}
