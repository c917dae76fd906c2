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
	revision       counter = "revision"        // grows with every change that a reader can see
	songsListed    counter = "songs"           // how many songs the list of songs holds
	songsOrder     counter = "songs_order"     // grows when a song leaves the list or comes back
	artistsOrder   counter = "artists_order"   // grows when the list of artists changes its members or order
	albumsOrder    counter = "albums_order"    // likewise
	playlistsOrder counter = "playlists_order" // likewise
	keysVersion    counter = "keys"            // grows when a key is made, changed or revoked
)

// View is the catalog at one revision, as far as lists and caches must know it. It may be a moment
// older than the rows, never newer.
type View struct {
	Revision int64
	// Epoch tells two databases apart whose revisions meet: it is drawn anew when a catalog is
	// made or restored.
	Epoch string
	Songs int64 // in the list of songs

	songsOrder     int64
	artistsOrder   int64
	albumsOrder    int64
	playlistsOrder int64
	keys           int64

	superseded chan struct{}
}

// Superseded returns a channel that is closed when the store knows a newer view.
func (v View) Superseded() <-chan struct{} { return v.superseded }

// View returns the newest known view without asking the database.
func (s *Store) View() View { return *s.view.Load() }

// scanBump is how often a scan may empty every cache.
const scanBump = time.Second

// pendingBump remembers that a scan has written more than its revision says.
type pendingBump struct {
	mu     sync.Mutex
	dirty  bool
	bumped time.Time
}

// due reports whether a change of this kind may raise the revision now. A scan that raised it a
// moment ago must wait; then the next batch, follow or FinishScan raises it.
func (p *pendingBump) due(keep durability) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return keep == durable || time.Since(p.bumped) >= scanBump
}

// committed notes a change, with or without a new revision.
func (p *pendingBump) committed(raised bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty = !raised
	if raised {
		p.bumped = time.Now()
	}
}

// waiting reports whether something was written that no revision shows.
func (p *pendingBump) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dirty
}

// left is how long a scan may still take to raise the revision itself, with its next batch; then it
// has paused, and follow does it.
func (p *pendingBump) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, 3*scanBump/2-time.Since(p.bumped))
}

// writeCounters adds up what a change counted.
func (t *tx) writeCounters(ctx context.Context) error {
	for _, c := range sortedKeys(t.bump) { // in one order, so that two changes cannot lock each other out
		if t.bump[c] == 0 {
			continue
		}
		if _, err := t.ExecContext(ctx, `UPDATE counters SET value = value + $1 WHERE name = $2`, t.bump[c], string(c)); err != nil {
			return fmt.Errorf("raise %s: %w", c, err)
		}
	}
	if t.bump[revision] == 0 || t.d.announce == nil {
		return nil
	}
	if err := t.d.announce(ctx, t, t.by); err != nil {
		return fmt.Errorf("tell of a change: %w", err)
	}
	return nil
}

// FinishScan makes everything written so far visible under a new revision, which IngestSongs does
// at most once a second.
func (s *Store) FinishScan(ctx context.Context) error {
	if !s.scanned.waiting() {
		return nil
	}
	return s.change(ctx, durable, func(*tx) error { return nil })
}

// reload reads the counters and publishes them as the view if their revision is new. When it
// succeeds, the view is proven for the moment at which it began.
func (s *Store) reload(ctx context.Context) error {
	begun := time.Now()
	if err := s.readView(ctx); err != nil {
		return err
	}
	s.fresh.prove(begun)
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
	fresh := &View{
		Revision: values[revision], Songs: values[songsListed], songsOrder: values[songsOrder],
		artistsOrder: values[artistsOrder], albumsOrder: values[albumsOrder],
		playlistsOrder: values[playlistsOrder], keys: values[keysVersion], superseded: make(chan struct{}),
	}
	for {
		known := s.view.Load()
		if known != nil {
			if known.Revision >= fresh.Revision {
				return nil // a reload that began later has been here
			}
			fresh.Epoch = known.Epoch
		} else if fresh.Epoch, err = s.setting(ctx, settingEpoch); err != nil {
			return err
		}
		if s.view.CompareAndSwap(known, fresh) {
			if known != nil {
				close(known.superseded)
			}
			return nil
		}
	}
}
