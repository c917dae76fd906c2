package catalog_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

// until waits for a condition.
func until(t *testing.T, limit time.Duration, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout after %v: waited for %s", limit, what)
		}
	}
}

// TestConcurrentServersShareOneNewCatalog opens an empty database five times concurrently.
func TestConcurrentServersShareOneNewCatalog(t *testing.T) {
	db := cluster.Database(t)
	var all sync.WaitGroup
	stores := make([]*catalog.Store, 5)
	for i := range stores {
		all.Go(func() {
			s, err := catalog.Open(t.Context(), catalog.Config{DB: db, Serves: true})
			if err == nil {
				stores[i] = s
				_, err = s.EnsureUser(t.Context(), "Ann")
			}
			if err != nil {
				t.Errorf("server %d: %v", i, err)
			}
		})
	}
	all.Wait()
	epochs, keys := map[string]bool{}, map[string]bool{}
	for _, s := range stores {
		if s == nil {
			continue
		}
		defer s.Close()
		key, err := s.SigningKey(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		keys[string(key)] = true
		epochs[s.View().Epoch] = true
	}
	if len(keys) != 1 || len(epochs) != 1 {
		t.Errorf("got %d signing keys and %d epochs, want 1 of each", len(keys), len(epochs))
	}
	if users := queryInt(t, stores[0], `SELECT count(*) FROM users`); users != 1 {
		t.Errorf("users: got %d, want 1", users)
	}
	until(t, 5*time.Second, "each server to count all servers", func() bool {
		for _, s := range stores {
			if s.Servers() != len(stores) {
				return false
			}
		}
		return true
	})
}

// queryInt returns the number that a query selects.
func queryInt(t *testing.T, s *catalog.Store, query string) (n int) {
	t.Helper()
	if err := catalog.Reader(s).QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRepeatedPlaysCountOnce sends every play four times, to two servers of one catalog.
func TestRepeatedPlaysCountOnce(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		s := openSQLite(t)
		checkRepeatedPlays(t, s, s)
	})
	t.Run("postgres", func(t *testing.T) {
		db := cluster.Database(t)
		checkRepeatedPlays(t, open(t, catalog.Config{DB: db}), open(t, catalog.Config{DB: db}))
	})
}

