// Package client is the Go client of both APIs of Waxwing: Player for the control API of a player,
// Catalog for the catalog API. The zero values use the default addresses.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Error is a request that failed. Message is written for people.
type Error struct {
	Status     int    // of the reply; 0 if Waxwing sent none
	Code       string // names the error for programs, as docs/api.md lists them; "" if the server sent none
	Message    string
	RequestID  string        // identifies the request in the server's log
	RetryAfter time.Duration // after which a retry makes sense; 0 if the server did not say
	Err        error         // the cause, if it is not an HTTP reply
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of err, such as "not_found"; "" if Waxwing sent none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// StatusOf returns the HTTP status of err, or 0 if Waxwing sent no reply.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// Limits of a decoded reply.
const (
	maxReply        = 64 << 20 // bytes
	maxCatalogReply = 8 << 20  // bytes from a catalog, whose lists have at most 200 rows
	// maxCatalogValues limits the values in a reply of a catalog: an empty element of a list takes
	// three bytes there and hundreds in memory.
	maxCatalogValues = 200_000
	maxMessage       = 1000 // bytes of an error message
	maxCode          = 64   // bytes of an error code
	maxHeader        = 200  // bytes of a header in an error
)

// transport holds what both clients share: the address, the credential and the names for error
// messages.
type transport struct {
	base       string // without a trailing slash
	header     string // of the credential
	credential string // value of the header; "" sends none
	name       string // of the server in messages
	hint       string // the command that starts it
	http       *http.Client
	maxReply   int64
	maxValues  int // 0: no limit
}

// do sends in, if it is not nil, and decodes the reply into out, if that is not nil.
func (t transport) do(ctx context.Context, method, path string, in, out any) error {
	_, err := t.call(ctx, method, path, nil, in, out)
	return err
}

// call is do with additional headers. It returns the status of a successful reply.
func (t transport) call(
	ctx context.Context, method, path string, header http.Header, in, out any,
) (status int, err error) {
	resp, err := t.open(ctx, method, path, header, in)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if out == nil {
		_, _ = io.CopyN(io.Discard, resp.Body, 1<<10) // lets the connection be used again
		return resp.StatusCode, nil
	}
	body := io.LimitReader(resp.Body, t.maxReply)
	if t.maxValues > 0 {
		body = &valueLimiter{body, t.maxValues}
	}
	if err := json.NewDecoder(body).Decode(out); err != nil {
		return 0, &Error{
			Status: resp.StatusCode, Message: fmt.Sprintf("the %s sent an invalid reply", t.name),
			RequestID: clip(resp.Header.Get("X-Request-Id"), maxHeader), Err: err,
		}
	}
	return resp.StatusCode, nil
}

// valueLimiter reads JSON with a limited number of values.
type valueLimiter struct {
	r    io.Reader
	left int
}

func (l *valueLimiter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for _, c := range p[:n] {
		if c == ',' || c == '[' || c == '{' { // also in texts, which have few
			l.left--
		}
	}
	if l.left < 0 {
		return 0, errors.New("the reply has too many values")
	}
	return n, err
}

// clip shortens a text of a server to at most n bytes and removes what is not printable.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "")
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// open sends a request and returns the reply of a success with its body unread. The caller
// closes the body. Anything but a 2xx or a 304 is an *Error.
func (t transport) open(ctx context.Context, method, path string, header http.Header, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, t.base+path, body)
	if err != nil {
		return nil, &Error{Message: fmt.Sprintf("%q is not the address of a %s", t.base, t.name), Err: err}
	}
	for key, values := range header {
		req.Header[key] = values
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if t.credential != "" {
		req.Header.Set(t.header, t.credential)
	}
	resp, err := t.client().Do(req)
	if err != nil {
		return nil, t.unreachable(ctx, err)
	}
	if resp.Header.Get("X-Waxwing-Version") == "" {
		_ = resp.Body.Close()
		// The status of another program, such as the 404 of a proxy, means nothing here.
		return nil, &Error{
			Message: fmt.Sprintf("the server at %s is not Waxwing; is another program using that port?", t.base),
		}
	}
	if resp.StatusCode/100 == 2 || resp.StatusCode == http.StatusNotModified {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, t.refused(resp)
}

// client follows no redirects, so that the credential is sent to no other server.
func (t transport) client() *http.Client {
	c := http.Client{}
	if t.http != nil {
		c = *t.http
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

func (t transport) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if own := (*Error)(nil); errors.As(err, &own) {
		return own // of the dialer in HTTP
	}
	return &Error{Message: fmt.Sprintf("no %s at %s; start it with: %s", t.name, t.base, t.hint), Err: err}
}

// refused returns the error of a reply that is not a success.
func (t transport) refused(resp *http.Response) error {
	e := &Error{Status: resp.StatusCode, RequestID: clip(resp.Header.Get("X-Request-Id"), maxHeader)}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(min(max(seconds, 0), 24*3600)) * time.Second
	}
	var body struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&body); err != nil || body.Error == "" {
		body.Error = fmt.Sprintf("the %s replied with %s", t.name, strings.ToLower(resp.Status))
	}
	e.Message, e.Code = clip(body.Error, maxMessage), clip(body.Code, maxCode)
	return e
}
