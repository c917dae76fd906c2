package mpd

import (
	"context"
	"strings"
	"sync"
	"time"

	"waxwing/api/catalogapi"
)

const (
	scanPoll   = 500 * time.Millisecond
	leaveAfter = 30 * time.Second // after the last client, the catalog is no longer followed
)

// updates numbers the scans of the catalog, as clients see them.
type updates struct {
	mu     sync.Mutex
	job    int
	active bool
	last   catalogapi.Scan // the last one that has ended, as far as known
}

// running returns the number of the running scan, or 0.
func (u *updates) running() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.active {
		return u.job
	}
	return 0
}

// begin marks a scan as running. It reports false if one was running already.
func (u *updates) begin() (job int, begun bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.active {
		return u.job, false
	}
	u.job++
	u.active = true
	return u.job, true
}

// end marks the scan as ended. It reports whether one was running, and whether the songs have
// changed since the last one that is known.
func (u *updates) end(scan catalogapi.Scan) (ended, changed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	ended, u.active = u.active, false
	same := scan.FinishedAt == nil || u.last.FinishedAt != nil && *scan.FinishedAt == *u.last.FinishedAt
	changed = !same && scan.SongsAdded+scan.SongsChanged+scan.SongsMissing > 0
	u.last = scan
	return ended, changed
}

// update starts a scan. The catalog always scans everything; the path only has to be valid.
func (s *session) update(args []string, full bool) error {
	if len(args) == 1 {
		if err := checkURI(args[0]); err != nil || hasDots(args[0]) {
			return ack(codeArg, "Malformed path")
		}
	}
	ctx, cancel := context.WithTimeout(s.ctx, requestTime)
	defer cancel()
	before, err := s.srv.cfg.Catalog.StartScan(ctx, full)
	if err != nil {
		return catalogError(err, "the catalog is too old to start a scan")
	}
	job, begun := s.srv.updates.begin()
	if begun {
		s.srv.hub.notify(eventUpdate)
		go s.srv.followScan(s.srv.ctx, before)
	}
	s.out.number("updating_db", job)
	return nil
}

// hasDots reports whether a path has an element that is "..".
func hasDots(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." || part == "." {
			return true
		}
	}
	return false
}

// followScan waits for the end of a scan that was requested after before was read.
func (s *Server) followScan(ctx context.Context, before catalogapi.Scan) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(scanPoll):
		}
		scan, err := s.cfg.Catalog.Scan(ctx)
		if err != nil {
			s.endUpdate(before)
			return
		}
		again := scan.StartedAt != nil && (before.StartedAt == nil || *scan.StartedAt != *before.StartedAt || before.Running)
		if again && !scan.Running {
			s.endUpdate(scan)
			return
		}
	}
}

// endUpdate reports the end of a scan.
func (s *Server) endUpdate(scan catalogapi.Scan) {
	ended, changed := s.updates.end(scan)
	var e events
	if ended {
		e |= eventUpdate
	}
	if changed {
		s.songs.changed(time.Now())
		e |= eventDatabase
	}
	s.hub.notify(e)
}

// followCatalog reports changes of the songs and playlists of the catalog, while there are clients.
func (s *Server) followCatalog(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.present:
		}
		// What changed before is unknown: the next client reads everything anew.
		s.songs.changed(time.Time{})
		watched, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.followRevisions(watched)
		}()
		s.awaitLeave(ctx)
		stop()
		<-done
	}
}

// awaitLeave returns when there have been no clients for a while.
func (s *Server) awaitLeave(ctx context.Context) {
	tick := time.NewTicker(leaveAfter)
	defer tick.Stop()
	for gone := 0; gone < 2; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if gone++; s.clients.Load() > 0 {
			gone = 0
		}
	}
}

func (s *Server) followRevisions(ctx context.Context) {
	lists := ""
	first := true
	for _, err := range s.cfg.Catalog.Revisions(ctx) {
		if err != nil {
			continue // it reconnects
		}
		now := s.fingerprint(ctx)
		if !first && now != lists {
			s.hub.notify(eventStoredPlaylist)
		}
		lists = now
		s.checkScan(ctx, first)
		first = false
	}
}

// checkScan finds out whether a scan has changed the songs. A scan that is running is followed to
// its end.
func (s *Server) checkScan(ctx context.Context, first bool) {
	scan, err := s.cfg.Catalog.Scan(ctx)
	switch {
	case err != nil:
	case first && !scan.Running:
		s.updates.end(scan)
	case scan.Running:
		if _, begun := s.updates.begin(); begun {
			s.hub.notify(eventUpdate)
			before := scan
			before.Running = true
			s.followScan(ctx, before)
		}
	default:
		s.endUpdate(scan)
	}
}

// fingerprint describes the stored playlists; it changes when they do.
func (s *Server) fingerprint(ctx context.Context) string {
	all, err := s.playlists.list(ctx)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.id + p.name + utc(p.modified.Unix()) + p.modified.Format(".000") + "\n")
	}
	return b.String()
}
