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

// Schedule says when Run scans, besides at its start.
type Schedule struct {
	// Every is the time between scans that nothing called for; 0 is never.
	Every time.Duration
	// Watch scans soon after something changed in a music folder.
	Watch bool
	// Debounce is how long a folder must be quiet before a change in it is looked at; 0 is two seconds. A folder
	// that never is quiet is looked at every 15 times that long.
	Debounce time.Duration
	// Forget is that of the scans' Options.
	Forget func(root string) bool
}

// A scan that failed, as on a full disk, is tried again soon, then ever less often.
const (
	minRetry = 3 * time.Second
	maxRetry = time.Minute
)

// Run scans at once, on changes and on schedule, until ctx ends. A scan that fails is tried again; the first
// failure in a row is logged.
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
		err := s.scanOnce(ctx, Options{Forget: schedule.Forget}, retry > 0)
		if ctx.Err() != nil {
			return nil
		}
		next := schedule
		if err == nil {
			retry = 0
		} else {
			retry = min(max(2*retry, minRetry), maxRetry)
			next.Every = retry
		}
		w.dropVanished()
		if err := w.wait(ctx, next); err != nil {
			return nil // ctx has ended
		}
	}
}

// scanOnce scans and logs what came of it; again: the scan before it failed, and the log knows.
func (s *Scanner) scanOnce(ctx context.Context, opts Options, again bool) error {
	stop := s.logProgress()
	report, err := s.Scan(ctx, opts)
	stop()
	switch {
	case ctx.Err() != nil:
	case err != nil && again:
		s.log.Debug("the scan did not end", "err", err)
	case err != nil:
		s.log.Error("the scan did not end; it is tried again", "err", err)
	default:
		s.log.Info("music folders scanned", "files", report.Files, "added", report.Added, "changed", report.Changed, "moved", report.Moved,
			"restored", report.Restored, "lost", report.Missing, "problems", report.Problems, "took", report.Took.Round(time.Millisecond))
	}
	return err
}

// progressInterval is how often the log hears of a scan that takes long.
const progressInterval = 10 * time.Second

// tell logs how far the scan is, now and then, until the returned function is called.
func (s *Scanner) logProgress() (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if p := s.Progress(); p.Running() {
				s.log.Info("scanning", "done", p.Done, "of", p.Total, "added", p.Added, "problems", p.Problems, "left", p.ETA.Round(time.Second))
			}
		}
	})
	return func() { close(done); ended.Wait() }
}

// watcher tells of changes in folders. One that could not be started is silent.
type watcher struct {
	notify *fsnotify.Watcher
	log    *slog.Logger

	mu           sync.Mutex
	added        map[string]bool
	seen         map[string]bool // by the scans since dropVanished
	limitReached bool            // the system takes no more folders; said once
}

func (s *Scanner) newWatcher(wanted bool) *watcher {
	w := &watcher{log: s.log, added: map[string]bool{}, seen: map[string]bool{}}
	if !wanted {
		return w
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		s.log.Warn("changes in music folders are found on schedule only", "err", err)
		return w
	}
	w.notify = notify
	return w
}

func (w *watcher) close() {
	if w.notify != nil {
		if err := w.notify.Close(); err != nil {
			w.log.Warn("the watch over music folders did not end well", "err", err)
		}
	}
}

// before watches a folder that is about to be listed: what changes in it after that is told, and what changed
// before is listed. A scan calls it from many goroutines.
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
	case errors.Is(err, fs.ErrNotExist): // it vanished just now
	default:
		w.limitReached = isWatchLimit(err)
		w.log.Warn("changes in a music folder are found on schedule only", "folder", dir, "all", w.limitReached, "err", err)
	}
}

// dropVanished is called between scans. The system itself forgets folders that are gone, or whose disk is; those that
// come back are watched anew.
func (w *watcher) dropVanished() {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.added, func(dir string, _ bool) bool { return !w.seen[dir] })
	clear(w.seen)
}

// forget is called for a folder that was removed or renamed. One may have its name already.
func (w *watcher) drop(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.added, dir)
}

// wait returns when the next scan is due, or ctx has ended.
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
				w.log.Warn("some changes in music folders may have been missed", "err", err)
				quiet = time.After(schedule.Debounce)
			}
		}
	}
}

// matters tells changes of music, covers, playlists and folders from the rest, such as the temporary files of others.
func isRelevant(e fsnotify.Event) bool {
	name := path.Base(e.Name)
	if ignored(name) || e.Op == fsnotify.Chmod {
		return false
	}
	return isAudio(name) || isPlaylist(name) || imageRank(name) >= 0 || path.Ext(name) == "" || e.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename)
}
