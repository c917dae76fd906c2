package cli

import (
	"context"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
)

// scanLock is the scan.Exclusive of a catalog: those who scan into it take turns, be they processes of
// this data folder or servers elsewhere over the same database. Who has to wait for a turn says so by waiting.
func (p place) scanLock(store *catalog.Store, waiting func()) scan.Exclusive {
	return func(ctx context.Context) (held context.Context, release func(), err error) {
		say := sync.OnceFunc(waiting)
		file := flock.New(p.file("scan.lock"), flock.SetPermissions(0o600))
		free, err := file.TryLock()
		if err == nil && !free {
			say()
			_, err = file.TryLockContext(ctx, 50*time.Millisecond)
		}
		if err != nil {
			return nil, nil, err
		}
		unlock := func() { _ = file.Unlock() } // the process's end unlocks it as well
		held, yield, err := store.ScanAlone(ctx, say)
		if err != nil {
			unlock()
			return nil, nil, err
		}
		return held, func() { yield(); unlock() }, nil
	}
}
