package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"
	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"waxwing/internal/fault"
)

// lock names what only one process over one database may do at a time. On PostgreSQL it is an
// advisory lock of a session of its own: it ends with the process that holds it, however that dies.
// On SQLite all processes share a machine: they lock a file beside the database while they change
// its schema, and leave the other turns to the data folder, whose files its commands lock.
type lock int32

const (
	migrating lock = 1 + iota // changing the schema
	scanning                  // writing what a scan finds
	leading                   // watching the music folders, for all servers
	serving                   // held by every server together: the holders are counted
)

// lockSpace sets our advisory locks apart from those of other programs: "waxw".
const lockSpace int32 = 0x77617877

const (
	lostAfter    = 3 * time.Second // without an answer, a session is given up
	retryHolding = time.Second     // after the database went away
)

// ScanAlone waits until no other process scans into this catalog and keeps it so until release is
// called. Before it waits, it calls waiting, if there is one. held ends when the lock is lost, because
// the database went away: then another process may scan already.
func (s *Store) ScanAlone(ctx context.Context, waiting func()) (held context.Context, release func(), err error) {
	return s.hold(ctx, scanning, time.Second, waiting)
}

// Lead runs f while this server is the one among all servers of the catalog that looks after it:
// f's context ends when another may have taken over. It returns when ctx is done, or with f's error.
func (s *Store) Lead(ctx context.Context, f func(context.Context) error) error {
	for {
		// The system finds out that the other side of a silent connection is gone; asking every
		// second would keep an idle server awake.
		held, release, err := s.hold(ctx, leading, time.Minute, func() {
			s.log.InfoContext(ctx, "another server looks after the music folders; this one takes over when that ends")
		})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			s.log.DebugContext(ctx, "cannot ask which server looks after the music folders", "err", err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(retryHolding):
			}
			continue
		}
		err = f(held)
		lost := held.Err() != nil && ctx.Err() == nil
		release()
		if !lost {
			return err
		}
		s.log.WarnContext(ctx, "the database went away; whichever server is first looks after the music folders from now on")
	}
}

// hold takes a lock as soon as nobody else has it. held ends when the session is lost, which is
// noticed at once where the other side ends it, and else by asking as often as check says.
func (s *Store) hold(ctx context.Context, what lock, check time.Duration, waiting func()) (held context.Context, release func(), err error) {
	if s.d.goose != goose.DialectPostgres {
		held, cancel := context.WithCancel(ctx)
		if what != migrating {
			return held, cancel, nil
		}
		file := flock.New(s.file+".migrate.lock", flock.SetPermissions(0o600))
		if _, err := file.TryLockContext(ctx, 10*time.Millisecond); err != nil {
			cancel()
			if ctx.Err() != nil {
				return nil, nil, fmt.Errorf("wait for another process that changes the schema: %w", err)
			}
			return nil, nil, fault.Wrap(fault.Unavailable, err, "the folder of the catalog's database cannot be written to")
		}
		return held, func() { cancel(); _ = file.Unlock() }, nil // the process's end unlocks it as well
	}
	session, err := s.takeLock(ctx, what, waiting)
	if err != nil {
		return nil, nil, s.d.explain(err)
	}
	held, release = watchSession(ctx, session, check)
	return held, release, nil
}

// takeLock opens a session and waits in it for the lock. It asks again from time to time, so that a
// session that died silently is not waited in for ever.
func (s *Store) takeLock(ctx context.Context, what lock, waiting func()) (_ *pgx.Conn, err error) {
	session, err := s.session(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			endSession(session)
		}
	}()
	taken := false
	if err := session.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`, lockSpace, int32(what)).Scan(&taken); err != nil {
		return nil, fmt.Errorf("take a lock: %w", err)
	}
	if taken {
		return session, nil
	}
	if waiting != nil {
		waiting()
	}
	if _, err := session.Exec(ctx, `SET lock_timeout = '5s'`); err != nil {
		return nil, fmt.Errorf("wait for a lock: %w", err)
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second+lostAfter)
		_, err := session.Exec(attempt, `SELECT pg_advisory_lock($1, $2)`, lockSpace, int32(what))
		cancel()
		if err == nil {
			return session, nil
		}
		if !isCode(err, "55P03") { // waited long enough for once
			return nil, fmt.Errorf("wait for a lock: %w", err)
		}
	}
}

// session opens a connection that belongs to no pool.
func (s *Store) session(ctx context.Context) (*pgx.Conn, error) {
	cfg, err := postgresConfig(s.file)
	if err != nil {
		return nil, err
	}
	delete(cfg.RuntimeParams, "statement_timeout") // sessions wait
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("connect to the database: %w", err)
	}
	return conn, nil
}

// watchSession returns a context that ends with the session.
func watchSession(ctx context.Context, session *pgx.Conn, check time.Duration) (held context.Context, release func()) {
	held, lose := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer endSession(session)
		defer lose()
		for held.Err() == nil {
			if _, err := waitInSession(held, session, check); err != nil {
				return
			}
		}
	}()
	return held, func() { lose(); <-done }
}

// waitInSession waits for a notification, and after some silence makes sure that there is still
// somebody at the other side. Neither a notification nor an error: all is well.
func waitInSession(ctx context.Context, session *pgx.Conn, silence time.Duration) (*notification, error) {
	patience, cancel := context.WithTimeout(ctx, silence)
	n, err := session.WaitForNotification(patience)
	cancel()
	if err == nil {
		return n, nil
	}
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	answer, cancel := context.WithTimeout(ctx, lostAfter)
	defer cancel()
	return nil, session.Ping(answer)
}

// endSession closes a connection without waiting long for the other side's consent.
func endSession(session *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), lostAfter)
	defer cancel()
	_ = session.Close(ctx) // it may be gone already
}
