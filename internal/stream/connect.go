package stream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/fault"
)

// Limits of a connection.
const (
	connectTime  = 10 * time.Second
	replyTime    = 15 * time.Second
	maxHeader    = 64 << 10
	maxRedirects = 5
	peeked       = 4 << 10 // bytes of a reply that tell a playlist from audio
)

// newHTTP returns a client that connects only where the policy permits. It has no cookies and no
// proxy, and sends neither credentials nor the address of the page before.
func newHTTP(policy Policy, names *net.Resolver) *http.Client {
	dialer := &net.Dialer{Timeout: connectTime, ControlContext: policy.control, Resolver: names}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return &icyConn{Conn: conn}, nil
			},
			TLSHandshakeTimeout: connectTime, ResponseHeaderTimeout: replyTime,
			MaxResponseHeaderBytes: maxHeader, DisableKeepAlives: true, DisableCompression: true,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if len(before) > maxRedirects {
				return fault.New(fault.Invalid, "the server redirects more than %d times", maxRedirects)
			}
			next.Header.Del("Referer")
			return checkURL(next.URL)
		},
	}
}

// icyConn makes the status line of old ICY servers one of HTTP: "ICY 200 OK".
type icyConn struct {
	net.Conn
	read bool
}

func (c *icyConn) Read(p []byte) (int, error) {
	if c.read || len(p) < 16 {
		return c.Conn.Read(p)
	}
	c.read = true
	const icy, plain = "ICY ", "HTTP/1.0 "
	n, err := c.Conn.Read(p[:len(p)-len(plain)+len(icy)])
	if n >= len(icy) && string(p[:len(icy)]) == icy {
		copy(p[len(plain):], p[len(icy):n])
		n += copy(p, plain) - len(icy)
	}
	return n, err
}

// reply is a successful reply of a server.
type reply struct {
	*http.Response
	body *bufio.Reader
	head []byte // the first bytes of the body, which are still to be read
}

// get requests a URL from an offset on.
func (c *Client) get(ctx context.Context, u *url.URL, offset int64) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fault.New(fault.Invalid, "url is not valid")
	}
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Icy-MetaData", "1")
	if offset > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(offset, 10)+"-")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, requestError(err)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusPartialContent {
		_ = resp.Body.Close() // not needed
		return nil, statusError(resp.StatusCode)
	}
	return &reply{Response: resp, body: bufio.NewReaderSize(resp.Body, 16<<10)}, nil
}

// statusError is the status of a reply that has no audio.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("the server replied with status %d", int(s)) }

// requestError returns the error of a failed request without its URL.
func requestError(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return fmt.Errorf("request a stream: %w", err)
}

// peek reads the beginning of the body, as much as has arrived with the header.
func (r *reply) peek() error {
	head, err := r.body.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return fmt.Errorf("read a stream: %w", err)
	}
	r.head = head
	return nil
}

// isICY reports whether the reply comes from a radio.
func (r *reply) isICY() bool {
	for name := range r.Header {
		if strings.HasPrefix(strings.ToLower(name), "icy-") {
			return true
		}
	}
	return false
}

// metaInterval is the distance between two titles; 0: there are none.
func (r *reply) metaInterval() (int, error) {
	value := r.Header.Get("Icy-Metaint")
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxMetaInterval {
		return 0, fault.New(fault.Invalid, "the server announces titles at an invalid distance")
	}
	return n, nil
}
