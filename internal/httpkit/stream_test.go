package httpkit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/httpkit"
)

// endless returns a handler that writes until the write fails or the context ends, and sends the
// error to ended.
func endless(ended chan<- error) httpkit.Handler {
	block := make([]byte, 64<<10)
	return func(w http.ResponseWriter, r *http.Request) error {
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				ended <- err
				return err
			}
		}
		ended <- r.Context().Err()
		return r.Context().Err()
	}
}

// openUnread requests a stream and returns its connection without reading from it.
func (f *server) openUnread(t *testing.T, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nX-Key: good\r\n\r\n", path, strings.TrimPrefix(f.url, "http://"))
	return conn
}

// TestCredentialEndEndsStalledStreams checks that even a write that waits for its client fails at
// once when the credential ends.
func TestCredentialEndEndsStalledStreams(t *testing.T) {
	const streams = 20
	credential, revoke := context.WithCancel(t.Context())
	ended := make(chan error, streams)
	f := serve(t, "127.0.0.1:0", credential,
		httpkit.Route{Pattern: "GET /s", Need: httpkit.Read, Kind: httpkit.Stream, Handler: endless(ended)},
	)
	for range streams {
		conn := f.openUnread(t, "/s")
		if _, err := conn.Read(make([]byte, 1)); err != nil { // the stream has begun
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("a stream ended before its credential: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	revoke()
	within(t, time.Second, "the end of the streams", func() {
		for range streams {
			<-ended
		}
	})
}

// TestSlowClientsDoNotDelayOthers checks that incomplete requests time out and that other clients
// are served before that.
func TestSlowClientsDoNotDelayOthers(t *testing.T) {
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{
			Pattern: "POST /x",
			Need:    httpkit.Public,
			Handler: httpkit.Op(func(*http.Request, httpkit.None) (string, error) { return "ok", nil }),
		},
	)
	host := strings.TrimPrefix(f.url, "http://")
	var conns []net.Conn
	for i := range 100 {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
		if i%2 == 0 {
			fmt.Fprintf(conn, "POST /x HTTP/1.1\r\nHost: %s\r\nX-Half", host)
		} else {
			fmt.Fprintf(conn, "POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{", host)
		}
	}
	worst := time.Duration(0)
	for range 200 {
		started := time.Now()
		if resp, body := f.do(t, "POST", "/x", "{}"); resp.StatusCode != 200 || body != `"ok"` {
			t.Fatalf("with slow clients: got %d %s, want 200 \"ok\"", resp.StatusCode, body)
		}
		worst = max(worst, time.Since(started))
	}
	if worst > time.Second {
		t.Errorf("with slow clients: slowest request took %v, want at most 1s", worst)
	}
	// The server closes a connection whose headers are incomplete after ReadHeaderTimeout.
	_ = conns[0].SetReadDeadline(time.Now().Add(8 * time.Second))
	if _, err := io.ReadAll(conns[0]); err != nil {
		t.Errorf("incomplete headers: got %v, want a closed connection", err)
	}
	t.Logf("slowest request with 100 slow clients: %v", worst)
}

// TestStalledClientsUseLittleKernelMemory checks that the kernel buffers at most a megabyte for a
// client that does not read.
func TestStalledClientsUseLittleKernelMemory(t *testing.T) {
	ended := make(chan error, 1)
	var written atomic.Int64
	block := make([]byte, 16<<10)
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{
			Pattern: "GET /s",
			Need:    httpkit.Public,
			Kind:    httpkit.Stream,
			Handler: func(w http.ResponseWriter, r *http.Request) error {
				for {
					if _, err := w.Write(block); err != nil {
						ended <- err
						return err
					}
					written.Add(int64(len(block)))
				}
			},
		},
	)
	conn := f.openUnread(t, "/s")
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	// The stream has stalled when nothing more is written for half a second.
	for before := int64(-1); before != written.Load() || before == 0; {
		before = written.Load()
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(500 * time.Millisecond):
		}
	}
	if buffered := written.Load(); buffered > 1<<20 {
		t.Errorf("got %d KiB buffered for a client that does not read, want at most 1024", buffered>>10)
	}
	_ = conn.Close()
	<-ended
}

// TestFilesAndRangesAreSentCompletely covers the ReadFrom method of the reply.
func TestFilesAndRangesAreSentCompletely(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := strings.Repeat("0123456789abcdef", 300_000) // several pieces of 1 MiB
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{
			Pattern: "GET /f",
			Need:    httpkit.Public,
			Kind:    httpkit.Stream,
			Handler: func(w http.ResponseWriter, r *http.Request) error {
				http.ServeFile(w, r, path)
				return nil
			},
		},
	)
	if _, body := f.do(t, "GET", "/f", ""); body != content {
		t.Errorf("file: got %d bytes, want the %d of the file", len(body), len(content))
	}
	resp, body := f.do(t, "GET", "/f", "", "Range", "bytes=1048570-3145740")
	if resp.StatusCode != http.StatusPartialContent || body != content[1048570:3145741] {
		t.Errorf("range: got status %d and %d bytes, want 206 and %d bytes", resp.StatusCode, len(body), 3145741-1048570)
	}
	if log := f.log.String(); !strings.Contains(log, fmt.Sprintf("bytes=%d", len(content))) {
		t.Errorf("got log\n%s\nwant bytes=%d", log, len(content))
	}
}

// TestPanicDuringReplyAbortsConnection checks that the client can tell an incomplete reply from a
// complete one, and that a panic before the reply gives a 500.
func TestPanicDuringReplyAbortsConnection(t *testing.T) {
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{
			Pattern: "GET /partial",
			Need:    httpkit.Public,
			Handler: func(w http.ResponseWriter, _ *http.Request) error {
				_, _ = io.WriteString(w, "partial")
				http.NewResponseController(w).Flush()
				panic("during the reply")
			},
		},
		httpkit.Route{
			Pattern: "GET /early",
			Need:    httpkit.Public,
			Handler: func(http.ResponseWriter, *http.Request) error { panic("early") },
		},
	)
	resp, err := http.Get(f.url + "/partial")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(bufio.NewReader(resp.Body)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("partial reply: got %q, %v; want %v", body, err, io.ErrUnexpectedEOF)
	}
	if resp, body := f.do(t, "GET", "/early", ""); resp.StatusCode != 500 || !strings.HasPrefix(body, `{"error":`) {
		t.Errorf("panic before the reply: got %d %s, want 500 and an error", resp.StatusCode, body)
	}
	if log := f.log.String(); !strings.Contains(log, "during the reply") || !strings.Contains(log, "panic: early") {
		t.Errorf("got log\n%s\nwant both panics", log)
	}
}
