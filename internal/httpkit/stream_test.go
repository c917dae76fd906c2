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

// endless writes for as long as anyone lets it, and reports how it ended.
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

// deaf opens a stream and never reads from it.
func (f *server) deaf(t *testing.T, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nX-Key: good\r\n\r\n", path, strings.TrimPrefix(f.url, "http://"))
	return conn
}

// TestDeadCredentialEndsDeafStreams: even a write that waits for its client ends at once.
func TestDeadCredentialEndsDeafStreams(t *testing.T) {
	const streams = 20
	life, die := context.WithCancel(t.Context())
	ended := make(chan error, streams)
	f := serve(
		t,
		"127.0.0.1:0",
		life,
		httpkit.Route{Pattern: "GET /s", Need: httpkit.Read, Kind: httpkit.Stream, Handler: endless(ended)},
	)
	for range streams {
		conn := f.deaf(t, "/s")
		if _, err := conn.Read(make([]byte, 1)); err != nil { // it has begun
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("a stream ended before its credential: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	die()
	within(t, time.Second, "the end of the streams", func() {
		for range streams {
			<-ended
		}
	})
}

// TestSlowClientsHoldUpNobody: half headers and dripping bodies are given up, and meanwhile
// others are served.
func TestSlowClientsHoldUpNobody(t *testing.T) {
	f := serve(
		t,
		"127.0.0.1:0",
		nil,
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
		began := time.Now()
		if resp, body := f.do(t, "POST", "/x", "{}"); resp.StatusCode != 200 || body != `"ok"` {
			t.Fatalf("beside slow clients: %d %s", resp.StatusCode, body)
		}
		worst = max(worst, time.Since(began))
	}
	if worst > time.Second {
		t.Errorf("beside slow clients a request took %v", worst)
	}
	// Half a header is given up after the time for headers.
	_ = conns[0].SetReadDeadline(time.Now().Add(8 * time.Second))
	if _, err := io.ReadAll(conns[0]); err != nil {
		t.Errorf("half a header was not given up: %v", err)
	}
	t.Logf("slowest request beside 100 slow clients: %v", worst)
}

// TestStalledClientsHoldLittle: what a client does not receive stays with its stream, not with the
// system.
func TestStalledClientsHoldLittle(t *testing.T) {
	ended := make(chan error, 1)
	var written atomic.Int64
	block := make([]byte, 16<<10)
	f := serve(
		t,
		"127.0.0.1:0",
		nil,
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
	conn := f.deaf(t, "/s")
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	// It has come to a halt when half a second brings nothing more.
	for before := int64(-1); before != written.Load() || before == 0; {
		before = written.Load()
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(500 * time.Millisecond):
		}
	}
	if held := written.Load(); held > 1<<20 {
		t.Errorf("%d KiB are held for a client that reads nothing", held>>10)
	}
	_ = conn.Close()
	<-ended
}

// TestFilesGoOutWhole, by ranges too, through the reply's own ReadFrom.
func TestFilesGoOutWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := strings.Repeat("0123456789abcdef", 300_000) // some pieces of 1 MiB
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	f := serve(
		t,
		"127.0.0.1:0",
		nil,
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
		t.Errorf("%d of %d bytes came", len(body), len(content))
	}
	resp, body := f.do(t, "GET", "/f", "", "Range", "bytes=1048570-3145740")
	if resp.StatusCode != http.StatusPartialContent || body != content[1048570:3145741] {
		t.Errorf("the range is %d, %d bytes", resp.StatusCode, len(body))
	}
	if log := f.log.String(); !strings.Contains(log, fmt.Sprintf("bytes=%d", len(content))) {
		t.Errorf("the log counts otherwise:\n%s", log)
	}
}

// TestPanicInMidAnswer: the client must not take half an answer for a whole one.
func TestPanicInMidAnswer(t *testing.T) {
	f := serve(
		t,
		"127.0.0.1:0",
		nil,
		httpkit.Route{
			Pattern: "GET /half",
			Need:    httpkit.Public,
			Handler: func(w http.ResponseWriter, _ *http.Request) error {
				_, _ = io.WriteString(w, "half")
				http.NewResponseController(w).Flush()
				panic("at the worst moment")
			},
		},
		httpkit.Route{
			Pattern: "GET /whole",
			Need:    httpkit.Public,
			Handler: func(http.ResponseWriter, *http.Request) error { panic("early") },
		},
	)
	resp, err := http.Get(f.url + "/half")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(bufio.NewReader(resp.Body)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an answer ended with %q, %v", body, err)
	}
	if resp, body := f.do(t, "GET", "/whole", ""); resp.StatusCode != 500 || !strings.HasPrefix(body, `{"error":`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if log := f.log.String(); !strings.Contains(log, "at the worst moment") || !strings.Contains(log, "panic: early") {
		t.Errorf("the log does not know of the panics:\n%s", log)
	}
}
