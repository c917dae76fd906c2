package playerhttp

import (
	"context"
	"sync"

	"waxwing/internal/httpkit"
)

// watch follows something for all listeners of /events together, and only while somebody listens.
type watch[T any] struct {
	event  string                                           // name of the event
	follow func(ctx context.Context, publish func(state T)) // returns when ctx is done; nil: nothing to follow

	listening sync.Mutex // guards the next two
	listeners int
	stop      func() // ends follow and waits for it

	mu      sync.Mutex    // guards the next two
	state   *T            // nil: unknown
	changed chan struct{} // closed and replaced when state changes
}

func newWatch[T any](event string, follow func(ctx context.Context, publish func(state T))) *watch[T] {
	return &watch[T]{event: event, follow: follow, changed: make(chan struct{})}
}

// report sends the state and each change of it, until ctx is done or the client has disconnected.
// A slow client skips to the newest state.
func (w *watch[T]) report(ctx context.Context, out *httpkit.EventWriter) {
	if w.follow == nil {
		<-ctx.Done()
		return
	}
	w.join()
	defer w.leave()
	for {
		state, changed := w.current()
		if state != nil {
			data, err := encode(state)
			if err != nil || out.Send(w.event, data) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// join starts to follow for the first listener.
func (w *watch[T]) join() {
	w.listening.Lock()
	defer w.listening.Unlock()
	w.listeners++
	if w.listeners > 1 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.follow(ctx, func(state T) { w.publish(&state) })
	}()
	w.stop = func() {
		cancel()
		<-done
	}
}

// leave stops to follow after the last listener. The state is unknown from then on.
func (w *watch[T]) leave() {
	w.listening.Lock()
	defer w.listening.Unlock()
	w.listeners--
	if w.listeners == 0 {
		w.stop()
		w.publish(nil)
	}
}

func (w *watch[T]) current() (*T, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state, w.changed
}

func (w *watch[T]) publish(state *T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = state
	close(w.changed)
	w.changed = make(chan struct{})
}
