package catalog

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/jackc/pgx/v5"
)

const (
	firstLook = 400 * time.Millisecond // after opening: commands that end sooner need none
	deafLook  = time.Second            // while nobody can tell us of changes
)

// stir makes follow look at the database soon.
func (s *Store) stir() {
	select {
	case s.stirred <- struct{}{}:
	default: // it will look anyway
	}
}

// follow notices changes of other processes, raises the revision behind a scan that paused, and does
// what can wait: it writes down when keys were used and freshens what searches need.
func (s *Store) follow(ctx context.Context) {
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.stirred:
		case <-timer.C:
		}
		err := s.look(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "the catalog's revision cannot be read", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.d.fold):
		}
		next := s.nextLook()
		if err != nil {
			next = max(next, deafLook)
		}
		timer.Reset(next)
	}
}

func (s *Store) look(ctx context.Context) error {
	known, cancel := context.WithTimeout(ctx, s.d.patience)
	defer cancel()
	var err error
	if s.scanned.waiting() && s.scanned.left() == 0 {
		err = s.FinishScan(known)
	} else {
		err = s.reload(known)
	}
	if err != nil {
		return err
	}
	rest, cancel := context.WithTimeout(ctx, changeTime)
	defer cancel()
	return errors.Join(s.peers.exchange(rest, s), s.noteKeyUse(rest), s.search.refresh(rest, s))
}

// nextLook is how long to sleep when nothing stirs.
func (s *Store) nextLook() time.Duration {
	switch {
	case s.scanned.waiting():
		return s.scanned.left()
	case !s.hears.Load():
		return deafLook
	case s.peers.busy():
		return useExchange
	}
	return s.d.slowLook
}

// channel is where servers tell one another of changes; each database has its own.
const channel = "waxwing"

// listen follows the changes of other servers on PostgreSQL, over a session of its own that is
// opened again whenever it is lost.
func (s *Store) listen(ctx context.Context) {
	const longest = 2 * time.Second
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, longest) {
		session, err := s.beginListening(ctx)
		if err == nil {
			pause = 50 * time.Millisecond
			s.hears.Store(true)
			s.stir() // for what was said before
			err = s.hear(ctx, session)
			s.hears.Store(false)
			endSession(session)
			s.dropIdle()
			s.stir()
		}
		if ctx.Err() == nil {
			s.log.DebugContext(ctx, "changes of other servers cannot be heard", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (s *Store) beginListening(ctx context.Context) (*pgx.Conn, error) {
	session, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	begin, cancel := context.WithTimeout(ctx, lostAfter)
	defer cancel()
	_, err = session.Exec(begin, `LISTEN `+channel)
	if err == nil && s.serves {
		err = s.peers.join(begin, session)
	}
	if err != nil {
		endSession(session)
		return nil, err
	}
	return session, nil
}

// hear takes notices until the session ends.
func (s *Store) hear(ctx context.Context, session *pgx.Conn) error {
	const silence = 30 * time.Second
	for {
		n, err := waitInSession(ctx, session, silence)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if s.peers.hear(n.Payload) {
			continue
		}
		if n.Payload != s.peers.me { // our own change is known already
			s.stir()
		}
	}
}

// dropIdle closes the connections that wait for work: after the loss of one, all may be dead, and
// each would cost a request before it is found out.
func (s *Store) dropIdle() {
	for _, pool := range []*sql.DB{s.read, s.write} {
		pool.SetMaxIdleConns(0)
		pool.SetMaxIdleConns(pool.Stats().MaxOpenConnections)
	}
}

// watchFile follows the changes of other processes on SQLite, which all pass through its log.
func (s *Store) watchFile(ctx context.Context) {
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer watcher.Close()
		err = watcher.Add(s.file + "-wal")
	}
	if err != nil {
		s.log.DebugContext(ctx, "the catalog's file cannot be watched; it is looked at every second", "err", err)
		return
	}
	s.hears.Store(true)
	defer s.hears.Store(false)
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-watcher.Events:
			if !open {
				return
			}
			s.stir()
			if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
				return // another file took its name: looking every second finds out what it says
			}
		case <-watcher.Errors: // some notices were lost
			s.stir()
		}
	}
}
