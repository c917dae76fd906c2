// Package flight lets concurrent requests for the same result share the work for it.
package flight

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// ErrClosed is the error of requests to a closed group.
var ErrClosed = errors.New("the group is closed")

// Group shares work by key. The work is cancelled when the last request for it has left, after the
// time Linger. The zero value is ready to use.
type Group[K comparable, V any] struct {
	Linger time.Duration // set before the first use

	mu      sync.Mutex
	byKey   map[K]*flight[V]
	closed  bool
	working sync.WaitGroup
}

type flight[V any] struct {
	cancel  context.CancelFunc
	waiting int
	leaving *time.Timer // nil unless nobody waits
	done    chan struct{}
	value   V
	err     error
}

// Do calls work, or waits for the same work of another request, until ctx is done. Then the error
// is that of ctx. joined says that another request had begun the work.
func (g *Group[K, V]) Do(
	ctx context.Context, key K, work func(context.Context) (V, error),
) (value V, joined bool, err error) {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return value, false, ErrClosed
	}
	f := g.byKey[key]
	joined = f != nil
	if f == nil {
		f = g.start(ctx, key, work)
	}
	f.waiting++
	if f.leaving != nil {
		f.leaving.Stop()
		f.leaving = nil
	}
	g.mu.Unlock()
	select {
	case <-f.done:
		return f.value, joined, f.err
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		g.abandon(key, f)
	}
	return value, joined, ctx.Err()
}

// abandon cancels work that nobody waits for. g.mu must be held.
func (g *Group[K, V]) abandon(key K, f *flight[V]) {
	if g.Linger == 0 {
		f.cancel()
		g.forget(key, f) // a request from now on needs new work
		return
	}
	f.leaving = time.AfterFunc(g.Linger, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if f.waiting == 0 {
			f.cancel()
			g.forget(key, f)
		}
	})
}

// start begins work in the background. g.mu must be held.
func (g *Group[K, V]) start(ctx context.Context, key K, work func(context.Context) (V, error)) *flight[V] {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight[V]{cancel: cancel, done: make(chan struct{})}
	if g.byKey == nil {
		g.byKey = make(map[K]*flight[V])
	}
	g.byKey[key] = f
	g.working.Go(func() {
		defer cancel()
		defer close(f.done)
		defer func() {
			if v := recover(); v != nil { // hostile input; this is not the goroutine of a request
				f.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if f.leaving != nil {
				f.leaving.Stop()
			}
			g.forget(key, f)
		}()
		f.value, f.err = work(ctx)
	})
	return f
}

// Close cancels all work and waits until it has ended.
func (g *Group[K, V]) Close() {
	g.mu.Lock()
	g.closed = true
	for _, f := range g.byKey {
		f.cancel()
	}
	g.mu.Unlock()
	g.working.Wait()
}

// forget removes a flight unless another has taken its place. g.mu must be held.
func (g *Group[K, V]) forget(key K, f *flight[V]) {
	if g.byKey[key] == f {
		delete(g.byKey, key)
	}
}
