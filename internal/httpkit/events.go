package httpkit

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// heartbeat is the interval of the comments that keep an idle stream open.
	heartbeat = 15 * time.Second
	// drainNotice is the last message before a server stops. It says when to reconnect.
	drainNotice = "retry: 1000\n: the server is stopping\n\n"
)

// EventWriter sends server-sent events. It is safe for concurrent use.
type EventWriter struct {
	mu    sync.Mutex
	to    http.ResponseWriter
	flush func() error
}

// Send sends an event with a name and its JSON.
func (e *EventWriter) Send(name string, data []byte) error {
	return e.SendRaw([]byte("event: " + name + "\ndata: " + string(bytes.TrimSuffix(data, []byte{'\n'})) + "\n\n"))
}

// SendRaw sends events that are already encoded.
func (e *EventWriter) SendRaw(b []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.to.Write(b); err != nil {
		return err
	}
	return e.flush()
}

// ServeEvents replies with a stream of server-sent events. It calls run with a context that ends
// when the client disconnects, when its credential ends and when the server begins to stop, and
// sends heartbeats until then. The route must be of kind [Stream].
func ServeEvents(w http.ResponseWriter, r *http.Request, run func(context.Context, *EventWriter) error) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	out := &EventWriter{to: w, flush: http.NewResponseController(w).Flush}
	var beats sync.WaitGroup
	beats.Go(func() {
		defer cancel()
		out.beat(ctx)
	})
	err := run(ctx, out)
	cancel()
	beats.Wait()
	if err == nil && r.Context().Err() == nil { // the server is stopping, not the client
		err = out.SendRaw([]byte(drainNotice))
	}
	return err
}

// beat sends heartbeats until ctx ends, the server begins to stop or the client has disconnected.
func (e *EventWriter) beat(ctx context.Context) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-Stopping(ctx):
			return
		case <-tick.C:
			if e.SendRaw([]byte(": heartbeat\n\n")) != nil {
				return
			}
		}
	}
}
