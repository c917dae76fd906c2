package httpkit_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/httpkit"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// serveLimited starts a server with limits. Its credentials are the values of X-Key; /hold and
// /stream wait for the end of the request.
func serveLimited(t *testing.T, limits httpkit.Limits, change ...func(*httpkit.LimitedListener)) (addr string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	ln := httpkit.Limit(apitest.Listen(t), "test", limits, registry)
	for _, f := range change {
		f(ln)
	}
	log := slog.New(slog.DiscardHandler)
	hold := func(w http.ResponseWriter, r *http.Request) error {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return nil
	}
	h := httpkit.New(httpkit.Config{
		Name: "test", Version: "1", Challenge: "Key", Log: log, Metrics: registry,
		RequestsPerCredential: limits.Requests,
		Authenticate: func(_ http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
			if key := r.Header.Get("X-Key"); key != "" {
				return httpkit.Caller{ID: key, Permissions: access.Read}, nil
			}
			return httpkit.Caller{}, httpkit.ErrNoCredential
		},
	}, []httpkit.Route{
		{Pattern: "GET /open", Need: httpkit.Public, Handler: respond(http.StatusOK, "open")},
		{Pattern: "GET /read", Need: httpkit.Read, Handler: respond(http.StatusOK, "read")},
		{Pattern: "GET /hold", Need: httpkit.Read, Handler: hold},
		{Pattern: "GET /stream", Need: httpkit.Read, Kind: httpkit.Stream, Handler: hold},
	})
	apitest.Serve(t, ln, h, log)
	return ln.Addr().String()
}

// connection is one connection to a limited server.
type connection struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func dialLimited(t *testing.T, addr string) *connection {
	t.Helper()
	return dialFrom(t, nil, addr)
}

// dialFrom connects from an address of this machine.
func dialFrom(t *testing.T, from net.IP, addr string) *connection {
	t.Helper()
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &connection{c, t, bufio.NewReader(c)}
}

// get sends a request and returns the status of the reply; 0 if the connection was closed.
func (c *connection) get(path, key string) int {
	c.t.Helper()
	request := "GET " + path + " HTTP/1.1\r\nHost: " + c.RemoteAddr().String() + "\r\n"
	if key != "" {
		request += "X-Key: " + key + "\r\n"
	}
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, request+"\r\n"); err != nil {
		return 0
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return 0
	}
	if !strings.HasPrefix(path, "/hold") && !strings.HasPrefix(path, "/stream") {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	return resp.StatusCode
}

func want(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d, want %d", what, got, want)
	}
}

