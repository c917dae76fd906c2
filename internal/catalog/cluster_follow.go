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
	firstPoll    = 400 * time.Millisecond // after Open; most commands end sooner
	pollInterval = time.Second            // while changes are not reported
)

// requestPoll makes follow poll the database soon.
func (s *Store) requestPoll() {
	select {
	case s.pollRequests <- struct{}{}:
	default: // a request is pending
	}
}

// follow detects changes of other processes, raises the revision after a scan that paused, and does
// background work: it writes when keys were used and updates the caches of searches.
func (s *Store) follow(ctx context.Context) {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.pollRequests:
		case <-timer.C:
		}
		err := s.poll(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "cannot read the catalog's revision", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.d.debounce):
		}
		next := s.nextPoll()
		if err != nil {
			next = max(next, pollInterval)
		}
		timer.Reset(next)
	}
}

func (s *Store) poll(ctx context.Context) error {
	known, cancel := context.WithTimeout(ctx, s.d.timeout)
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
	return errors.Join(s.peers.exchange(rest, s), s.saveRevocations(rest), s.writeKeyUse(rest), s.search.refresh(rest, s))
}

// nextPoll is how long to sleep without a request.
func (s *Store) nextPoll() time.Duration {
	switch {
	case s.scanned.waiting():
		return s.scanned.left()
	case !s.listens.Load(), len(s.keys.unsaved()) > 0:
		return pollInterval
	case s.peers.busy():
		return useExchange
	}
	return s.d.idlePoll
}

// channel carries the notifications between servers of one database.
const channel = "waxwing"

// listen receives the notifications of other servers on PostgreSQL in a session of its own, which
// it reopens after a failure.
func (s *Store) listen(ctx context.Context) {
	const longest = 2 * time.Second
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, longest) {
		session, err := s.startListening(ctx)
		if err == nil {
			pause = 50 * time.Millisecond
			s.listens.Store(true)
			s.requestPoll() // for earlier changes
			err = s.receive(ctx, session)
			s.listens.Store(false)
			endSession(session)
			s.CloseIdle() // all may be dead, and each would fail a request
			s.requestPoll()
		}
		if ctx.Err() == nil {
			s.log.DebugContext(ctx, "cannot listen for changes of other servers", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (s *Store) startListening(ctx context.Context) (*pgx.Conn, error) {
	session, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	begin, cancel := context.WithTimeout(ctx, sessionTimeout)
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

// receive handles notifications until the session ends.
func (s *Store) receive(ctx context.Context, session *pgx.Conn) error {
	const silence = 30 * time.Second
	for {
		n, err := waitInSession(ctx, session, silence)
		if err != nil {
			return err
		}
		if n == nil {
			continue
		}
		if s.peers.receive(n.Payload) {
			continue
		}
		if n.Payload != s.peers.me { // not a change of this process
			s.requestPoll()
		}
	}
}

// CloseIdle closes the idle connections. Those of SQLite hold a cache and a map of the parts of the
// file that they have read.
func (s *Store) CloseIdle() {
	for _, pool := range []*sql.DB{s.read, s.write} {
		pool.SetMaxIdleConns(0)
		pool.SetMaxIdleConns(pool.Stats().MaxOpenConnections)
	}
}

// watchFile detects changes of other processes on SQLite by its write-ahead log.
func (s *Store) watchFile(ctx context.Context) {
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		defer watcher.Close()
		err = watcher.Add(s.file + "-wal")
	}
	if err != nil {
		s.log.DebugContext(ctx, "cannot watch the catalog's file; it is polled every second", "err", err)
		return
	}
	s.listens.Store(true)
	defer s.listens.Store(false)
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-watcher.Events:
			if !open {
				return
			}
			s.requestPoll()
			if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
				return // another file has the name now; polling continues
			}
		case <-watcher.Errors: // events were lost
			s.requestPoll()
		}
	}
}
