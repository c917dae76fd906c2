package art

import (
	"context"
	"errors"
	"runtime"
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

// flightKey names the work that requests share.
type flightKey struct {
	name     string
	stranger bool
}

var errClosed = fault.New(fault.Unavailable, "the server is stopping; try again in a moment")
