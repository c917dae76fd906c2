package httpkit

import (
	"context"
	"net/http"
)

type drainKey struct{}

// stream runs a handler whose context also ends with the caller's credential and with the
// server, and whose waiting writes fail at that moment.
func (l *line) stream(p *reply, r *http.Request, caller Caller) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if caller.Life != nil {
		defer context.AfterFunc(caller.Life, cancel)()
	}
	if drain, ok := ctx.Value(drainKey{}).(context.Context); ok {
		defer context.AfterFunc(drain, cancel)()
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { p.end(); close(ended) })
	defer func() {
		if !stop() {
			<-ended // the connection may serve another request next, whose deadline is not ours to move
		}
	}()
	l.seen.streams.Inc()
	defer l.seen.streams.Dec()
	return l.Handler(p, r.WithContext(ctx))
}

// Flush sends what was written so far.
func (p *reply) Flush() { _ = p.FlushError() }

// FlushError is Flush for those who want to know.
func (p *reply) FlushError() error {
	p.begin()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

var _ http.Flusher = (*reply)(nil)
