//go:build unix

package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// replicaServers are two servers of one database with replicas.
type replicaServers struct {
	t     *testing.T
	one   *app.App
	two   *app.App
	key   string
	owner *client.Catalog
	songs []string // ids
	pages atomic.Int64
}

// upWithReplicas starts two servers. The second has no player.
func upWithReplicas(t *testing.T, db string, replicas ...string) *replicaServers {
	t.Helper()
	s := &replicaServers{t: t}
	var dir app.DataDir
	for _, server := range []**app.App{&s.one, &s.two} {
		cfg := config(t)
		cfg.Catalog.DB, cfg.Catalog.Replicas = db, replicas
		if server == &s.two {
			cfg.Player = nil
		} else {
			dir = cfg.DataDir
		}
		*server = up(t, cfg)
	}
	s.owner = (&client.Player{BaseURL: s.one.PlayerURL, Token: ownerToken(t, dir)}).Catalog()
	key, err := s.owner.CreateKey(t.Context(),
		catalogapi.KeyRequest{Name: "test", Permissions: []string{"read", "write"}})
	if err != nil {
		t.Fatal(err)
	}
	s.key = key.Secret
	testenv.WaitFor(t, "the demo library is scanned", func() bool {
		page, err := s.catalog(s.two).Songs(t.Context(), 1, 50)
		if err != nil || len(page.Songs) < 14 {
			return false
		}
		s.songs = nil
		for _, song := range page.Songs {
			s.songs = append(s.songs, song.ID)
		}
		return true
	})
	return s
}

func (s *replicaServers) catalog(a *app.App) *client.Catalog {
	return &client.Catalog{BaseURL: a.CatalogURL, Key: s.key}
}

// page requests a page that is in no cache, and returns its status and how many songs it has.
func (s *replicaServers) page(a *app.App) (status int, songs string) {
	n := s.pages.Add(1)
	sorts := []string{"title", "duration", "year", "added"}
	return s.get(a, fmt.Sprintf("/api/songs?limit=%d&sort=%s&with=me", 20+n/4%30, sorts[n%4]))
}

func (s *replicaServers) get(a *app.App, path string) (status int, body string) {
	s.t.Helper()
	resp, text := (&bucketApp{App: a, t: s.t}).send("GET", a.CatalogURL+path, "X-Api-Key", s.key)
	return resp.StatusCode, string(text)
}

// reads returns how many requests were read from a database, by the beginning of its name.
func (s *replicaServers) reads(a *app.App, database string) (n float64) {
	s.t.Helper()
	_, text := s.operator(a, "/metrics")
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, "} "); ok &&
			strings.HasPrefix(name, `waxwing_db_reads_total{database="`+database) {
			one, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				s.t.Fatal(err)
			}
			n += one
		}
	}
	return n
}

// operator requests a path of the operator's address.
func (s *replicaServers) operator(a *app.App, path string) (status int, body string) {
	s.t.Helper()
	resp, text := (&bucketApp{t: s.t}).send("GET", a.MetricsURL+path)
	return resp.StatusCode, string(text)
}

// waitUsed waits until a server reads from a replica.
func (s *replicaServers) waitUsed(a *app.App, replica string) {
	s.t.Helper()
	before := s.reads(a, replica)
	// PostgreSQL needs some time to start a replica and to connect it to the primary.
	for begun := time.Now(); s.reads(a, replica) == before; s.page(a) {
		if time.Since(begun) > 30*time.Second {
			s.t.Fatalf("the replica %sis not used after 30 s", replica)
		}
	}
}

