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

// statusOf is the one table from kinds of error to HTTP.
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

// writeWindow is how long one write may wait for a client that does not read. Each write
// gets a new one, so a long answer to a live client is never cut and a deaf client never
// holds on to anything.
const writeWindow = 30 * time.Second

// reply watches what is sent. One is taken from a pool for each request.
type reply struct {
	http.ResponseWriter
	request *http.Request
	body    bytes.Buffer // of a JSON answer, until it is sent
	status  int
	bytes   int64

	line     *line // that answers, once the mux has found it
	err      error // what became of it
	access   verdict
	panicked bool

	deadline sync.Mutex // the write deadline is also moved by the end of a stream
	renewed  time.Time
	ended    bool
}

func (p *reply) reset(w http.ResponseWriter, r *http.Request, now time.Time) {
	p.ResponseWriter, p.request = w, r
	p.status, p.bytes, p.line, p.err, p.access, p.panicked = 0, 0, nil, nil, verdict{}, false
	p.renewed, p.ended = now, false // the server has set the first window as it read the request
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

// ReadFrom lets a file go out without passing through our memory, in pieces small enough
// for each to have a deadline of its own.
func (p *reply) ReadFrom(src io.Reader) (sent int64, err error) {
	const piece = 1 << 20
	to, ok := p.ResponseWriter.(io.ReaderFrom)
	if !ok {
		return io.Copy(struct{ io.Writer }{p}, src)
	}
	left := int64(math.MaxInt64)
	if limited, ok := src.(*io.LimitedReader); ok { // the system sees a file through one limit, not through two
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

// end fails the write that may be waiting, and every later one.
func (p *reply) end() {
	p.deadline.Lock()
	defer p.deadline.Unlock()
	p.ended = true
	p.writeUntil(time.Now())
}

// writeUntil moves the deadline of the connection; what has none, as in a test, needs none.
func (p *reply) writeUntil(deadline time.Time) {
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(deadline)
}

// WriteJSON answers with v. It writes nothing if v cannot be encoded.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	var own bytes.Buffer
	buf := &own
	if p, ok := w.(*reply); ok {
		buf = &p.body
		buf.Reset()
	}
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // the type is always declared and never sniffed
	if err := enc.Encode(v); err != nil {
		return err
	}
	w.Header()["Content-Type"] = contentJSON
	return writeBody(w, status, buf.Bytes())
}

// WriteBody answers with bytes that are already encoded.
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
	if p, ok := w.(*reply); ok && len(body) >= firstWrite && p.request.Method != http.MethodHead {
		if c, ok := p.request.Context().Value(connKey{}).(*conn); ok {
			c.expectTwo()
		}
	}
	_, err := w.Write(body)
	return err
}

// errorBody is every error on the wire.
type errorBody struct {
	Error string `json:"error"`
}

// fail answers with err unless the answer has begun, and returns what the log should know:
// nil where the sentence that was sent says it all.
func (f *Server) fail(p *reply, err error) error {
	kind, sentence := fault.Of(err)
	gone := errors.Is(err, context.Canceled) || errors.Is(err, http.ErrAbortHandler)
	if p.status != 0 {
		if gone {
			return nil
		}
		return err
	}
	if gone && kind == fault.Internal {
		kind, sentence = fault.Unavailable, "the request was given up"
	}
	h := p.Header()
	h.Del("ETag")
	h.Del("Cache-Control")
	switch kind {
	case fault.Unauthenticated:
		h.Set("WWW-Authenticate", f.cfg.Challenge)
	case fault.TooMany, fault.Unavailable:
		if h.Get("Retry-After") == "" {
			h.Set("Retry-After", retryAfter(err))
		}
	}
	_ = WriteJSON(p, statusOf[kind], errorBody{sentence}) // a client that is gone is no fault of ours
	if kind == fault.Internal || errors.Unwrap(err) != nil && !gone {
		return err
	}
	return nil
}

// RetryLater is an error that knows when another try makes sense.
type RetryLater struct {
	After time.Duration
	Err   error
}

func (e *RetryLater) Error() string { return e.Err.Error() }
func (e *RetryLater) Unwrap() error { return e.Err }

// retryAfter is the header's value in whole seconds, never 0.
func retryAfter(err error) string {
	var later *RetryLater
	if errors.As(err, &later) && later.After > time.Second {
		return strconv.Itoa(int((later.After + time.Second - 1) / time.Second))
	}
	return "1"
}
