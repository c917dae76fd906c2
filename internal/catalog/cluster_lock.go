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

// lock is work that only one process may do at a time on one database. On PostgreSQL it is an
// advisory lock of a session of its own, which ends with the process. On SQLite, migrations lock a
// file beside the database, and the other locks belong to the data folder.
type lock int32

const (
	migrating lock = 1 + iota // changing the schema
	scanning                  // writing what a scan finds
	leading                   // watching the music folders, for all servers
	serving                   // shared by all servers, to count them
)

// lockSpace separates our advisory locks from those of other programs: "waxw".
const lockSpace int32 = 0x77617877

const (
	sessionTimeout = 3 * time.Second // after which a silent session is closed
	lockRetry      = time.Second     // after the database became unavailable
)

// ScanAlone waits for the lock that keeps other processes from scanning into this catalog, until
// release is called. It calls waiting, if not nil, before it waits. held is cancelled when the lock
// is lost because the database is unavailable: another process may then scan.
func (s *Store) ScanAlone(ctx context.Context, waiting func()) (held context.Context, release func(), err error) {
	return s.acquire(ctx, scanning, time.Second, waiting)
}

// Lead runs f while this server is the leader among the servers of the catalog. The context of f is
// cancelled when another may have taken over. Lead returns when ctx is done, or the error of f.
func (s *Store) Lead(ctx context.Context, f func(context.Context) error) error {
	for {
		// TCP keep-alives detect a dead peer; a ping every second would keep an idle server awake.
		held, release, err := s.acquire(ctx, leading, time.Minute, func() {
			s.log.InfoContext(ctx, "another server watches the music folders; this one takes over when that one ends")
		})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			s.log.DebugContext(ctx, "cannot find out which server watches the music folders", "err", err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(lockRetry):
			}
			continue
		}
		err = f(held)
		lost := held.Err() != nil && ctx.Err() == nil
		release()
		if !lost {
			return err
		}
		s.log.WarnContext(ctx, "the database became unavailable; the first server to reach it will watch the music folders")
	}
}

// acquire waits for a lock. held is cancelled when the session ends, which is detected at once if
// the database closes it, and otherwise by a ping in the interval check.
func (s *Store) acquire(
	ctx context.Context, what lock, check time.Duration, waiting func(),
) (held context.Context, release func(), err error) {
	if s.d.goose != goose.DialectPostgres {
		held, cancel := context.WithCancel(ctx)
		if what != migrating {
			return held, cancel, nil
		}
		file := flock.New(s.file+".migrate.lock", flock.SetPermissions(0o600))
		if _, err := file.TryLockContext(ctx, 10*time.Millisecond); err != nil {
			cancel()
			if ctx.Err() != nil {
				return nil, nil, fmt.Errorf("wait for a migration in another process: %w", err)
			}
			return nil, nil, fault.Wrap(fault.Unavailable, err,
				"cannot write to the folder of the catalog's database: check its permissions")
		}
		return held, func() { cancel(); _ = file.Unlock() }, nil // the end of the process unlocks it, too
	}
	session, err := s.takeLock(ctx, what, waiting)
	if err != nil {
		return nil, nil, s.d.explain(err)
	}
	held, release = watchSession(ctx, session, check)
	return held, release, nil
}

// takeLock opens a session and waits for the lock in it. It repeats the request every few seconds,
// so that it does not wait for ever in a dead session.
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
	if err := session.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`, lockSpace,
		int32(what)).Scan(&taken); err != nil {
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
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second+sessionTimeout)
		_, err := session.Exec(attempt, `SELECT pg_advisory_lock($1, $2)`, lockSpace, int32(what))
		cancel()
		if err == nil {
			return session, nil
		}
		if !isCode(err, "55P03") { // lock_timeout
			return nil, fmt.Errorf("wait for a lock: %w", err)
		}
	}
}

// session opens a connection outside the pools.
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

// watchSession returns a context that is cancelled when the session ends.
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

// waitInSession waits for a notification, and pings the database after some silence. Without an
// error the notification may be nil.
func waitInSession(ctx context.Context, session *pgx.Conn, silence time.Duration) (*notification, error) {
	wait, cancel := context.WithTimeout(ctx, silence)
	n, err := session.WaitForNotification(wait)
	cancel()
	if err == nil {
		return n, nil
	}
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	ping, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	return nil, session.Ping(ping)
}

// endSession closes a connection with a timeout.
func endSession(session *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), sessionTimeout)
	defer cancel()
	_ = session.Close(ctx) // it may be closed already
}
