package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// flood opens n connections to addr, sends request on each and returns the status lines.
func flood(t *testing.T, addr, request string, n int) (conns []net.Conn, statuses map[string]int) {
	t.Helper()
	statuses = map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan struct{}, n)
	for range n {
		next <- struct{}{}
	}
	close(next)
	for range 32 {
		all.Go(func() {
			for range next {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					continue // the server's queue is full; the next one tries again
				}
				status := ""
				if request != "" {
					_ = c.SetDeadline(time.Now().Add(30 * time.Second))
					_, _ = c.Write([]byte(request))
					line, _ := bufio.NewReaderSize(c, 64).ReadString('\n')
					_, status, _ = strings.Cut(strings.TrimSpace(line), " ")
				}
				mu.Lock()
				conns = append(conns, c)
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return conns, statuses
}

// residentMB returns the memory of the server's process.
func (s *server) residentMB() int {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	match := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(text)
	if err != nil || match == nil {
		s.t.Fatalf("got no VmRSS in %s: %v", text, err)
	}
	kb, err := strconv.Atoi(string(match[1]))
	if err != nil {
		s.t.Fatal(err)
	}
	return kb >> 10
}

// TestFloodsDoNotLockTheOwnerOut opens more connections and streams than the server may have open
// files.
func TestFloodsDoNotLockTheOwnerOut(t *testing.T) {
	testenv.NeedsTool(t, "prlimit")
	t.Parallel()
	idle, streams := 6000, 2000
	if testenv.Long() {
		idle, streams = 15000, 8000
	}
	home := t.TempDir()
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home), process: process{
		args: []string{"--output", "null", "--no-mpris"}, under: []string{"prlimit", "--nofile=4096:4096"}}}
	s.start()
	s.stopWithTest()
	addr := strings.TrimPrefix(s.base, "http://")
	before := s.residentMB()
	tried, wrong := 0, 0
	// The first request of the owner after a flood waits until the server has accepted the connections
	// that the system queued before it, up to net.core.somaxconn. The others do not.
	var slowest, slowestNext time.Duration
	owner := func(when string) {
		t.Helper()
		for i := range 5 {
			tried++
			began := time.Now()
			r := s.request("POST", "/volume", fmt.Sprintf(`{"volume": %d}`, 50+i))
			if took := time.Since(began); i == 0 {
				slowest = max(slowest, took)
			} else {
				slowestNext = max(slowestNext, took)
			}
			if r.status != http.StatusOK {
				wrong++
				t.Errorf("%s: POST /volume: got %d %s, want 200", when, r.status, r.body)
			}
			http.DefaultClient.CloseIdleConnections() // each request needs a new connection
		}
		tried += 2
		if _, errs, code := s.run("pause"); code != 0 {
			wrong++
			t.Errorf("%s: waxwing pause: got %d %s, want 0", when, code, errs)
		}
		if r := s.request("POST", "/tokens", `{"name": "x", "permissions": ["read"]}`); r.status != http.StatusOK {
			wrong++
			t.Errorf("%s: a new token cannot be saved: %d %s", when, r.status, r.body)
		}
	}
	closeAll := func(conns []net.Conn) {
		for _, c := range conns {
			_ = c.Close()
		}
	}

	conns, _ := flood(t, addr, "", idle)
	owner("idle connections")
	closeAll(conns)
	conns, _ = flood(t, addr, "", idle/4)
	for _, c := range conns {
		_, _ = c.Write([]byte("POST /pair HTTP/1.1\r\nHost: " + addr + "\r\nContent-Length: 9\r\n\r\n{"))
	}
	owner("half requests")
	closeAll(conns)
	secret, errs, code := s.run("token", "create", "--name", "crowd", "--permission", "read")
	if code != 0 {
		t.Fatal(errs)
	}
	conns, statuses := flood(t, addr, "GET /events HTTP/1.1\r\nHost: "+addr+"\r\nAuthorization: Bearer "+
		strings.TrimSpace(secret)+"\r\n\r\n", streams)
	owner("streams of one token")
	open, refused := statuses["200 OK"], statuses["429 Too Many Requests"]
	if open == 0 || open > 400 || refused == 0 {
		wrong++
		t.Errorf("streams of one token: got %v, want at most 400 open and the others refused", statuses)
	}
	after := s.residentMB()
	closeAll(conns)
	if after-before > 120 {
		wrong++
		t.Errorf("memory grew from %d to %d MB, want at most 120 MB more", before, after)
	}
	metrics := s.request("GET", "/metrics", "")
	if !bytes.Contains(metrics.body, []byte("\nwaxwing_player_save_failures_total 0\n")) ||
		bytes.Contains([]byte(s.log.String()), []byte("too many open files")) {
		wrong++
		t.Errorf("state was not saved; log:\n%s", s.log)
	}
	if slowest > 3*time.Second || slowestNext > time.Second {
		wrong++
		t.Errorf("the owner waited %v, then %v; want at most 3 s, then 1 s", slowest, slowestNext)
	}
	testenv.Report(t, testenv.Floods, testenv.Tally{Inputs: tried, Faults: idle + idle/4 + streams, Violations: wrong,
		Note: fmt.Sprintf("%s, %s (%d open, %d refused); the owner's first request after a flood took at most %d ms of 100 "+
			"(it waits for the connections queued before it), the next ones %d ms of 100; memory %d to %d MB",
			testenv.TriedOf(idle, 15000, "idle connections"), testenv.TriedOf(streams, 8000, "streams of one token"),
			open, refused, slowest.Milliseconds(), slowestNext.Milliseconds(), before, after)})
}
