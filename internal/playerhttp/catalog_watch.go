package playerhttp

import (
	"context"
	"iter"
	"log/slog"
	"sync"
	"time"

	"waxwing/api/playerapi"
	"waxwing/internal/httpkit"
)

// refusedWait is how long the watch waits after the catalog refused to report its revision. A
// newer catalog may have been installed meanwhile.
const refusedWait = 5 * time.Minute

// catalogWatch follows the revision of the catalog over one connection, which exists only while
// somebody listens to /events.
type catalogWatch struct {
	revisions func(context.Context) iter.Seq2[string, error] // nil: nothing to follow
	log       *slog.Logger

	listening sync.Mutex // guards the next two
	listeners int
	stop      func() // ends the connection and waits for its goroutine

	mu      sync.Mutex // guards the next two
	state   *playerapi.CatalogState
	changed chan struct{} // closed and replaced when state changes
}

func newCatalogWatch(revisions func(context.Context) iter.Seq2[string, error], log *slog.Logger) *catalogWatch {
	return &catalogWatch{revisions: revisions, log: log, changed: make(chan struct{})}
}

// report sends the state of the catalog and each change of it, until ctx is done or the client has
// disconnected. A slow client skips to the newest state.
func (c *catalogWatch) report(ctx context.Context, out *httpkit.EventWriter) {
	if c.revisions == nil {
		<-ctx.Done()
		return
	}
	c.join()
	defer c.leave()
	for {
		state, changed := c.current()
		if state != nil {
			data, err := encode(state)
			if err != nil || out.Send("catalog", data) != nil {
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

// join opens the connection for the first listener.
func (c *catalogWatch) join() {
	c.listening.Lock()
	defer c.listening.Unlock()
	c.listeners++
	if c.listeners > 1 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.follow(ctx)
	}()
	c.stop = func() {
		cancel()
		<-done
	}
}

// leave closes the connection after the last listener. The state is unknown from then on.
func (c *catalogWatch) leave() {
	c.listening.Lock()
	defer c.listening.Unlock()
	c.listeners--
	if c.listeners == 0 {
		c.stop()
		c.publish(nil)
	}
}

func (c *catalogWatch) current() (*playerapi.CatalogState, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, c.changed
}

func (c *catalogWatch) publish(state *playerapi.CatalogState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
	close(c.changed)
	c.changed = make(chan struct{})
}

// follow publishes the revisions that the catalog reports, until ctx is done.
func (c *catalogWatch) follow(ctx context.Context) {
	var state playerapi.CatalogState
	for first := true; ctx.Err() == nil; first = false {
		for revision, err := range c.revisions(ctx) {
			reachable := err == nil
			if reachable {
				state.Revision = &revision
			} else if ctx.Err() != nil {
				return
			} else if state.Reachable || first {
				c.log.DebugContext(ctx, "cannot follow the catalog's revision", "err", err)
			}
			if reachable || state.Reachable || first {
				first, state.Reachable = false, reachable
				next := state
				c.publish(&next)
			}
		}
		if first {
			c.log.DebugContext(ctx, "the catalog does not report its revision")
		}
		select {
		case <-ctx.Done():
		case <-time.After(refusedWait):
		}
	}
}
