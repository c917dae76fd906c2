package app

import (
	"context"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
)

// ScanLock returns the lock that one scan at a time holds, among the processes of this data folder
// and the servers that share the database. It calls waiting once if it has to wait.
func (d DataDir) ScanLock(store *catalog.Store, waiting func()) scan.Lock {
	return func(ctx context.Context) (held context.Context, release func(), err error) {
		notify := sync.OnceFunc(waiting)
		file := flock.New(d.File("scan.lock"), flock.SetPermissions(0o600))
		free, err := file.TryLock()
		if err == nil && !free {
			notify()
			_, err = file.TryLockContext(ctx, 50*time.Millisecond)
		}
		if err != nil {
			return nil, nil, err
		}
		unlock := func() { _ = file.Unlock() } // the lock also ends with the process
		held, yield, err := store.ScanAlone(ctx, notify)
		if err != nil {
			unlock()
			return nil, nil, err
		}
		return held, func() { yield(); unlock() }, nil
	}
}
