package httpkit

import (
	"context"
	"net/http"
)

type (
	stoppingKey struct{} // its context ends when the server begins to stop
	drainedKey  struct{} // and this one when it waits no longer
	connKey     struct{} // the connection that a request came in on
)

// unsentLimit is what the system may take of a stream beyond what the client is ready to receive. Left to itself it
// takes megabytes: two hundred stalled clients would cost most of a gigabyte and keep every processor busy copying it while
// others wait, and a listener that is slow for a moment would then have to read all the events that it missed.
const unsentLimit = 128 << 10

// stream runs a handler whose context also ends with the caller's credential and with the time that a
// stopping server grants, and whose waiting writes fail at that moment.
func (l *line) stream(p *reply, r *http.Request, caller Caller) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if caller.Life != nil {
		defer context.AfterFunc(caller.Life, func() { forgetUnsent(ctx); cancel() })()
	}
	if drained, ok := ctx.Value(drainedKey{}).(context.Context); ok {
		defer context.AfterFunc(drained, cancel)()
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { p.end(); close(ended) })
	defer func() {
		if !stop() {
			<-ended // the connection may serve another request next, whose deadline is not ours to move
		}
	}()
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		holdBack(c.TCPConn)
	}
	l.seen.streams.Inc()
	defer l.seen.streams.Dec()
	return l.Handler(p, r.WithContext(ctx))
}

// forgetUnsent lets the end of the connection drop what the system has not sent yet. For a slow reader that is
// seconds of sound, by which a credential would outlive its death.
func forgetUnsent(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		_ = c.SetLinger(0) // a connection that is gone sends nothing either
	}
}

// Flush sends what was written so far.
func (p *reply) Flush() { _ = p.FlushError() }

// FlushError is Flush for those who want to know.
func (p *reply) FlushError() error {
	p.begin()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

var _ http.Flusher = (*reply)(nil)
