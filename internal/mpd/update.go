package mpd

import (
	"context"
	"strings"
	"sync"
	"time"
)

const (
	minScanPoll = 20 * time.Millisecond
	maxScanPoll = 500 * time.Millisecond
	leaveAfter  = 30 * time.Second // after the last client, the catalog is no longer followed
)

// updates numbers the scans of the catalog, as clients see them.
type updates struct {
	mu     sync.Mutex
	job    int
	active bool
	begun  int // how often a scan was noticed or requested
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
	u.begun++
	if u.active {
		return u.job, false
	}
	u.job++
	u.active = true
	return u.job, true
}

// count is the value for end.
func (u *updates) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.begun
}

// end marks the scan as ended, unless another one has begun since count was read.
func (u *updates) end(count int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.begun == count {
		u.active = false
	}
	return !u.active
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
	s.srv.songs.await(ctx) // what the scan finds must count as a change
	if _, err := s.srv.cfg.Catalog.StartScan(ctx, full); err != nil {
		return catalogError(err, "the catalog is too old to start a scan")
	}
	s.out.number("updating_db", s.srv.beginUpdate())
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

// beginUpdate reports a scan that is running, unless that is known, and returns its number.
func (s *Server) beginUpdate() (job int) {
	job, begun := s.updates.begin()
	if begun {
		s.hub.notify(eventUpdate)
		go s.followScan(s.ctx)
	}
	return job
}

// followScan waits for the end of the scan and reports it, and what has changed with it.
func (s *Server) followScan(ctx context.Context) {
	for wait := minScanPoll; ; wait = min(2*wait, maxScanPoll) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		count := s.updates.count()
		version, running := s.scanState(ctx)
		if running {
			continue
		}
		changed := s.songs.note(version, time.Now()) // before clients see the end
		if !s.updates.end(count) {
			s.reportScan(0, changed)
			continue
		}
		// A change that was reported between the reply and the end was left to this function.
		version, _ = s.scanState(ctx)
		s.reportScan(eventUpdate, s.songs.note(version, time.Now()) || changed)
		return
	}
}

// scanState returns the version of the songs and whether a scan is running.
func (s *Server) scanState(ctx context.Context) (version string, running bool) {
	scan, err := s.cfg.Catalog.Scan(ctx)
	if err != nil || scan.SongsVersion == "" { // unreachable, or too old: the songs may have changed
		return "unknown", err == nil && scan.Running
	}
	return scan.SongsVersion, scan.Running
}

func (s *Server) reportScan(e events, changed bool) {
	if changed {
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
		watched, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.followRevisions(watched)
		}()
		s.awaitLeave(ctx)
		stop()
		<-done
		s.songs.forget(s.clients.Load() > 0)
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
	for r, err := range s.cfg.Catalog.Revisions(ctx) {
		if err != nil {
			s.songs.release()
			continue // it reconnects
		}
		if r.SongsVersion == "" { // an older catalog
			r.SongsVersion = r.Revision
		}
		s.checkSongs(ctx, r.SongsVersion, first)
		now := s.fingerprint(ctx)
		if !first && now != lists {
			s.hub.notify(eventStoredPlaylist)
		}
		lists, first = now, false
	}
}

// checkSongs reports changed songs. What a running scan changes is reported at its end.
func (s *Server) checkSongs(ctx context.Context, version string, first bool) {
	if !first {
		if s.songs.has(version) {
			return
		}
		if _, running := s.scanState(ctx); running {
			s.beginUpdate()
			return
		}
	}
	if first || s.updates.running() == 0 {
		s.reportScan(0, s.songs.note(version, time.Now()))
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
