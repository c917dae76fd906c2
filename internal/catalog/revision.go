package catalog

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// counter names a row of the table counters.
type counter string

const (
	revision       counter = "revision"        // increases with every visible change
	songsListed    counter = "songs"           // number of available songs
	songsOrder     counter = "songs_order"     // increases when a song becomes unavailable or available again
	songsChanged   counter = "songs_changed"   // increases when any list of songs may have changed, except by plays
	artistsOrder   counter = "artists_order"   // increases when members or order of the list of artists change
	albumsOrder    counter = "albums_order"    // likewise
	playlistsOrder counter = "playlists_order" // likewise
	keysVersion    counter = "keys"            // increases when a key is created, changed or revoked

	timedPlaylists  counter = "timed_playlists" // number of playlists whose songs depend on the time
	personalVersion counter = "personal"        // increases when likes, ratings or plays of a user change
)

// View describes the catalog at one revision, for lists and caches. It may be slightly older than
// the rows, never newer.
type View struct {
	Revision int64
	// Epoch distinguishes databases with equal revisions: it is random, and changes when a catalog is
	// created or restored.
	Epoch string
	Songs int64 // available songs

	songsOrder     int64
	songsChanged   int64
	artistsOrder   int64
	albumsOrder    int64
	playlistsOrder int64
	timedPlaylists int64
	keys           int64

	personal  int64
	listeners map[int64]int64 // personal versions by number of the user; never modified

	superseded chan struct{}
}

// Superseded returns a channel that is closed when the store knows a newer view.
func (v View) Superseded() <-chan struct{} { return v.superseded }

// View returns the newest known view without a query.
func (s *Store) View() View {
	if s.pin != nil {
		return *s.pin.view
	}
	return *s.view.Load()
}

// scanBump is the least interval in which a scan raises the revision and so invalidates caches.
const scanBump = time.Second

// pendingBump records that a scan has written changes without raising the revision.
type pendingBump struct {
	mu     sync.Mutex
	dirty  bool
	bumped time.Time
}

// due reports whether a change may raise the revision now. If a scan has to wait, its next batch,
// follow or FinishScan raises it.
func (p *pendingBump) due(keep durability) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return keep == durable || time.Since(p.bumped) >= scanBump
}

// committed records a change, with or without a new revision.
func (p *pendingBump) committed(raised bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty = !raised
	if raised {
		p.bumped = time.Now()
	}
}

// waiting reports whether there are changes without a new revision.
func (p *pendingBump) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dirty
}

// left is how long follow waits for the next batch of a scan before it raises the revision itself.
func (p *pendingBump) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, 3*scanBump/2-time.Since(p.bumped))
}

// writeCounters adds the counts of a change to the counters.
func (t *tx) writeCounters(ctx context.Context) error {
	for _, c := range sortedKeys(t.bump) { // sorted, so that two changes cannot deadlock
		if t.bump[c] == 0 {
			continue
		}
		if _, err := t.ExecContext(ctx, `UPDATE counters SET value = value + $1 WHERE name = $2`, t.bump[c],
			string(c)); err != nil {
			return fmt.Errorf("raise %s: %w", c, err)
		}
	}
	if err := t.writeVersions(ctx); err != nil {
		return err
	}
	if t.bump[revision] == 0 && len(t.listeners) == 0 || t.d.announce == nil {
		return nil
	}
	if err := t.d.announce(ctx, t, t.sender); err != nil {
		return fmt.Errorf("notify other servers: %w", err)
	}
	return nil
}

// FinishScan publishes everything written so far under a new revision. IngestSongs does so at most
// once per second.
func (s *Store) FinishScan(ctx context.Context) error {
	if !s.scanned.waiting() {
		return nil
	}
	return s.change(ctx, durable, func(*tx) error { return nil })
}

// reload reads the counters and publishes them as the view if their revision is new. On success the
// view is confirmed for the time at which reload began.
func (s *Store) reload(ctx context.Context) error {
	begun := time.Now()
	if err := s.readView(ctx); err != nil {
		return err
	}
	s.staleness.confirm(begun)
	return s.refreshKeys(ctx, s.View().keys)
}

func (s *Store) readView(ctx context.Context) error {
	rows, err := s.read.QueryContext(ctx, `SELECT name, value FROM counters`)
	if err != nil {
		return fmt.Errorf("read the revision: %w", err)
	}
	defer rows.Close()
	values := make(map[counter]int64)
	for rows.Next() {
		var name string
		var value int64
		if err := rows.Scan(&name, &value); err != nil {
			return fmt.Errorf("read the revision: %w", err)
		}
		values[counter(name)] = value
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the revision: %w", err)
	}
	s.notePosition(ctx) // before the view is known, so that no request uses a replica that lacks it
	read := &View{
		Revision: values[revision], Songs: values[songsListed], songsOrder: values[songsOrder],
		songsChanged: values[songsChanged],
		artistsOrder: values[artistsOrder], albumsOrder: values[albumsOrder],
		playlistsOrder: values[playlistsOrder], keys: values[keysVersion],
		timedPlaylists: values[timedPlaylists], personal: values[personalVersion],
		superseded: make(chan struct{}),
	}
	for {
		known := s.view.Load()
		if known != nil {
			if known.Revision >= read.Revision && known.personal >= read.personal {
				return nil // a later reload was faster
			}
			read.Epoch = known.Epoch
		} else if read.Epoch, err = s.setting(ctx, settingEpoch); err != nil {
			return err
		}
		if err := s.readVersions(ctx, read, known); err != nil {
			return err
		}
		if s.view.CompareAndSwap(known, read) {
			if known != nil {
				close(known.superseded)
			}
			return nil
		}
	}
}
