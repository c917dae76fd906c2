package s3server

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Gate is an HTTP server in front of an S3 server. It counts requests, and can reply in place of
// the storage.
type Gate struct {
	URL  string
	Addr string // HOST:PORT

	mu     sync.Mutex
	gets   map[string]int
	failed string // what Fail said
	status int
	ended  int
}

// NewGate starts a gate, which stops at the end of the test. With secure it uses TLS with a
// certificate that nobody trusts.
func (s *Server) NewGate(t testing.TB, secure bool) *Gate {
	t.Helper()
	g := &Gate{gets: make(map[string]int)}
	target := &url.URL{Scheme: "http", Host: s.Addr}
	pass := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // the client sees what the gate saw: no reply
		},
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, code := g.note(r)
		if code != "" {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `<Error><Code>%s</Code><Message>m</Message><Region>eu-north-1</Region></Error>`, code)
			return
		}
		defer func() {
			if r.Context().Err() != nil {
				g.mu.Lock()
				g.ended++
				g.mu.Unlock()
			}
		}()
		pass.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	g.URL, g.Addr = server.URL, server.Listener.Addr().String()
	return g
}

// note counts a request, and returns what to reply in place of the storage.
func (g *Gate) note(r *http.Request) (status int, code string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method == http.MethodGet && !r.URL.Query().Has("list-type") {
		g.gets[strings.TrimPrefix(r.URL.Path, "/"+Bucket+"/")]++
	}
	return g.status, g.failed
}

// Fail makes every reply an error with a status and a code of S3, until Heal.
func (g *Gate) Fail(status int, code string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.status, g.failed = status, code
}

// Heal ends Fail.
func (g *Gate) Heal() { g.Fail(0, "") }

// Gets returns how often each object was requested, and forgets it.
func (g *Gate) Gets() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	gets := g.gets
	g.gets = make(map[string]int)
	return gets
}

// Ended returns how many requests their client ended before the whole reply was sent.
func (g *Gate) Ended() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}
