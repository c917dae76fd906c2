package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	sumAtOnce = 4096            // plays that are added to the counts in one transaction
	sumTime   = 2 * time.Second // that a reader waits for the counts
	sumRetry  = 5 * time.Second // between attempts that fail
)

// newPlays adds the rows of the table new_plays to the counts of personal before they are read.
type newPlays struct {
	lock    chan struct{}
	summed  atomic.Int64 // value of the counter personal up to which counts are complete
	waiting atomic.Int64 // rows that this process wrote since
	failed  atomic.Int64 // time of the last attempt that failed, milliseconds; 0: it succeeded
}

func newNewPlays() *newPlays { return &newPlays{lock: make(chan struct{}, 1)} }

// sumPlays completes the counts of personal. Readers of counts call it first. If the database
// cannot be written now, they read the counts without the newest plays.
func (s *Store) sumPlays(ctx context.Context) {
	n := s.newPlays
	if s.pin != nil {
		s.pin.needSummed()
		return
	}
	if n.summed.Load() >= s.View().personal {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sumTime)
	defer cancel()
	select {
	case n.lock <- struct{}{}:
		defer func() { <-n.lock }()
	case <-ctx.Done():
		return
	}
	failed := n.failed.Load()
	if failed > 0 && s.now().UnixMilli()-failed < sumRetry.Milliseconds() {
		return
	}
	at := s.View().personal
	if n.summed.Load() >= at {
		return
	}
	if err := s.sumAll(ctx, failed > 0); err != nil {
		n.failed.Store(s.now().UnixMilli())
		s.log.WarnContext(ctx, "cannot count new plays; retrying later", "err", err)
		return
	}
	s.notePosition(ctx) // replicas must have the counts
	n.failed.Store(0)
	n.waiting.Store(0)
	n.summed.Store(max(at, n.summed.Load()))
}

// sumAll adds all new plays. late says that readers have seen counts without them, so that the
// versions of the users must rise.
func (s *Store) sumAll(ctx context.Context, late bool) error {
	for {
		var waiting bool
		err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM new_plays)`).Scan(&waiting)
		if err != nil || !waiting {
			return err
		}
		// If a power cut undoes this transaction, the rows of new_plays are there again.
		err = s.change(ctx, repeated, func(t *tx) error {
			t.invisible = true
			listeners, err := t.sumPlays(ctx)
			for _, listener := range listeners {
				if late {
					t.touch(listener)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
}

// sumPlays moves rows of new_plays to the counts of personal, and returns their listeners. An album
// or artist gets the plays of a song that it has at that time.
func (t *tx) sumPlays(ctx context.Context) (listeners []int64, err error) {
	plays := make(map[listening]*heard)
	songs := make(map[int64]bool)
	users := make(map[int64]bool)
	_, err = collect(ctx, t, "read new plays", func(rows *sql.Rows) (none struct{}, err error) {
		var l listening
		var h heard
		err = rows.Scan(&l.listener, &l.song, &h.plays, &h.last)
		if plays[l] == nil {
			plays[l] = &heard{}
		}
		plays[l].add(&h)
		songs[l.song], users[l.listener] = true, true
		return none, err
	}, fmt.Sprintf(`DELETE FROM new_plays WHERE num IN (SELECT num FROM new_plays ORDER BY num LIMIT %d)
		RETURNING listener, song, play_count, last_played_at`, sumAtOnce))
	if err != nil || len(plays) == 0 {
		return nil, err
	}
	nums := t.d.list(sortedKeys(songs))
	albums := make(map[int64]int64, len(songs))
	// The rows are locked, so that a concurrent scan does not move a song to another album.
	_, err = collect(ctx, t, "read the albums of plays", func(rows *sql.Rows) (none struct{}, err error) {
		var song, album int64
		err = rows.Scan(&song, &album)
		albums[song] = album
		return none, err
	}, `SELECT num, coalesce(album, 0) FROM songs WHERE `+t.d.among("num")+` ORDER BY num`+t.d.rowLock, nums)
	if err != nil {
		return nil, err
	}
	credited, err := t.creditedArtists(ctx, sortedKeys(songs))
	if err != nil {
		return nil, err
	}
	return sortedKeys(users), t.countPersonal(ctx, plays, albums, credited)
}

// add adds plays of the same listener.
func (h *heard) add(more *heard) {
	h.plays += more.plays
	h.last = max(h.last, more.last)
}

// insertNewPlays stores plays for the next sumPlays and raises the versions of their listeners.
func (t *tx) insertNewPlays(ctx context.Context, plays map[listening]*heard) error {
	rows := make([][]any, 0, len(plays))
	for l, h := range plays {
		t.touch(l.listener)
		rows = append(rows, []any{l.listener, l.song, h.plays, h.last})
	}
	return t.insertValues(ctx, "insert new plays", "new_plays", "listener, song, play_count, last_played_at", rows, "")
}
