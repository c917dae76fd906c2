package transcode

import (
	"context"
	"sync"

	"waxwing/internal/fault"
)

// queue bounds the transcodes that run at once, and those that wait for it.
type queue struct {
	slots chan struct{}
	most  int // that may wait

	mu       sync.Mutex
	waiting  int
	byCaller map[string]int // waiting
}

func newQueue(slots, most int) *queue {
	return &queue{slots: make(chan struct{}, slots), most: most, byCaller: map[string]int{}}
}

// enter waits for a slot until ctx is done.
func (q *queue) enter(ctx context.Context, caller string) (leave func(), err error) {
	leave = func() { <-q.slots }
	select {
	case q.slots <- struct{}{}:
		return leave, nil
	default:
	}
	q.mu.Lock()
	if q.waiting >= q.most || q.byCaller[caller] >= max(q.most/2, 1) {
		q.mu.Unlock()
		return nil, fault.Wrap(fault.Unavailable, ErrBusy,
			"too many songs are being converted; try again in a few seconds, or request the original")
	}
	q.waiting++
	q.byCaller[caller]++
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.waiting--
		if q.byCaller[caller]--; q.byCaller[caller] == 0 {
			delete(q.byCaller, caller)
		}
	}()
	select {
	case q.slots <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}
