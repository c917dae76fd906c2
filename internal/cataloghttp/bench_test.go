package cataloghttp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waxwing/internal/cataloghttp"
)

// BenchmarkReads measures reads without the network.
func BenchmarkReads(b *testing.B) {
	h := start(b, 5000)
	server, err := cataloghttp.New(b.Context(), fresh(h.cfg))
	if err != nil {
		b.Fatal(err)
	}
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7845}
	ctx := context.WithValue(b.Context(), http.LocalAddrContextKey, addr)
	request := func(path string) *http.Request {
		path, query, _ := strings.Cut(path, "?")
		r := &http.Request{
			Method: "GET", URL: &url.URL{Path: path, RawQuery: query}, RequestURI: path, Host: "127.0.0.1:7845",
			Header: http.Header{"X-Api-Key": {h.keys["read"]}},
		}
		return r.WithContext(ctx)
	}
	for name, path := range map[string]func() string{
		"warm page": func() string { return "/api/songs?page=3&limit=50" },
		"one song":  func() string { return "/api/songs/" + h.ids[rand.IntN(len(h.ids))] },
		"trending":  func() string { return "/api/songs/trending" },
		"random page": func() string {
			return fmt.Sprintf("/api/songs?page=%d&limit=50&n=%d", 1+rand.IntN(100), rand.IntN(1000))
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := &discard{header: http.Header{}}
				if server.ServeHTTP(w, request(path())); w.status != 200 {
					b.Fatalf("GET %s: got %d, want 200", path(), w.status)
				}
			}
		})
	}
}

// discard discards a response.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
