package art

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"waxwing/internal/fault"
)

// lane bounds the pictures that are rendered at once, and those that wait for it. Strangers have a
// lane of their own, so that they do not delay the listener.
type lane struct {
	slots   chan struct{}
	waiting atomic.Int64
	most    int64 // that may wait
}

func newLane(slots int, most int64) *lane {
	return &lane{slots: make(chan struct{}, slots), most: most}
}

// The sizes of the lanes. A listener's page requests up to a few hundred covers at once.
const (
	listenerQueue = 512
	strangerQueue = 32
)

func listenerLane() *lane { return newLane(max(2, runtime.GOMAXPROCS(0)), listenerQueue) }
func strangerLane() *lane { return newLane(1, strangerQueue) }

var errBusy = fault.New(fault.Unavailable, "too many covers are requested at once; try again in a second")

// enter waits for a slot until ctx is done. If too many wait already, the error is an Unavailable
// fault.
func (l *lane) enter(ctx context.Context) (leave func(), err error) {
	if l.waiting.Add(1) > l.most {
		l.waiting.Add(-1)
		return nil, errBusy
	}
	defer l.waiting.Add(-1)
	select {
	case l.slots <- struct{}{}:
		return func() { <-l.slots }, nil
	case <-ctx.Done():
		return nil, waitError(ctx)
	}
}

// waitError is the error of a wait that ctx ended: its own if the client has left, and an
// Unavailable fault if the wait was too long.
func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errBusy
	}
	return ctx.Err()
}

// flights lets concurrent requests for one picture share the work. The work is cancelled when the
// last of them has left.
type flights struct {
	mu      sync.Mutex
	byKey   map[flightKey]*flight
	closed  bool
	working sync.WaitGroup
}

type flightKey struct {
	name     string
	stranger bool
}

type flight struct {
	cancel  context.CancelFunc
	waiting int
	done    chan struct{}
	image   Image
	err     error
}

// do calls work, or waits for the same work of another request, until ctx is done.
func (f *flights) do(
	ctx context.Context, key flightKey, work func(context.Context) (Image, error),
) (Image, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return Image{}, errClosed
	}
	flying := f.byKey[key]
	if flying == nil {
		flying = f.start(ctx, key, work)
	}
	flying.waiting++
	f.mu.Unlock()
	select {
	case <-flying.done:
		return flying.image, flying.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if flying.waiting--; flying.waiting == 0 {
		flying.cancel()
		f.forget(key, flying) // a request from now on needs new work
	}
	return Image{}, waitError(ctx)
}

// start begins work in the background. f.mu must be held.
func (f *flights) start(
	ctx context.Context, key flightKey, work func(context.Context) (Image, error),
) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	flying := &flight{cancel: cancel, done: make(chan struct{})}
	if f.byKey == nil {
		f.byKey = make(map[flightKey]*flight)
	}
	f.byKey[key] = flying
	f.working.Go(func() {
		defer cancel()
		defer close(flying.done)
		defer func() {
			if v := recover(); v != nil { // a hostile picture; this is not the goroutine of a request
				flying.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			f.forget(key, flying)
		}()
		flying.image, flying.err = work(ctx)
	})
	return flying
}

var errClosed = fault.New(fault.Unavailable, "the server is stopping; try again in a moment")

// close cancels all work and waits until it has ended.
func (f *flights) close() {
	f.mu.Lock()
	f.closed = true
	for _, flying := range f.byKey {
		flying.cancel()
	}
	f.mu.Unlock()
	f.working.Wait()
}

// forget removes a flight unless another has taken its place. f.mu must be held.
func (f *flights) forget(key flightKey, flying *flight) {
	if f.byKey[key] == flying {
		delete(f.byKey, key)
	}
}
