// Package scan updates the catalog from music folders: it finds new and changed files, reads their
// tags, recognises songs that were moved, and imports covers and playlists.
//
// Package library opens and lists the files. Nothing outside of a music folder can be reached, and
// symbolic links are not followed.
package scan

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
)

// Scanner updates a catalog from its music folders. Its methods are safe for concurrent use.
type Scanner struct {
	store    *catalog.Store
	roots    []library.Root
	log      *slog.Logger
	pictures pictureCache
	slot     chan struct{} // holds one value; a scan takes it, so that one runs at a time
	lock     Lock          // against scans of other processes
	find     func(name string) (library.Root, error)
	progress atomic.Pointer[tracker]
	totals   totals
	// maxPending is how many new files a scan holds in memory before it reads them; with more, it
	// walks the folders twice.
	maxPending int
	// mostCompared limits the pairs of playlist entries and files with the same name.
	mostCompared int
	watch        atomic.Pointer[watcher] // nil unless Run is running
}

// Lock waits for a lock that excludes scans of the same catalog by other processes. release
// releases it. held ends early if the lock is lost with the connection to the database.
type Lock func(ctx context.Context) (held context.Context, release func(), err error)

// New returns a scanner of the given roots. lock may be nil if no other process can scan.
func New(store *catalog.Store, roots []library.Root, lock Lock, log *slog.Logger) *Scanner {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if lock == nil {
		lock = func(ctx context.Context) (context.Context, func(), error) { return ctx, func() {}, nil }
	}
	s := &Scanner{
		store: store, roots: roots, log: log, slot: make(chan struct{}, 1), lock: lock, maxPending: 20_000,
		mostCompared: 100_000_000, find: findFolder,
	}
	s.slot <- struct{}{}
	s.progress.Store(newTracker(time.Time{}))
	return s
}

// Options are the options of a scan.
type Options struct {
	Full   bool // read unchanged files too
	DryRun bool // report without writing
	// Forget reports whether the songs of a root in the catalog that is not a root of this scanner
	// become unavailable. nil: the songs of all such roots stay as they are.
	Forget func(root string) bool
}

// Report is the result of a scan.
type Report struct {
	Files       int // audio files
	Unchanged   int
	Added       int
	Changed     int               // same path, other content or tags
	Moved       int               // same song at another path
	Restored    int               // available again
	Missing     int               // unavailable from now on
	Problems    int               // files that cannot be read
	Lyrics      int               // songs of which only files of lyrics beside them have changed
	Unavailable []UnavailableRoot // their songs stay as they are
	Unreadable  []string          // folders in music folders that cannot be listed; likewise
	Playlists   []PlaylistReport
	Took        time.Duration
	// Retry is set if the listing of a bucket failed: the next scan should not wait long.
	Retry bool
}

// UnavailableRoot is a music folder that does not exist, cannot be listed, or is empty though the
// catalog has songs from it, like the mount point of a disk that is not mounted.
type UnavailableRoot struct {
	Folder string
	Reason string
}

// Scan scans all roots once and updates the catalog. It waits while another scan runs. After an
// error or the end of ctx, the catalog keeps what is written, and the next scan continues from
// there.
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
	start := time.Now()
	p := newTracker(start)
	s.progress.Store(p)
	r := &run{Scanner: s, opts: opts, progress: p}
	err = r.scan(held)
	if err != nil && held.Err() != nil && ctx.Err() == nil {
		err = fault.Wrap(fault.Unavailable, err,
			"the database connection was lost, and with it the scan lock; scan again")
	}
	r.report.Took = time.Since(start)
	if err == nil && r.incomplete && !opts.DryRun {
		r.report.Retry = true
	}
	p.finish(err)
	s.totals.add(p.snapshot(time.Now()), err)
	if err != nil {
		return r.report, fmt.Errorf("scan: %w", err)
	}
	return r.report, nil
}

// Progress returns the progress of the running scan, or the end of the last one.
func (s *Scanner) Progress() Progress { return s.progress.Load().snapshot(time.Now()) }