// like likes a song on the first server, which must show it at once, and the second within a
// second. It returns how long the second needed.
func (s *replicaServers) like(i int) time.Duration {
	s.t.Helper()
	id := s.songs[i]
	if err := s.catalog(s.one).Like(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
	done := time.Now()
	if status, body := s.get(s.one, "/api/me/likes?limit=50"); status != 200 || !strings.Contains(body, id) {
		s.t.Errorf("the server that wrote: got %d without the song that was just liked", status)
	}
	for {
		status, body := s.get(s.two, "/api/me/likes?limit=50")
		if status == 200 && strings.Contains(body, id) {
			break
		}
		if status != 200 {
			s.t.Errorf("the other server: got %d", status)
		}
		if time.Since(done) > 10*time.Second {
			s.t.Fatal("the other server does not show a change after 10 s")
		}
		time.Sleep(2 * time.Millisecond)
	}
	return time.Since(done)
}

// TestReadsGoToReplicasThatAreCurrent uses a replica that follows, lags, ends and is promoted.
func TestReadsGoToReplicasThatAreCurrent(t *testing.T) {
	primary := postgres.ForTest(t)
	db := primary.Database(t)
	replica, late := primary.Replica(t, 0), primary.Replica(t, time.Hour)
	s := upWithReplicas(t, db, replica.Of(db), late.Of(db))
	s.waitUsed(s.one, "1 ")
	s.waitUsed(s.two, "1 ")

	slowest := time.Duration(0)
	for i := range 4 {
		slowest = max(slowest, s.like(i))
	}
	s.waitUsed(s.one, "1 ")

	replica.Pause(t)
	for i := 4; i < 8; i++ {
		slowest = max(slowest, s.like(i))
	}
	before := s.reads(s.one, "1 ")
	for range 10 {
		if status, body := s.page(s.one); status != 200 || strings.Count(body, `"title"`) < 14 {
			t.Errorf("a page while the replica lags: got %d, %s", status, body)
		}
	}
	if after := s.reads(s.one, "1 "); after != before {
		t.Errorf("reads from a replica that lags: got %v, want 0", after-before)
	}
	key, err := s.owner.CreateKey(t.Context(), catalogapi.KeyRequest{Name: "gone", Permissions: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	revoked := &client.Catalog{BaseURL: s.two.CatalogURL, Key: key.Secret}
	if _, err := revoked.Songs(t.Context(), 1, 1); err != nil {
		t.Fatalf("a new key: %v", err)
	}
	if err := s.owner.RevokeKey(t.Context(), key.Key.ID); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	testenv.WaitFor(t, "the other server refuses a revoked key", func() bool {
		_, err := revoked.Songs(t.Context(), 1, 1)
		return err != nil
	})
	if took := time.Since(begun); took > time.Second {
		t.Errorf("a revoked key worked for %v, want at most 1 s", took)
	}
	replica.Resume(t)
	s.waitUsed(s.one, "1 ")

	ctx, stop := context.WithCancel(t.Context())
	var load sync.WaitGroup
	for range 2 {
		load.Go(func() {
			for ctx.Err() == nil {
				if status, body := s.page(s.one); status != 200 {
					t.Errorf("a page while the replica ends: got %d %s, want 200", status, body)
					return
				}
				time.Sleep(5 * time.Millisecond) // below the rate limit of the key
			}
		})
	}
	replica.Kill()
	slowest = max(slowest, s.like(8))
	replica.Restart(t)
	back := time.Now()
	s.waitUsed(s.one, "1 ")
	t.Logf("the replica was used again after %v", time.Since(back))
	replica.Promote(t)
	for i := 9; i < 13; i++ {
		slowest = max(slowest, s.like(i))
	}
	before = s.reads(s.two, "1 ")
	for range 5 {
		s.page(s.two)
	}
	if after := s.reads(s.two, "1 "); after != before {
		t.Errorf("reads from a promoted replica: got %v, want 0", after-before)
	}
	stop()
	load.Wait()
	if n := s.reads(s.one, "2 ") + s.reads(s.two, "2 "); n != 0 {
		t.Errorf("reads from a replica that is an hour late: got %v, want 0", n)
	}
	if slowest > time.Second {
		t.Errorf("the other server showed a change after %v, want at most 1 s", slowest)
	}
	t.Logf("changes were visible on the other server after at most %v", slowest)
}

// TestServersFollowAPromotedReplica ends the primary and promotes a replica: servers with both in
// the URL use it, and do not read from a replica that still follows the former primary.
func TestServersFollowAPromotedReplica(t *testing.T) {
	primary := postgres.ForTest(t)
	db := primary.Database(t)
	next, left := primary.Replica(t, 0), primary.Replica(t, 0)
	u, err := url.Parse(db)
	if err != nil {
		t.Fatal(err)
	}
	hosts := "postgres://waxwing@" + primary.Addr() + "," + next.Addr() + u.Path +
		"?sslmode=disable&target_session_attrs=read-write"
	s := upWithReplicas(t, hosts, left.Of(db))
	s.like(0)
	s.waitUsed(s.one, "1 ")
	primary.Kill()
	testenv.WaitFor(t, "the servers notice the end of the primary", func() bool {
		status, _ := s.operator(s.one, "/ready")
		return status == http.StatusServiceUnavailable
	})
	next.Promote(t)
	promoted := time.Now()
	testenv.WaitFor(t, "the servers use the promoted replica", func() bool {
		one, _ := s.page(s.one)
		two, _ := s.page(s.two)
		return one == 200 && two == 200
	})
	took := time.Since(promoted)
	if took > 5*time.Second {
		t.Errorf("the servers used the promoted replica after %v, want at most 5 s", took)
	}
	before := s.reads(s.one, "1 ") + s.reads(s.two, "1 ")
	if status, body := s.get(s.two, "/api/me/likes?limit=50"); status != 200 || !strings.Contains(body, s.songs[0]) {
		t.Errorf("after the failover: got %d %s, want the liked song", status, body)
	}
	for i := range 5 {
		s.like(1 + i)
	}
	if after := s.reads(s.one, "1 ") + s.reads(s.two, "1 "); after != before {
		t.Errorf("reads from a replica of the former primary: got %v, want 0", after-before)
	}
	t.Logf("the promoted replica was used after %v", took)
}
