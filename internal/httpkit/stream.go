package httpkit

import (
	"context"
	"net/http"
)

type (
	stoppingKey struct{} // a context that ends when the server begins to stop
	drainedKey  struct{} // a context that ends when the drain time is over
	connKey     struct{} // the connection of a request
)

// unsentLimit limits how much of a stream the kernel buffers beyond what the client can receive.
// The default is megabytes: two hundred stalled clients would cost most of a gigabyte, and a slow
// listener would have to read all the events that it missed.
const unsentLimit = 128 << 10

// stream runs a handler whose context also ends with the caller's credential and with the drain
// time of a stopping server. Writes in progress fail then.
func (l *servedRoute) stream(p *reply, r *http.Request, caller Caller) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if caller.Context != nil {
		defer context.AfterFunc(caller.Context, func() { discardUnsent(ctx); cancel() })()
	}
	if drained, ok := ctx.Value(drainedKey{}).(context.Context); ok {
		defer context.AfterFunc(drained, cancel)()
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { p.end(); close(ended) })
	defer func() {
		if !stop() {
			<-ended // otherwise it could change the deadline of the next request on this connection
		}
	}()
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		limitUnsent(c.TCPConn)
	}
	open := l.metric().streams
	open.Inc()
	defer open.Dec()
	return l.Handler(p, r.WithContext(ctx))
}

// discardUnsent makes closing the connection discard the bytes that the kernel has not sent: for a
// slow reader these are seconds of audio, which a revoked credential must not receive.
func discardUnsent(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		_ = c.SetLinger(0) // fails only if the connection is closed
	}
}

// Flush sends what was written so far.
func (p *reply) Flush() { _ = p.FlushError() }

// FlushError is Flush with its error.
func (p *reply) FlushError() error {
	p.begin()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

var _ http.Flusher = (*reply)(nil)
