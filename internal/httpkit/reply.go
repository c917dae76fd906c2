package httpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"waxwing/internal/fault"
)

// statusOf maps kinds of error to HTTP statuses.
var statusOf = [...]int{
	fault.Internal:        http.StatusInternalServerError,
	fault.Invalid:         http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.TooMany:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// writeWindow is how long one write may wait for a client that does not read. Each write gets a
// new deadline, so a long reply to a reading client is never cut.
const writeWindow = 30 * time.Second

// reply records the reply to a request. Each request takes one from a pool.
type reply struct {
	http.ResponseWriter
	body   bytes.Buffer // a JSON reply until it is sent
	status int
	bytes  int64

	route    *servedRoute // once the mux has found it
	err      error        // returned by the handler
	access   verdict
	panicked bool

	deadline sync.Mutex // the end of a stream moves the write deadline too
	renewed  time.Time
	ended    bool
}

func (p *reply) reset(w http.ResponseWriter, now time.Time) {
	p.ResponseWriter = w
	p.status, p.bytes, p.route, p.err, p.access, p.panicked = 0, 0, nil, nil, verdict{}, false
	p.renewed, p.ended = now, false // the server set the first deadline when it read the request
}

func (p *reply) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *reply) WriteHeader(status int) {
	if p.status == 0 && status >= 200 {
		p.status = status
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *reply) Write(b []byte) (int, error) {
	p.begin()
	n, err := p.ResponseWriter.Write(b)
	p.bytes += int64(n)
	return n, err
}

// ReadFrom sends a file without copying it through user space, in pieces with a deadline each.
func (p *reply) ReadFrom(src io.Reader) (sent int64, err error) {
	const piece = 1 << 20
	to, ok := p.ResponseWriter.(io.ReaderFrom)
	if !ok {
		return io.Copy(struct{ io.Writer }{p}, src)
	}
	left := int64(math.MaxInt64)
	if limited, ok := src.(*io.LimitedReader); ok { // sendfile works through one limit, not through two
		src, left = limited.R, limited.N
		defer func() { limited.N -= sent }()
	}
	for left > 0 {
		p.begin()
		want := min(left, piece)
		n, err := to.ReadFrom(&io.LimitedReader{R: src, N: want})
		sent, left, p.bytes = sent+n, left-n, p.bytes+n
		if err != nil || n < want {
			return sent, err
		}
	}
	return sent, nil
}

func (p *reply) begin() {
	if p.status == 0 {
		p.status = http.StatusOK
	}
	p.deadline.Lock()
	defer p.deadline.Unlock()
	if now := time.Now(); !p.ended && now.Sub(p.renewed) > writeWindow/10 {
		p.renewed = now
		p.writeUntil(now.Add(writeWindow))
	}
}

// end fails the write in progress and all later ones.
func (p *reply) end() {
	p.deadline.Lock()
	defer p.deadline.Unlock()
	p.ended = true
	p.writeUntil(time.Now())
}

// writeUntil sets the write deadline of the connection. A test's recorder has none.
func (p *reply) writeUntil(deadline time.Time) {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(deadline)
}

// WriteJSON replies with v. It writes nothing if v cannot be encoded.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	var own bytes.Buffer
	buf := &own
	if p, ok := w.(*reply); ok {
		buf = &p.body
		buf.Reset()
	}
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // the content type is declared and never sniffed
	if err := enc.Encode(v); err != nil {
		return err
	}
	w.Header()["Content-Type"] = contentJSON
	return writeBody(w, status, buf.Bytes())
}

// WriteBody replies with bytes that are already encoded.
func WriteBody(w http.ResponseWriter, status int, contentType string, body []byte) error {
	if contentType == JSONType {
		w.Header()["Content-Type"] = contentJSON
	} else {
		w.Header()["Content-Type"] = []string{contentType}
	}
	return writeBody(w, status, body)
}

func writeBody(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if _, set := h["Cache-Control"]; !set {
		h["Cache-Control"] = noStore
	}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// errorBody is the body of every error reply.
type errorBody struct {
	Error string     `json:"error"`
	Code  fault.Code `json:"code,omitempty"`
}

// WriteError replies with an error whose status has no fault kind.
func WriteError(w http.ResponseWriter, status int, code fault.Code, sentence string) {
	_ = WriteJSON(w, status, errorBody{sentence, code}) // the client may have disconnected
}

// fail replies with err unless the reply has begun. It returns the error to log; nil if the message
// in the reply is complete.
func (s *Server) fail(p *reply, r *http.Request, err error) error {
	kind, _ := fault.Of(err)
	cancelled := errors.Is(err, context.Canceled) || errors.Is(err, http.ErrAbortHandler)
	if p.status != 0 {
		if cancelled {
			return nil
		}
		return err
	}
	shown := err
	if cancelled && kind == fault.Internal {
		kind, shown = fault.Unavailable, fault.New(fault.Unavailable, "the request was cancelled")
	}
	h := p.Header()
	h.Del("ETag")
	h.Del("Cache-Control")
	switch kind {
	case fault.Unauthenticated:
		h.Set("WWW-Authenticate", s.cfg.Challenge)
	case fault.TooMany, fault.Unavailable:
		if h.Get("Retry-After") == "" {
			h.Set("Retry-After", retryAfter(err))
		}
	}
	s.refuse(p, r, statusOf[kind], shown)
	if kind == fault.Internal || errors.Unwrap(err) != nil && !cancelled {
		return err
	}
	return nil
}

// refuse replies with an error. Metrics and logs show its status.
func (s *Server) refuse(p *reply, r *http.Request, status int, err error) {
	if s.cfg.Failure == nil {
		_, sentence := fault.Of(err)
		WriteError(p, status, fault.CodeOf(err), sentence)
		return
	}
	s.cfg.Failure(p, r, status, err)
	p.status = status
}

// RetryLater is an error with the time after which a retry makes sense.
type RetryLater struct {
	After time.Duration
	Err   error
}

func (e *RetryLater) Error() string { return e.Err.Error() }
func (e *RetryLater) Unwrap() error { return e.Err }

// retryAfter returns the value of the header in whole seconds, at least 1.
func retryAfter(err error) string {
	var later *RetryLater
	if errors.As(err, &later) && later.After > time.Second {
		return strconv.Itoa(int((later.After + time.Second - 1) / time.Second))
	}
	return "1"
}
