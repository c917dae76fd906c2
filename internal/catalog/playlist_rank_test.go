package catalog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// longPlaylist creates a playlist with n entries.
func longPlaylist(t *testing.T, s *catalog.Store, owner catalog.Viewer, ids []string, n int) catalog.Playlist {
	t.Helper()
	list := make([]string, n)
	for i := range list {
		list[i] = ids[i%len(ids)]
	}
	p, err := s.CreatePlaylist(t.Context(), owner, catalog.NewPlaylist{Name: "Long", SongIDs: list})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ranks returns the ranks of all entries in the database.
func ranks(t *testing.T, s *catalog.Store) (all []int64) {
	t.Helper()
	rows, err := catalog.Reader(s).QueryContext(t.Context(), `SELECT rank FROM playlist_entries ORDER BY rank`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var rank int64
		if err := rows.Scan(&rank); err != nil {
			t.Fatal(err)
		}
		all = append(all, rank)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Inserting at one position again and again rewrites the ranks of the nearest entries only.
func TestInsertsIntoTheMiddleRewriteFewEntries(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		const inserts = 60
		length := testenv.Size(3000, 3000, 30000)
		ids := ingest(t, s, songs(4)...)
		ann := createUser(t, s, "Ann").Viewer()
		p := longPlaylist(t, s, ann, ids[:3], length)
		at := int64(length / 2)
		before, moved := ranks(t, s), 0
		for range inserts {
			if _, err := s.AddSongs(t.Context(), ann, p.ID, ids[3:], &at); err != nil {
				t.Fatal(err)
			}
			now := ranks(t, s)
			for _, rank := range now {
				if _, known := slices.BinarySearch(before, rank); !known {
					moved++
				}
			}
			before = now
		}
		if average := moved / inserts; average > 60 || len(before) != length+inserts {
			t.Errorf("got %d entries rewritten per insert and %d entries, want at most 60 and %d", average, len(before),
				length+inserts)
		}
		entries, _, err := s.PlaylistSongs(t.Context(), ann, p.ID, catalog.Page{Number: at/inserts + 1, Limit: inserts})
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range entries {
			if e.ID != ids[3] {
				t.Fatalf("entry %d after the position is %s, want %s", i, e.ID, ids[3])
			}
		}
		t.Logf("%d entries rewritten per insert", moved/inserts)
	})
}

// The holder of a write key cannot delay its revocation by inserting into a long playlist, neither
// in the server nor in the process of a command.
func TestRevocationGoesBeforeOtherChanges(t *testing.T) {
	length := testenv.Size(3000, 20000, 400000)
	file := filepath.Join(t.TempDir(), "catalog.db")
	server, command := open(t, catalog.Config{DB: file, Serves: true}), open(t, catalog.Config{DB: file})
	ids := ingest(t, server, songs(4)...)
	ann := createUser(t, server, "Ann").Viewer()
	p := longPlaylist(t, server, ann, ids, length)
	const revocations, attempts, mostInserts, mostTime = 8, 3, 8, 3 * time.Second
	var keys []catalog.Key
	for i := range revocations * attempts {
		key, err := server.CreateKey(t.Context(), catalog.NewKey{Name: fmt.Sprint("key ", i),
			Hash: fmt.Sprintf("%064d", i), Owner: "ann", Permissions: []string{"write"}})
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	var inserted atomic.Int64
	for range 16 {
		writers.Go(func() {
			for at := int64(length / 2); ctx.Err() == nil; {
				if _, err := server.AddSongs(ctx, ann, p.ID, ids[:1], &at); err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				inserted.Add(1)
			}
		})
	}
	time.Sleep(200 * time.Millisecond)
	slowest, waited, repeated := time.Duration(0), int64(0), 0 // waited: inserts that went first
	for i := range revocations {
		store := server
		if i%2 == 1 {
			store = command
		}
		// On a busy machine this goroutine may be stopped before its change is queued. Then it is
		// repeated with another key, and the result says so.
		for attempt := range attempts {
			begun, before := time.Now(), inserted.Load()
			if err := store.RevokeKey(t.Context(), keys[i*attempts+attempt].ID); err != nil {
				t.Error(err)
			}
			took, first := time.Since(begun), inserted.Load()-before
			if last := attempt == attempts-1; last || took <= mostTime && first <= mostInserts {
				slowest, waited, repeated = max(slowest, took), max(waited, first), repeated+attempt
				break
			}
		}
	}
	stop()
	writers.Wait()
	if waited > mostInserts || slowest > mostTime {
		t.Errorf("a revocation waited for %d inserts, the slowest took %s; want at most %d and %s",
			waited, slowest, mostInserts, mostTime)
	}
	testenv.Report(t, testenv.Revocation, testenv.Tally{Inputs: revocations, Note: fmt.Sprintf(
		"during inserts of 16 writers into the middle of a playlist, revocations by the server and by a command: "+
			"%d ms and %d inserts at most, %d repeated; %s", slowest.Milliseconds(), waited, repeated,
		testenv.TriedOf(length, 400000, "entries"))})
}
