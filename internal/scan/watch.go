package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Schedule says when Run scans after its first scan.
type Schedule struct {
	// Every is the interval of scheduled scans; 0 disables them.
	Every time.Duration
	// Watch scans after changes in a music folder.
	Watch bool
	// Debounce is how long no change must follow before a scan starts; 0 means two seconds. With
	// continuous changes, a scan starts after 15 times that long.
	Debounce time.Duration
	// Forget is passed to the scans in their Options.
	Forget func(root string) bool
}

// A failed scan is retried with exponential backoff.
const (
	minRetry = 3 * time.Second
	maxRetry = time.Minute
)

// Run scans at once, after changes and on schedule, until ctx ends. A failed scan is retried; only
// the first failure in a row is logged as an error.
func (s *Scanner) Run(ctx context.Context, schedule Schedule) error {
	if schedule.Debounce <= 0 {
		schedule.Debounce = 2 * time.Second
	}
	w := s.newWatcher(schedule.Watch)
	defer w.close()
	s.watch.Store(w)
	defer s.watch.Store(nil)
	retry := time.Duration(0)
	for {
		again, err := s.scanOnce(ctx, Options{Forget: schedule.Forget}, retry > 0)
		if ctx.Err() != nil {
			return nil
		}
		next := schedule
		if err == nil && !again {
			retry = 0
		} else {
			retry = min(max(2*retry, minRetry), maxRetry)
			next.Every = retry
		}
		w.dropVanished()
		if err := w.wait(ctx, next); err != nil {
			return nil // ctx is done
		}
	}
}

// scanOnce scans and logs the result. retry is set if the scan before it failed or was incomplete;
// again reports that this one was incomplete.
func (s *Scanner) scanOnce(ctx context.Context, opts Options, retry bool) (again bool, err error) {
	stop := s.logProgress()
	report, err := s.Scan(ctx, opts)
	stop()
	switch {
	case ctx.Err() != nil:
	case err != nil && retry:
		s.log.Debug("scan failed again", "err", err)
	case err != nil:
		s.log.Error("scan failed; it will be retried", "err", err)
	default:
		s.log.Info("music folders scanned", "files", report.Files, "added", report.Added,
			"changed", report.Changed, "moved", report.Moved, "restored", report.Restored,
			"missing", report.Missing, "problems", report.Problems,
			"took", report.Took.Round(time.Millisecond))
	}
	return report.Retry, err
}

// progressInterval is how often the progress of a long scan is logged.
const progressInterval = 10 * time.Second

// logProgress logs the progress of the scan until stop is called.
func (s *Scanner) logProgress() (stop func()) {
	done := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if p := s.Progress(); p.Running() {
				s.log.Info("scanning", "done", p.Done, "of", p.Total, "added", p.Added,
					"problems", p.Problems, "left", p.ETA.Round(time.Second))
			}
		}
	})
	return func() { close(done); work.Wait() }
}

// watcher reports changes in folders. Without file notifications (notify is nil) it reports none.
type watcher struct {
	notify *fsnotify.Watcher
	log    *slog.Logger

	mu           sync.Mutex
	added        map[string]bool
	seen         map[string]bool // listed by scans since the last dropVanished
	limitReached bool            // logged once
}

func (s *Scanner) newWatcher(wanted bool) *watcher {
	w := &watcher{log: s.log, added: map[string]bool{}, seen: map[string]bool{}}
	if !wanted {
		return w
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		s.log.Warn("cannot watch music folders; changes are found by scheduled scans only", "err", err)
		return w
	}
	w.notify = notify
	return w
}

func (w *watcher) close() {
	if w.notify != nil {
		if err := w.notify.Close(); err != nil {
			w.log.Warn("cannot stop watching music folders", "err", err)
		}
	}
}

// add watches a folder that is about to be listed, so that no change falls between the listing and
// the watch. A scan calls it from many goroutines.
func (w *watcher) add(dir string) {
	if w.notify == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[dir] = true
	if w.added[dir] || w.limitReached {
		return
	}
	err := w.notify.Add(dir)
	switch {
	case err == nil:
		w.added[dir] = true
	case errors.Is(err, fs.ErrNotExist): // removed meanwhile
	default:
		w.limitReached = isWatchLimit(err)
		w.log.Warn("cannot watch a folder; changes in it are found by scheduled scans only",
			"folder", dir, "limit_reached", w.limitReached, "err", err)
	}
}

// dropVanished forgets the folders that the last scan did not list. The system has dropped their
// watches; if they return, the next scan adds them again.
func (w *watcher) dropVanished() {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.added, func(dir string, _ bool) bool { return !w.seen[dir] })
	clear(w.seen)
}

// drop forgets a folder that was removed or renamed. Another may have its name by now.
func (w *watcher) drop(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.added, dir)
}

// wait returns nil when the next scan is due, or the error of ctx.
func (w *watcher) wait(ctx context.Context, schedule Schedule) error {
	var due <-chan time.Time
	if schedule.Every > 0 {
		t := time.NewTimer(schedule.Every)
		defer t.Stop()
		due = t.C
	}
	var events chan fsnotify.Event
	var failures chan error
	if w.notify != nil {
		events, failures = w.notify.Events, w.notify.Errors
	}
	var quiet, late <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-due:
			return nil
		case <-quiet:
			return nil
		case <-late:
			return nil
		case e, open := <-events:
			if !open {
				return fmt.Errorf("watch music folders: %w", fsnotify.ErrClosed)
			}
			if e.Has(fsnotify.Remove | fsnotify.Rename) {
				w.drop(e.Name)
			}
			if !isRelevant(e) {
				continue
			}
			quiet = time.After(schedule.Debounce)
			if late == nil {
				late = time.After(15 * schedule.Debounce)
			}
		case err, open := <-failures:
			if open && err != nil {
				w.log.Warn("changes in music folders may have been missed; a scan follows", "err", err)
				quiet = time.After(schedule.Debounce)
			}
		}
	}
}

// isRelevant reports whether e may concern music, covers, lyrics, playlists or folders.
func isRelevant(e fsnotify.Event) bool {
	name := path.Base(e.Name)
	if ignored(name) || e.Op == fsnotify.Chmod {
		return false
	}
	return isAudio(name) || isPlaylist(name) || isLyrics(name) || imageRank(name) >= 0 || path.Ext(name) == "" ||
		e.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename)
}
