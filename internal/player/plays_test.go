package player

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/client"
	"waxwing/internal/statefile"
)

// A track that counted before a restart and plays to its end afterwards is reported under the
// same key.
func TestListenKeepsItsKeyAcrossARestart(t *testing.T) {
	bubble(t, func(r *rig) {
		r.stop()
		var mu sync.Mutex
		keys := make(map[string]int) // number of reports by key
		r.config.Played = func(_ Track, _ time.Time, key string) {
			mu.Lock()
			defer mu.Unlock()
			keys[key]++
		}
		wantListens := func(want int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if len(keys) != want || keys[""] > 0 {
				t.Fatalf("listens: got %d with the keys %v, want %d", len(keys), keys, want)
			}
		}
		r.start()
		r.ok(r.Replace(r.ctx, Selection{TrackIDs: []string{"t0", "t0"}}, 0, true))
		r.advance(6 * time.Second)
		r.stop()
		r.start()
		r.wantState("t0", false, 6*time.Second)
		r.ok(errOf(r.Seek(r.ctx, time.Second))) // back far enough to count a second time
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(8 * time.Second)
		wantListens(1)
		r.advance(10 * time.Second) // the next item of the queue, the same track
		wantListens(2)
	})
}

func TestRejectedPlayDoesNotBlockOthers(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict,
		http.StatusUnprocessableEntity} {
		var mu sync.Mutex
		var accepted []string
		catalog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Waxwing-Version", "test")
			if strings.Contains(string(body), "so_bad") {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"error":"no"}`)
				return
			}
			mu.Lock()
			accepted = append(accepted, r.Header.Get("Idempotency-Key"))
			mu.Unlock()
			_, _ = io.WriteString(w, `{"counted":true}`)
		}))
		p, err := NewPlays(&client.Catalog{BaseURL: catalog.URL, Key: "wk"}, statefile.System,
			filepath.Join(t.TempDir(), "plays"), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		p.Add(Track{ID: "so_bad"}, time.Now(), "k1")
		p.Add(Track{ID: "so_good"}, time.Now(), "k2")
		p.Add(Track{ID: "so_good"}, time.Now(), "k2") // the same listen again
		p.Add(Track{ID: "so_good"}, time.Now(), "k3")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- p.Run(ctx) }()
		for deadline := time.Now().Add(10 * time.Second); p.Stats().Pending > 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		catalog.Close()
		if got := p.Stats(); got != (PlaysStats{Sent: 2, Refused: 1}) || !slices.Equal(accepted, []string{"k2", "k3"}) {
			t.Errorf("after status %d: got %+v, accepted %q; want 2 sent, 1 refused, accepted k2 and k3",
				status, got, accepted)
		}
	}
}
