package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// urgency is whether a change goes first at the writer.
type urgency bool

const (
	urgent   urgency = true  // credentials: a key must not delay its own revocation
	ordinary urgency = false // everything else
)

// writerQueue admits one change at a time: urgent ones first, each kind in the order of arrival.
type writerQueue struct {
	mu      sync.Mutex
	busy    bool
	waiting map[urgency][]chan struct{}
}

// enter waits until it is the turn of a change, or ctx is done.
func (w *writerQueue) enter(ctx context.Context, kind urgency) error {
	w.mu.Lock()
	if !w.busy {
		w.busy = true
		w.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	if w.waiting == nil {
		w.waiting = make(map[urgency][]chan struct{})
	}
	w.waiting[kind] = append(w.waiting[kind], turn)
	w.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.waiting[kind] {
		if other == turn {
			w.waiting[kind] = append(w.waiting[kind][:i:i], w.waiting[kind][i+1:]...)
			return ctx.Err()
		}
	}
	w.next() // the turn came meanwhile
	return ctx.Err()
}

// leave ends a change.
func (w *writerQueue) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next()
}

// next gives the turn to the next change. The mutex is held.
func (w *writerQueue) next() {
	for _, kind := range []urgency{urgent, ordinary} {
		if list := w.waiting[kind]; len(list) > 0 {
			close(list[0])
			w.waiting[kind] = list[1:]
			return
		}
	}
	w.busy = false
}

// urgentSuffix ends the name of the lock file of another process with an urgent change. SQLite
// itself lets a process that writes all the time go first.
const urgentSuffix = "-urgent"

// maxYield is how long ordinary changes wait for an urgent one of another process.
const maxYield = 2 * time.Second

// claimWriter tells other processes with this SQLite catalog that this one has an urgent change.
// The lock file gets its name when it is locked, so that it never looks abandoned. On a disk that
// is full the change has to wait like any other.
func claimWriter(file string) (release func()) {
	path := file + urgentSuffix
	created := path + "." + randomHex(4)
	lock := flock.New(created, flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err == nil && got {
		err = os.Rename(created, path)
	}
	if err != nil || !got {
		_ = os.Remove(created)
		_ = lock.Close()
		return func() {}
	}
	return func() {
		_ = os.Remove(path)
		_ = lock.Close()
	}
}

// yieldWriter waits while another process has an urgent change.
func yieldWriter(ctx context.Context, file string) {
	path := file + urgentSuffix
	for end := time.Now().Add(maxYield); time.Now().Before(end); {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
		lock := flock.New(path, flock.SetFlag(os.O_RDWR), flock.SetPermissions(0o600))
		got, err := lock.TryLock()
		_ = lock.Close()
		if got || err != nil { // released, or left by a process that was killed: the next claim replaces it
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
