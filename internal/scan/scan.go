// Package scan makes catalog rows of music folders: it looks through them, reads the tags of what is new, recognises songs
// that were moved or changed, and finds covers and playlists.
//
// Folders are opened as os.Root, so nothing outside of them can be reached. Links inside a music folder are not
// followed: what they lead to within the folder is found where it really is, and what they lead to outside of
// it must be named as a music folder of its own.
package scan

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// Scanner keeps a catalog in step with its music folders. Its methods may be called by many goroutines.
type Scanner struct {
	store    *catalog.Store
	roots    []Root
	log      *slog.Logger
	pictures pictureCache
	slot     chan struct{} // holds one token: one scan runs at a time
	lock     Lock          // and in this or any other process
	progress atomic.Pointer[tracker]
	totals   totals
	// remember is how many new files a scan keeps in mind before it reads them; with more it looks twice.
	maxPending int
	watch      atomic.Pointer[watcher] // of Run; nil: none
}

// Lock waits until no other process scans into the same catalog, and keeps it so until release is called.
// held ends before that when it cannot be kept so, because the database went away.
type Lock func(ctx context.Context) (held context.Context, release func(), err error)

// New returns a scanner of the given roots. alone may be nil where no other process can scan.
func New(store *catalog.Store, roots []Root, lock Lock, log *slog.Logger) *Scanner {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if lock == nil {
		lock = func(ctx context.Context) (context.Context, func(), error) { return ctx, func() {}, nil }
	}
	s := &Scanner{store: store, roots: roots, log: log, slot: make(chan struct{}, 1), lock: lock, maxPending: 20_000}
	s.slot <- struct{}{}
	s.progress.Store(newTracker(time.Time{}))
	return s
}

// Options say how thorough a scan is.
type Options struct {
	Full   bool // read every file, also those that have not changed
	DryRun bool // change nothing, only report
	// Forget decides about folders that the catalog knows and this scanner was not given: whether their songs are lost.
	// Those of the others stay as they are. nil: of none.
	Forget func(root string) bool
}

// Report is the outcome of a scan.
type Report struct {
	Files       int // that can be songs
	Unchanged   int
	Added       int
	Changed     int               // same place, other content or tags
	Moved       int               // same song in another place
	Restored    int               // unavailable before, there again
	Missing     int               // unavailable from now on
	Problems    int               // could not be read
	Unavailable []UnavailableRoot // music folders of which nothing can be said: their songs stay as they are
	Unreadable  []string          // folders within music folders that could not be looked into: likewise
	Playlists   []PlaylistReport
	Took        time.Duration
}

// UnavailableRoot is a music folder that is not there, cannot be looked into, or is empty though the catalog has songs of it:
// a disk that is not mounted leaves such a folder behind.
type UnavailableRoot struct {
	Folder string
	Reason string
}

// Scan looks through all roots once and brings the catalog up to date. It waits while another scan runs. After an
// error, or the end of ctx, everything written so far is kept, and the next scan goes on from there.
func (s *Scanner) Scan(ctx context.Context, opts Options) (Report, error) {
	select {
	case <-ctx.Done():
		return Report{}, ctx.Err()
	case <-s.slot:
	}
	defer func() { s.slot <- struct{}{} }()
	held, release, err := s.lock(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("wait for another scan: %w", err)
	}
	defer release()
	began := time.Now()
	p := newTracker(began)
	s.progress.Store(p)
	r := &run{Scanner: s, opts: opts, progress: p}
	err = r.scan(held)
	if err != nil && held.Err() != nil && ctx.Err() == nil {
		err = fault.Wrap(fault.Unavailable, err, "the catalog's database went away, so another process may be scanning now")
	}
	r.report.Took = time.Since(began)
	p.finish(err)
	s.totals.add(p.snapshot(time.Now()), err)
	if err != nil {
		return r.report, fmt.Errorf("scan: %w", err)
	}
	return r.report, nil
}

// Progress tells how far the running scan is, or how the last one ended.
func (s *Scanner) Progress() Progress { return s.progress.Load().snapshot(time.Now()) }