func TestIdleConnectionsMakeRoomForNewOnes(t *testing.T) {
	addr := serveLimited(t, httpkit.Limits{Connections: 8})
	streams := []*connection{dialLimited(t, addr), dialLimited(t, addr)}
	for _, s := range streams {
		want(t, "a stream", s.get("/stream", "a"), http.StatusOK)
	}
	used := dialLimited(t, addr)
	want(t, "a used connection", used.get("/read", "a"), http.StatusOK)
	for range 50 { // silent, half a request, and idle after a request without a credential
		dialLimited(t, addr)
		_, _ = io.WriteString(dialLimited(t, addr), "POST /open HTTP/1.1\r\nHo")
		dialLimited(t, addr).get("/open", "")
	}
	owner := dialLimited(t, addr)
	want(t, "a new connection", owner.get("/read", "owner"), http.StatusOK)
	want(t, "the connection that was idle for the longest time", used.get("/read", "a"), 0)
	for range 4 { // it was used a moment ago, so others are closed first
		dialLimited(t, addr).get("/open", "")
	}
	want(t, "the same connection again", owner.get("/read", "owner"), http.StatusOK)
	for _, s := range streams {
		_ = s.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := s.r.ReadByte(); err == nil || !isTimeout(err) {
			t.Errorf("an authorized stream: got %v, want it open", err)
		}
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

func TestConnectionsBeyondAuthorizedOnesAreRefused(t *testing.T) {
	addr := serveLimited(t, httpkit.Limits{Connections: 3})
	for range 3 {
		want(t, "a stream", dialLimited(t, addr).get("/stream", "a"), http.StatusOK)
	}
	want(t, "one more connection", dialLimited(t, addr).get("/open", ""), http.StatusServiceUnavailable)
}

// Addresses of loopback have no limit, because proxies and all accounts share them. Here they stand
// for other machines.
func TestAddressCannotHoldAllConnections(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs more than one address of loopback")
	}
	crowd, other := net.IPv4(127, 0, 0, 2), net.IPv4(127, 0, 0, 3)
	addr := serveLimited(t, httpkit.Limits{Connections: 100, PerAddress: 4}, httpkit.LimitLoopback)
	idle := dialFrom(t, other, addr)
	want(t, "a connection of another address", idle.get("/read", "owner"), http.StatusOK)
	first := dialFrom(t, crowd, addr)
	want(t, "the first connection of the crowd", first.get("/read", "a"), http.StatusOK)
	for range 50 {
		dialFrom(t, crowd, addr)
	}
	want(t, "a new connection of the crowd", dialFrom(t, crowd, addr).get("/read", "a"), http.StatusOK)
	want(t, "its first connection, closed for a new one", first.get("/read", "a"), 0)
	want(t, "the connection of another address", idle.get("/read", "owner"), http.StatusOK)
	var streams []*connection
	for range 4 {
		streams = append(streams, dialFrom(t, crowd, addr))
		want(t, "a stream of the crowd", streams[len(streams)-1].get("/stream", "a"), http.StatusOK)
	}
	want(t, "one more connection of the crowd", dialFrom(t, crowd, addr).get("/read", "a"), http.StatusServiceUnavailable)
	for range 4 {
		want(t, "a stream of another address", dialFrom(t, net.IPv4(127, 0, 0, 4), addr).get("/stream", "b"), http.StatusOK)
	}
	want(t, "the connection of another address", idle.get("/read", "owner"), http.StatusOK)
	_ = streams[0].Close()
	testenv.WaitFor(t, "the place of a closed stream", func() bool {
		return dialFrom(t, crowd, addr).get("/read", "a") == http.StatusOK
	})
	testenv.Report(t, testenv.Floods, testenv.Tally{Inputs: 7, Faults: 55,
		Note: "connections of one address beyond its limit: idle ones of the same address closed, then 503"})
}

// By default addresses of loopback share the limit of the listener only.
func TestLoopbackHasNoLimitPerAddress(t *testing.T) {
	addr := serveLimited(t, httpkit.Limits{Connections: 100, PerAddress: 2})
	for range 6 {
		want(t, "a stream", dialLimited(t, addr).get("/stream", "a"), http.StatusOK)
	}
}

func TestCredentialCannotHoldAllConnections(t *testing.T) {
	addr := serveLimited(t, httpkit.Limits{Connections: 100, Requests: 8})
	for range 6 {
		want(t, "a stream", dialLimited(t, addr).get("/stream", "a"), http.StatusOK)
	}
	want(t, "one more stream", dialLimited(t, addr).get("/stream", "a"), http.StatusTooManyRequests)
	want(t, "a short request", dialLimited(t, addr).get("/read", "a"), http.StatusOK)
	for range 2 {
		want(t, "a slow request", dialLimited(t, addr).get("/hold", "a"), http.StatusOK)
	}
	want(t, "one more request", dialLimited(t, addr).get("/read", "a"), http.StatusTooManyRequests)
	want(t, "another credential", dialLimited(t, addr).get("/stream", "b"), http.StatusOK)
	want(t, "a request without credential", dialLimited(t, addr).get("/open", ""), http.StatusOK)
}

func TestEndedStreamsAreNotCounted(t *testing.T) {
	addr := serveLimited(t, httpkit.Limits{Connections: 100, Requests: 4})
	for range 3 {
		c := dialLimited(t, addr)
		want(t, "a stream", c.get("/stream", "a"), http.StatusOK)
		_ = c.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for dialLimited(t, addr).get("/stream", "a") != http.StatusOK {
		if ctx.Err() != nil {
			t.Fatal("closed streams are still counted")
		}
		time.Sleep(time.Millisecond)
	}
}
