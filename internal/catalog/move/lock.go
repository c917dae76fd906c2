package move

import (
	"context"
	"fmt"

	"github.com/gofrs/flock"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// moveLock is the advisory lock of a move in PostgreSQL.
const moveLock = 0x77617877_6d6f7665

// lockTarget excludes other moves from the target until release is called or this process ends.
func lockTarget(ctx context.Context, p catalog.Raw, db string) (release func(), err error) {
	refused := fault.New(fault.Conflict, "another move into this database is running")
	if p.Engine != "PostgreSQL" {
		l := flock.New(db+".move.lock", flock.SetPermissions(0o600))
		held, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock the target: %w", err)
		}
		if !held {
			return nil, refused
		}
		return func() { _ = l.Unlock() }, nil // the end of the process unlocks it, too
	}
	conn, err := p.Read.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock the target: %w", err)
	}
	var held bool
	if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, int64(moveLock)).Scan(&held); err != nil {
		_ = conn.Close() // err is the cause
		return nil, fmt.Errorf("lock the target: %w", err)
	}
	if !held {
		_ = conn.Close() // nothing was held
		return nil, refused
	}
	return func() {
		// The end of the connection unlocks it, too.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(moveLock))
		_ = conn.Close() // it is closed with its pool
	}, nil
}
