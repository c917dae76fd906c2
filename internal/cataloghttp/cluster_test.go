package cataloghttp_test

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
)

// startSecond starts another server with the database of a fixture.
func startSecond(t *testing.T, h *fixture, db string) (url string) {
	t.Helper()
	store, err := catalog.Open(t.Context(), catalog.Config{DB: db, Serves: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := fresh(h.cfg)
	cfg.Catalog = store
	handler, err := cataloghttp.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

func TestSignedLinkIsValidOnAllServers(t *testing.T) {
	db := cluster.Database(t)
	h := startOn(t, db, 1)
	other := startSecond(t, h, db)
	var link struct{ URL string }
	h.get(t, "/api/songs/"+h.ids[0]+"/link").is(t, 200, &link)
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	altered := strings.Replace(u.RawQuery, "signature=", "signature=x", 1)
	for query, want := range map[string]int{u.RawQuery: 200, altered: 403} {
		resp, err := h.http.Get(other + u.Path + "?" + query)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // only the status matters
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", query, resp.StatusCode, want)
		}
	}
}

// The database changes without a notification, as if it was lost with its connection.
func TestResponsesAreAtMostOneSecondStale(t *testing.T) {
	db := cluster.Database(t)
	h := startOn(t, db, 1)
	var created struct{ Playlist struct{ ID, Name string } }
	h.do(t, "both", "POST", "/api/playlists", `{"name":"before","public":true}`).is(t, 200, &created)
	path := "/api/playlists/" + created.Playlist.ID
	admin, err := sql.Open("pgx", db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	for _, name := range []string{"one", "two", "three"} {
		for range 20 { // fill the cache
			h.get(t, path).is(t, 200, nil)
		}
		_, err = admin.ExecContext(t.Context(), `
			WITH counted AS (UPDATE counters SET value = value + 1 WHERE name = 'revision')
			UPDATE playlists SET name = $1 WHERE id = $2`, name, created.Playlist.ID)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if h.get(t, path).is(t, 200, &created); created.Playlist.Name != name {
			t.Errorf("a second after the change: got name %q, want %q", created.Playlist.Name, name)
		}
	}
	secret, hash := access.Mint(access.KeyPrefix)
	key, err := h.store.CreateKey(t.Context(), catalog.NewKey{
		Name: "short", Hash: hash.String(), Owner: "ann", Permissions: []string{"read"},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.keys["short"] = secret
	h.do(t, "short", "GET", path, "").is(t, 200, nil)
	_, err = admin.ExecContext(t.Context(), `
		WITH counted AS (UPDATE counters SET value = value + 1 WHERE name IN ('revision', 'keys'))
		UPDATE keys SET revoked_at = 1 WHERE id = $1`, key.ID)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	h.do(t, "short", "GET", path, "").is(t, 401, nil)
}

// loadGenerator sends requests at constant rates and counts the replies.
type loadGenerator struct {
	key     string
	allowed [2]atomic.Int64
	limited [2]atomic.Int64
	pause   atomic.Int64 // the longest delay of a request, nanoseconds
}

// run sends perSecond requests per second to each server until ctx ends.
func (a *loadGenerator) run(ctx context.Context, servers [2]string, perSecond [2]int) (wait func()) {
	var all sync.WaitGroup
	for i, server := range servers {
		if perSecond[i] == 0 {
			continue
		}
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			interval := time.Second / time.Duration(perSecond[i])
			tick := time.NewTicker(interval)
			defer tick.Stop()
			for last := time.Now(); ; last = time.Now() {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if pause := int64(time.Since(last) - interval); pause > a.pause.Load() {
					a.pause.Store(pause)
				}
				req, err := http.NewRequestWithContext(ctx, "GET", server+"/api/songs", nil)
				if err != nil {
					return
				}
				req.Header.Set("X-Api-Key", a.key)
				resp, err := client.Do(req)
				if err != nil {
					continue // ctx has ended
				}
				_, _ = io.Copy(io.Discard, resp.Body) // only the status matters
				_ = resp.Body.Close()
				switch resp.StatusCode {
				case 200:
					a.allowed[i].Add(1)
				case 429:
					a.limited[i].Add(1)
				}
			}
		})
	}
	return all.Wait
}

// Two busy servers share the rate of a key, one busy server gets all of it, and a server with
// little demand is served in full.
func TestServersShareTheRateOfAKey(t *testing.T) {
	const (
		rate     = 60
		burst    = 6
		attempts = 5
	)
	db := cluster.Database(t)
	first := startOn(t, db, 1)
	secret, hash := access.Mint(access.KeyPrefix)
	_, err := first.store.CreateKey(t.Context(), catalog.NewKey{
		Name: "shared", Hash: hash.String(), Owner: "ann", Permissions: []string{"read"}, Rate: rate, Burst: burst,
	})
	if err != nil {
		t.Fatal(err)
	}
	servers := [2]string{startSecond(t, first, db), startSecond(t, first, db)}
	attempt := func(perSecond [2]int, warmUp, span time.Duration) (allowed [2]float64, limited [2]int64, valid bool) {
		load := &loadGenerator{key: secret}
		ctx, end := context.WithCancel(t.Context())
		wait := load.run(ctx, servers, perSecond)
		time.Sleep(warmUp)
		allowedBefore := [2]int64{load.allowed[0].Load(), load.allowed[1].Load()}
		limitedBefore := [2]int64{load.limited[0].Load(), load.limited[1].Load()}
		start := time.Now()
		load.pause.Store(0)
		time.Sleep(span)
		took := time.Since(start).Seconds()
		for i := range allowed {
			allowed[i] = float64(load.allowed[i].Load()-allowedBefore[i]) / took
			limited[i] = load.limited[i].Load() - limitedBefore[i]
		}
		end()
		wait()
		return allowed, limited, time.Duration(load.pause.Load()) < time.Second*burst/rate
	}
	// A client that pauses until its burst is full again loses part of its rate: on a busy machine the
	// measurement is repeated.
	measure := func(perSecond [2]int, warmUp, span time.Duration) (allowed [2]float64, limited [2]int64) {
		t.Helper()
		for i := range attempts {
			var valid bool
			if allowed, limited, valid = attempt(perSecond, warmUp, span); valid {
				return allowed, limited
			}
			t.Logf("attempt %d: the clients paused for too long", i+1)
		}
		return allowed, limited
	}

	both, limited := measure([2]int{150, 150}, 2500*time.Millisecond, 3*time.Second)
	if sum := both[0] + both[1]; sum < 0.8*rate || sum > 1.15*rate || limited[0] == 0 || limited[1] == 0 {
		t.Errorf("two busy servers: got %.1f requests/s together, %v limited; want %d, and some limited",
			sum, limited, rate)
	}
	if min(both[0], both[1]) < 0.35*rate {
		t.Errorf("two busy servers: got %.1f and %.1f requests/s, want about half of %d each", both[0], both[1], rate)
	}
	alone, _ := measure([2]int{150, 0}, 4*time.Second, 2500*time.Millisecond)
	if alone[0] < 0.8*rate || alone[0] > 1.15*rate {
		t.Errorf("one busy server: got %.1f requests/s, want %d", alone[0], rate)
	}
	uneven, limited := measure([2]int{150, 12}, 2500*time.Millisecond, 2500*time.Millisecond)
	if uneven[1] < 8 || limited[1] > 5 || uneven[0]+uneven[1] > 1.15*rate {
		t.Errorf("uneven load: got %.1f and %.1f requests/s, %d limited; want 12 of the second, %d together",
			uneven[0], uneven[1], limited[1], rate)
	}
	t.Logf("both %.1f + %.1f, one alone %.1f, uneven %.1f + %.1f", both[0], both[1], alone[0], uneven[0], uneven[1])
}
