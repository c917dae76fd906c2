package cataloghttp_test

import (
	"context"
	"database/sql"
	"encoding/json"
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

// second starts another server over the database of a fixture.
func second(t *testing.T, h *fixture, db string) (url string) {
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

// TestALinkOfOneServerOpensAtAnother because they share the key that it is signed with.
func TestALinkOfOneServerOpensAtAnother(t *testing.T) {
	db := cluster.Database(t)
	h := startOn(t, db, 1)
	other := second(t, h, db)
	var link struct{ URL string }
	if err := json.Unmarshal([]byte(h.get(t, "/api/songs/"+h.ids[0]+"/link").is(t, 200, nil).body), &link); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]int{u.RawQuery: 200, strings.Replace(u.RawQuery, "signature=", "signature=x", 1): 403} {
		resp, err := h.http.Get(other + u.Path + "?" + query)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // only the status counts
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", query, resp.StatusCode, want)
		}
	}
}

// TestNoAnswerIsStalerThanASecond changes the database while no server is told of it, as when a notice is
// lost with the connection that would have carried it.
func TestNoAnswerIsStalerThanASecond(t *testing.T) {
	db := cluster.Database(t)
	h := startOn(t, db, 1)
	var made struct{ Playlist struct{ ID, Name string } }
	h.do(t, "both", "POST", "/api/playlists", `{"name":"before","public":true}`).is(t, 200, &made)
	path := "/api/playlists/" + made.Playlist.ID
	admin, err := sql.Open("pgx", db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close() })
	for _, name := range []string{"one", "two", "three"} {
		for range 20 { // so that there is something to remember, and the server has no reason to look
			h.get(t, path).is(t, 200, nil)
		}
		_, err = admin.ExecContext(t.Context(), `WITH counted AS (UPDATE counters SET value = value + 1 WHERE name = 'revision')
			UPDATE playlists SET name = $1 WHERE id = $2`, name, made.Playlist.ID)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if h.get(t, path).is(t, 200, &made); made.Playlist.Name != name {
			t.Errorf("a second after it became %q the playlist is called %q", name, made.Playlist.Name)
		}
	}
	secret, hash := access.Mint(access.KeyPrefix)
	key, err := h.store.CreateKey(t.Context(), catalog.NewKey{Name: "short", Hash: hash.String(), Owner: "ann", Permissions: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	h.keys["short"] = secret
	h.do(t, "short", "GET", path, "").is(t, 200, nil)
	_, err = admin.ExecContext(t.Context(), `WITH counted AS (UPDATE counters SET value = value + 1 WHERE name IN ('revision', 'keys'))
		UPDATE keys SET revoked_at = 1 WHERE id = $1`, key.ID)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	h.do(t, "short", "GET", path, "").is(t, 401, nil)
}

// asker asks servers at steady rates and counts what they allow.
type asker struct {
	key     string
	allowed [2]atomic.Int64
	refused [2]atomic.Int64
}

// ask sends that many requests a second to each server, until the end of ctx.
func (a *asker) ask(ctx context.Context, servers [2]string, perSecond [2]int) (wait func()) {
	var all sync.WaitGroup
	for i, server := range servers {
		if perSecond[i] == 0 {
			continue
		}
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			tick := time.NewTicker(time.Second / time.Duration(perSecond[i]))
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				req, err := http.NewRequestWithContext(ctx, "GET", server+"/api/songs", nil)
				if err != nil {
					return
				}
				req.Header.Set("X-Api-Key", a.key)
				resp, err := client.Do(req)
				if err != nil {
					continue // the end
				}
				_, _ = io.Copy(io.Discard, resp.Body) // only the status counts
				_ = resp.Body.Close()
				switch resp.StatusCode {
				case 200:
					a.allowed[i].Add(1)
				case 429:
					a.refused[i].Add(1)
				}
			}
		})
	}
	return all.Wait
}

// TestServersShareTheRateOfAKey asks two servers for more than the key may, then one alone, then both
// unevenly: together they keep the limit, one alone may use it whole, and who asks for little gets it.
func TestServersShareTheRateOfAKey(t *testing.T) {
	const rate = 60
	db := cluster.Database(t)
	first := startOn(t, db, 1)
	secret, hash := access.Mint(access.KeyPrefix)
	_, err := first.store.CreateKey(t.Context(), catalog.NewKey{Name: "shared", Hash: hash.String(), Owner: "ann", Permissions: []string{"read"}, Rate: rate, Burst: 6})
	if err != nil {
		t.Fatal(err)
	}
	servers := [2]string{second(t, first, db), second(t, first, db)}
	measure := func(perSecond [2]int, settle, span time.Duration) (a [2]float64, refused [2]int64) {
		t.Helper()
		ask := &asker{key: secret}
		ctx, end := context.WithCancel(t.Context())
		wait := ask.ask(ctx, servers, perSecond)
		time.Sleep(settle)
		before := [2]int64{ask.allowed[0].Load(), ask.allowed[1].Load()}
		refusedBefore := [2]int64{ask.refused[0].Load(), ask.refused[1].Load()}
		begun := time.Now()
		time.Sleep(span)
		took := time.Since(begun).Seconds()
		for i := range a {
			a[i] = float64(ask.allowed[i].Load()-before[i]) / took
			refused[i] = ask.refused[i].Load() - refusedBefore[i]
		}
		end()
		wait()
		return a, refused
	}

	both, refused := measure([2]int{150, 150}, 2500*time.Millisecond, 3*time.Second)
	if sum := both[0] + both[1]; sum < 0.8*rate || sum > 1.15*rate || refused[0] == 0 || refused[1] == 0 {
		t.Errorf("both together allow %.1f a second, the key has %d", sum, rate)
	}
	if min(both[0], both[1]) < 0.35*rate {
		t.Errorf("one allows %.1f a second, the other %.1f", both[0], both[1])
	}
	alone, _ := measure([2]int{150, 0}, 4*time.Second, 2500*time.Millisecond)
	if alone[0] < 0.8*rate || alone[0] > 1.15*rate {
		t.Errorf("one alone allows %.1f a second, the key has %d", alone[0], rate)
	}
	uneven, refused := measure([2]int{150, 12}, 2500*time.Millisecond, 2500*time.Millisecond)
	if uneven[1] < 8 || refused[1] > 5 || uneven[0]+uneven[1] > 1.15*rate {
		t.Errorf("the busy one allows %.1f a second, the other %.1f of 12 (%d refused)", uneven[0], uneven[1], refused[1])
	}
	t.Logf("both %.1f + %.1f, one alone %.1f, uneven %.1f + %.1f", both[0], both[1], alone[0], uneven[0], uneven[1])
}
