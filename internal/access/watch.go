package access

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	saveUsesAfter = time.Minute            // at most one write per minute
	pollEvery     = 500 * time.Millisecond // without file notifications
	useEvery      = minIdle / 4            // open connections count as use this often
)

// uses holds the times of last use that are not saved yet.
type uses struct {
	mu   sync.Mutex
	at   map[string]time.Time
	wake chan struct{} // signals Run that there are uses to save
}

func (u *uses) record(id string, at time.Time) {
	u.mu.Lock()
	first := len(u.at) == 0
	if first {
		u.at = make(map[string]time.Time)
	}
	u.at[id] = at
	u.mu.Unlock()
	if first {
		notify(u.wake)
	}
}

func (u *uses) last(id string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[id]
}

func (u *uses) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = nil
	return taken
}

// Run watches the file for changes by other processes and saves the times of last use. It returns
// after a final save when ctx is done.
func (s *Store) Run(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the tokens: %w", err)
	}
	changed, stop := s.watchFile()
	defer stop()
	expiry := time.NewTimer(pollEvery)
	defer expiry.Stop()
	open := time.NewTicker(useEvery)
	defer open.Stop()
	var save, retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			// The final save must not be cancelled with ctx.
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			s.saveUses(last)
			return nil
		case <-changed:
			s.refresh()
		case <-s.contexts.added:
		case <-expiry.C:
			s.contexts.cancelInvalid(s.view.Load(), time.Now())
		case now := <-open.C:
			s.recordOpen(now)
		case <-s.uses.wake:
			save = time.After(saveUsesAfter)
		case <-save:
			save = nil
			s.saveUses(ctx)
		case <-s.unsaved.added:
			retry = time.After(retrySaveAfter)
		case <-retry:
			if retry = nil; !s.unsaved.empty() {
				s.saveRevocations(ctx)
			}
			if !s.unsaved.empty() {
				retry = time.After(retrySaveAfter)
			}
		}
		if next := s.contexts.nextExpiry(s.view.Load()); !next.IsZero() {
			expiry.Reset(time.Until(next))
		}
	}
}

// saveUses merges the times of last use into the current file, which keeps the changes of other
// processes.
func (s *Store) saveUses(ctx context.Context) {
	used := s.uses.take()
	if len(used) == 0 {
		return
	}
	err := s.change(ctx, func(d *document) error {
		for i := range d.Tokens {
			t := &d.Tokens[i]
			if at, ok := used[t.ID]; ok && at.After(t.LastUsedAt) {
				t.LastUsedAt = at.UTC().Truncate(time.Millisecond)
			}
		}
		return nil
	})
	if err != nil {
		s.log.Warn("cannot save when tokens were last used", "err", err)
	}
}

// watchFile signals that the file may have changed: by file notifications, or every pollEvery
// where there are none.
func (s *Store) watchFile() (changed <-chan struct{}, stop func()) {
	out := make(chan struct{}, 1)
	done := make(chan struct{})
	var wait sync.WaitGroup
	stop = func() { close(done); wait.Wait() }

	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		if err = watcher.Add(filepath.Dir(s.path)); err != nil {
			_ = watcher.Close()
		}
	}
	if err != nil {
		wait.Go(func() { poll(out, done) })
		return out, stop
	}
	name := filepath.Base(s.path)
	wait.Go(func() {
		defer watcher.Close()
		for {
			select {
			case <-done:
				return
			case e := <-watcher.Events:
				if filepath.Base(e.Name) == name {
					notify(out)
				}
			case <-watcher.Errors: // notifications may be lost
				notify(out)
			}
		}
	})
	return out, stop
}

func poll(out chan<- struct{}, done <-chan struct{}) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			notify(out)
		}
	}
}

func notify(out chan<- struct{}) {
	select {
	case out <- struct{}{}:
	default:
	}
}