// checkRepeatedPlays sends every play twice to each of two servers.
func checkRepeatedPlays(t *testing.T, one, two *catalog.Store) {
	const plays = 100
	ids := ingest(t, one, songs(10)...)
	ann := createUser(t, one, "Ann")
	before := one.View().Revision
	when := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	var all sync.WaitGroup
	for i := range plays {
		for _, s := range []*catalog.Store{one, two, one, two} {
			all.Go(func() {
				counted, err := s.RecordPlay(t.Context(), catalog.Play{
					SongID: ids[i%len(ids)], Listener: ann.Viewer(), PlayedAt: when.Add(time.Duration(i) * time.Hour),
					Idempotency: fmt.Sprint("once-", i),
				})
				if err != nil || !counted {
					t.Errorf("play %d: got counted %v, error %v; want true", i, counted, err)
				}
			})
		}
	}
	all.Wait()
	if n := queryInt(t, one, `SELECT count(*) FROM plays`); n != plays {
		t.Errorf("stored plays: got %d, want %d", n, plays)
	}
	if n := queryInt(t, one, `SELECT sum(play_count) FROM songs`); n != plays {
		t.Errorf("play counts of all songs: got %d, want %d", n, plays)
	}
	if n := queryInt(t, one, `SELECT play_count FROM artists`); n != plays {
		t.Errorf("play count of the artist: got %d, want %d", n, plays)
	}
	if err := one.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if changes := one.View().Revision - before; changes >= plays {
		t.Errorf("transactions for %d plays: got %d, want fewer", plays, changes)
	}
	_, err := two.RecordPlay(t.Context(),
		catalog.Play{SongID: ids[1], Listener: ann.Viewer(), PlayedAt: when, Idempotency: "once-0"})
	if kind(err) != fault.Conflict {
		t.Errorf("idempotency key of another play: got %v, want a conflict", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = two.RecordPlay(cancelled,
		catalog.Play{SongID: ids[1], Listener: ann.Viewer(), PlayedAt: when, Idempotency: "cancelled"})
	if err == nil {
		if n := queryInt(t, one, `SELECT count(*) FROM plays WHERE idempotency = 'cancelled'`); n != 1 {
			t.Errorf("acknowledged play of a cancelled request: stored %d times, want 1", n)
		}
	}
}

// TestIdempotencyKeyForTwoSongsConflicts sends plays of different songs under one key to two
// servers.
func TestIdempotencyKeyForTwoSongsConflicts(t *testing.T) {
	db := cluster.Database(t)
	one, two := open(t, catalog.Config{DB: db}), open(t, catalog.Config{DB: db})
	ids := ingest(t, one, songs(2)...)
	ann := createUser(t, one, "Ann")
	for i := range 20 {
		errs := make([]error, 2)
		var both sync.WaitGroup
		for side, s := range []*catalog.Store{one, two} {
			both.Go(func() {
				_, errs[side] = s.RecordPlay(t.Context(), catalog.Play{
					SongID: ids[side], Listener: ann.Viewer(), PlayedAt: time.UnixMilli(1e12).Add(time.Duration(i) * time.Hour),
					Idempotency: fmt.Sprint(i),
				})
			})
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || kind(errs[0]) != fault.Conflict && kind(errs[1]) != fault.Conflict {
			t.Errorf("round %d: got %v and %v, want one success and one conflict", i, errs[0], errs[1])
		}
	}
	if n := queryInt(t, one, `SELECT count(*) FROM plays`); n != 20 {
		t.Errorf("stored plays: got %d, want 20", n)
	}
}

// TestScanLockExcludesOtherServers ends the session of the lock's holder, as a database failure
// does.
func TestScanLockExcludesOtherServers(t *testing.T) {
	db := cluster.Database(t)
	one, two := open(t, catalog.Config{DB: db}), open(t, catalog.Config{DB: db})
	held, release, err := one.ScanAlone(t.Context(), func() { t.Error("waiting was called, but no other server scans") })
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	waiting, taken := make(chan struct{}), make(chan error, 1)
	go func() {
		_, release, err := two.ScanAlone(t.Context(), func() { close(waiting) })
		if err == nil {
			release()
		}
		taken <- err
	}()
	<-waiting
	select {
	case <-taken:
		t.Fatal("second server: got the scan lock, want it to wait")
	case <-held.Done():
		t.Fatal("first server: lost the scan lock, want it held")
	case <-time.After(200 * time.Millisecond):
	}
	_, err = catalog.Writer(one).ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks
		WHERE locktype = 'advisory' AND objid = 2 AND granted AND database = (SELECT oid FROM pg_database
		WHERE datname = current_database())`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		select {
		case err := <-taken:
			if err != nil {
				t.Error(err)
			}
		case <-held.Done():
			held = context.Background()
		case <-time.After(5 * time.Second):
			t.Fatal("5s after the lost session: want the other server to hold the lock and the holder notified")
		}
	}
}

// TestLeadershipPassesToAnotherServer stops the leader.
func TestLeadershipPassesToAnotherServer(t *testing.T) {
	db := cluster.Database(t)
	one, two := open(t, catalog.Config{DB: db}), open(t, catalog.Config{DB: db})
	led := make(chan *catalog.Store, 8)
	var leaders sync.WaitGroup
	lead := func(s *catalog.Store) (end context.CancelFunc) {
		ctx, end := context.WithCancel(t.Context())
		leaders.Go(func() {
			err := s.Lead(ctx, func(ctx context.Context) error {
				led <- s
				<-ctx.Done()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		return end
	}
	endOne := lead(one)
	if first := <-led; first != one {
		t.Fatal("first leader: got the second server, want the first")
	}
	endTwo := lead(two)
	select {
	case <-led:
		t.Fatal("second server: got the leadership, want it to wait")
	case <-time.After(200 * time.Millisecond):
	}
	endOne()
	select {
	case next := <-led:
		if next != two {
			t.Error("next leader: got the first server, want the second")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("no server became the leader within 5s")
	}
	endTwo()
	leaders.Wait()
}

// TestCurrentFailsWithoutTheDatabase disconnects a server from its database: within a second
// Current fails, and later it recovers.
func TestCurrentFailsWithoutTheDatabase(t *testing.T) {
	url := cluster.Database(t)
	proxy := testenv.NewProxy(t, cluster.Addr())
	s := open(t, catalog.Config{DB: strings.Replace(url, cluster.Addr(), proxy.Addr(), 1), Serves: true})
	for name, network := range map[string]struct{ fail, heal func() }{
		"cut":       {proxy.Cut, proxy.Restore},
		"half open": {func() { proxy.Blackhole(true) }, func() { proxy.Blackhole(false) }},
		"slow":      {func() { proxy.Latency(3 * time.Second) }, func() { proxy.Latency(0) }},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.Current(t.Context()); err != nil {
				t.Fatal(err)
			}
			network.fail()
			until(t, time.Second, "a stale view", func() bool { return s.Stats().ViewAge > 800*time.Millisecond })
			start := time.Now()
			if err := s.Current(t.Context()); kind(err) != fault.Unavailable || time.Since(start) > 4*time.Second {
				t.Errorf("Current without the database: got %v after %v, want an Unavailable fault within 4s",
					err, time.Since(start))
			}
			if s.Ping(t.Context()) == nil {
				t.Error("Ping without the database: got no error, want one")
			}
			network.heal()
			until(t, 5*time.Second, "the recovery", func() bool { return s.Current(t.Context()) == nil })
			until(t, 5*time.Second, "notifications to be received again", func() bool { return s.Stats().Listens })
		})
	}
}

// TestRevokedKeyEndsOnAllServers revokes a key on one server while another uses it.
func TestRevokedKeyEndsOnAllServers(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkRevocation(t, t.TempDir()+"/catalog.db") })
	t.Run("postgres", func(t *testing.T) { checkRevocation(t, cluster.Database(t)) })
}

func checkRevocation(t *testing.T, db string) {
	one, two := open(t, catalog.Config{DB: db}), open(t, catalog.Config{DB: db})
	createUser(t, one, "Ann")
	hash := strings.Repeat("ab", 32)
	key, err := one.CreateKey(t.Context(), catalog.NewKey{Name: "k", Hash: hash, Permissions: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	used, err := two.KeyByHash(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.RevokeKey(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	select {
	case <-used.Context().Done(): // an open stream ends without a request
	case <-time.After(time.Second):
		t.Error("context of the revoked key: got no cancellation within a second, want one")
	}
	if _, err := two.KeyByHash(t.Context(), hash); kind(err) != fault.Unauthenticated {
		t.Errorf("revoked key: got %v, want an Unauthenticated fault", err)
	}
}

// TestWaterLevelSharesARate compares computed limits with exact ones.
func TestWaterLevelSharesARate(t *testing.T) {
	for _, tt := range []struct {
		demands []float64
		rate    float64
		level   float64
	}{
		{[]float64{100}, 50, 50}, {[]float64{10}, 50, 50}, {[]float64{100, 100}, 50, 25}, {[]float64{100, 5}, 50, 45},
		{[]float64{5, 100, 20}, 50, 25}, {[]float64{10, 10, 10}, 50, 50}, {[]float64{100, 100, 4, 6}, 50, 20}, {nil, 50, 50},
	} {
		if got := catalog.WaterLevel(tt.demands, tt.rate); got != tt.level {
			t.Errorf("WaterLevel(%v, %g): got %g, want %g", tt.demands, tt.rate, got, tt.level)
		}
	}
}

// TestPlayQueriesUseIndexes reads the query plans of the statements of a play.
func TestPlayQueriesUseIndexes(t *testing.T) {
	s := openSQLite(t)
	for query, index := range map[string]string{
		catalog.KnownPlaysSQL("(CAST($1 AS BIGINT), CAST($2 AS TEXT))"):              "plays_once",
		catalog.NearbyPlaysSQL("(CAST($1 AS BIGINT), CAST($2 AS BIGINT))", "1", "2"): "plays_recent",
	} {
		rows, err := catalog.Reader(s).QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, 1, "2")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		plan := ""
		for rows.Next() {
			var id, parent, unused int
			var line string
			if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
				t.Fatal(err)
			}
			plan += line + "\n"
		}
		if err := rows.Err(); err != nil || !strings.Contains(plan, "SEARCH p USING INDEX "+index) {
			t.Errorf("plan of %s: got %s, error %v; want the index %s", query, plan, err, index)
		}
	}
}
