package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// Limits for other clients during the attack.
const (
	mostP99 = 50 * time.Millisecond
	mostLag = 250 * time.Millisecond
)

// TestSlowClientsDoNotAffectOthers holds 1,400 slow connections open and measures other clients.
func TestSlowClientsDoNotAffectOthers(t *testing.T) {
	music := t.TempDir()
	writeWAV(t, filepath.Join(music, "long.wav"), 44100, noise(5, 60*44100))
	s := launch(t, nil, "--output", "null", "--no-mpris", "--music", music)
	s.eventually(20*time.Second, "the scan", func() bool { return len(s.songs()) == 1 })
	s.post("/play", "")
	song := s.get("/api/songs")["songs"].([]any)[0].(map[string]any)
	stream, err := url.Parse(s.get("/api/songs/" + song["id"].(string) + "/link")["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	player := strings.TrimPrefix(s.base, "http://")

	attackers := []attacker{
		{n: 250, addr: player, sends: "GET /playback-state HTTP/1.1\r\nHost: " + player + "\r\nX-Half: "},
		{n: 250, addr: stream.Host, sends: "GET /api/songs HTTP/1.1\r\nHost: " + stream.Host + "\r\nX-Half: "},
		{n: 500, addr: player, sends: "POST /seek HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token +
			"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"},
		{n: 200, addr: stream.Host, sends: "GET " + stream.RequestURI() + " HTTP/1.1\r\nHost: " + stream.Host + "\r\n\r\n"},
		{n: 100, addr: player, sends: "GET /events HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token +
			"\r\n\r\n"},
		{n: 100, addr: player, sends: "GET /events HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token +
			"\r\n\r\n", normalBuffer: true},
	}
	const unread = 200 // event streams

	before := s.regulars(2*time.Second, func() {})
	const listeners = `waxwing_http_streams{route="GET /events",server="player"}`
	idle, files := s.metric("go_goroutines"), s.metric("process_open_fds")
	asBefore := func() bool {
		now, err := s.tryMetrics(listeners, "go_goroutines", "process_open_fds")
		return err == nil && now[0] == 0 && now[1] <= idle+8 && now[2] <= files+8
	}
	var held []net.Conn
	var began time.Time
	var during service
	faults, allowance, first, undo := 0, "", "", func() {}
	for attempt := 1; ; attempt++ {
		began = time.Now()
		// The other clients run from the start of the attack.
		during = s.regulars(3*time.Second, func() { held = attack(t, attackers) })
		faults += len(held)
		if attempt == 2 || during.p99 < mostP99 && during.lag < mostLag {
			break
		}
		// The machine may be busy, so a bad measurement is repeated once, with priority if that is
		// permitted. The result says so.
		allowance, first = secondAttempt, fmt.Sprintf("; first attempt: p99 %v, event lag %v", during.p99, during.lag)
		closeAll(held)
		s.eventually(20*time.Second, "the end of the first attack", asBefore)
		var preferred bool
		if preferred, undo = prefer(os.Getpid(), s.cmd.Process.Pid); preferred {
			allowance += " with real-time priority"
		}
	}
	undo()
	s.eventually(10*time.Second, "a goroutine for every attacker", func() bool {
		return s.metric(listeners) == unread && s.metric("go_goroutines") >= idle+float64(len(held))
	})
	most := s.metric("go_goroutines")

	violations := 0
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	if during.p99 >= mostP99 {
		wrong("p99 of other clients: got %v, want less than %v; before the attack: %v", during.p99, mostP99, before.p99)
	}
	if during.lag >= mostLag {
		wrong("event lag: got %v, want less than %v; before the attack: %v", during.lag, mostLag, before.lag)
	}
	// These are more events than the kernel buffers for a client that never reads, although a busy
	// server may join some. From here on the server has to close the connections by itself. That
	// takes its time limits, so other tests may run meanwhile.
	sent := s.sendEvents(800)
	recovered := make(chan time.Duration, 1)
	go func() { recovered <- await(began, time.Minute, asBefore) }()
	t.Parallel()
	took := <-recovered
	if took > time.Minute {
		wrong("goroutines and open files are not as before after %v, want at most 1m", took)
	}
	closeAll(held) // the server has closed them already
	testenv.Report(t, testenv.SlowClients, testenv.Tally{Inputs: before.requests + during.requests, Faults: faults,
		Violations: violations, Allowance: allowance,
		Note: fmt.Sprintf("p99 of other clients %v of %v (%v before the attack), event lag %v of %v (%v before); "+
			"%v goroutines at most, back at %v after %v of 60s: the server closed all connections, %d of them "+
			"event streams that did not read %d events",
			during.p99.Round(10*time.Microsecond), mostP99, before.p99.Round(10*time.Microsecond),
			during.lag.Round(10*time.Microsecond), mostLag, before.lag.Round(10*time.Microsecond),
			most, idle, took.Round(time.Second), unread, sent) + first})
}

// attacker is a number of clients that send something and then stall.
type attacker struct {
	n            int
	addr         string
	sends        string
	normalBuffer bool // the receive buffer has the usual size, not a tiny one
}

// attack opens all connections within about a second and leaves them open. It tests slowness, not
// a flood, and the regular clients share its process.
func attack(t *testing.T, attackers []attacker) (held []net.Conn) {
	t.Helper()
	pace := time.NewTicker(500 * time.Microsecond)
	defer pace.Stop()
	for _, a := range attackers {
		for range a.n {
			<-pace.C
			c, err := net.DialTimeout("tcp", a.addr, 10*time.Second)
			if err == nil {
				t.Cleanup(func() { _ = c.Close() })
				held = append(held, c)
				if !a.normalBuffer {
					err = c.(*net.TCPConn).SetReadBuffer(2048)
				}
			}
			if err == nil {
				_, err = io.WriteString(c, a.sends)
			}
			if err != nil {
				t.Error(err)
				return held
			}
		}
	}
	return held
}

// await polls until a condition holds or the limit has passed, and returns the time since began.
func await(began time.Time, most time.Duration, holds func() bool) time.Duration {
	for time.Since(began) <= most && !holds() {
		time.Sleep(200 * time.Millisecond)
	}
	return time.Since(began)
}

func closeAll(conns []net.Conn) {
	for _, c := range conns {
		_ = c.Close() // it may be closed already
	}
}

// service is what regular clients measured.
type service struct {
	requests int
	p99, lag time.Duration // of a request; the maximum of an event
}

// regulars runs four clients that read and one that follows the events of its own changes, while
// meanwhile runs.
func (s *server) regulars(d time.Duration, meanwhile func()) service {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), d)
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var clients sync.WaitGroup
	for i := range 4 {
		path := []string{"/playback-state", "/current-track", "/playback-queue", "/volume"}[i]
		clients.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				_, err := s.try("GET", path, "")
				mu.Lock()
				took = append(took, time.Since(began))
				if err != nil {
					failed = err
				}
				mu.Unlock()
				select {
				case <-ctx.Done():
				case <-time.After(2 * time.Millisecond):
				}
			}
		})
	}
	clients.Go(meanwhile)
	lag := s.followOwnChanges(ctx)
	clients.Wait()
	if failed != nil {
		s.t.Errorf("a regular client got %v, want 200", failed)
	}
	return service{len(took), percentile(took, 0.99), lag}
}

// followOwnChanges changes the volume about twenty times a second and returns the longest time
// until the event arrived.
func (s *server) followOwnChanges(ctx context.Context) (worst time.Duration) {
	s.t.Helper()
	s.change(func(took time.Duration) bool {
		worst = max(worst, took)
		select {
		case <-ctx.Done():
		case <-time.After(40 * time.Millisecond):
		}
		return ctx.Err() == nil
	})
	return worst
}

// sendEvents changes the volume that often, each time after the last event arrived, so that no
// event is skipped.
func (s *server) sendEvents(events int) (arrived int) {
	s.t.Helper()
	s.change(func(time.Duration) bool { arrived++; return arrived < events })
	return arrived
}

// change changes the volume while more returns true. It passes more the time until the event
// arrived.
func (s *server) change(more func(took time.Duration) bool) {
	s.t.Helper()
	events, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(events, "GET", s.base+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	volumes := make(chan string, 1000)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	reader.Go(func() {
		defer close(volumes)
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if _, rest, ok := strings.Cut(lines.Text(), `"volume":`); ok {
				volume, _, _ := strings.Cut(rest, ",")
				volumes <- volume
			}
		}
		if events.Err() == nil {
			s.t.Errorf("the event stream ended: %v", lines.Err())
		}
	})
	for volume := 1; ; volume = volume%99 + 1 {
		began := time.Now()
		var command sync.WaitGroup
		command.Go(func() {
			if _, err := s.try("POST", "/volume", fmt.Sprintf(`{"volume":%d}`, volume)); err != nil {
				s.t.Error(err)
			}
		})
		for received := ""; received != fmt.Sprint(volume); {
			var open bool
			if received, open = <-volumes; !open {
				s.t.Fatal("the event stream ended")
			}
		}
		took := time.Since(began)
		command.Wait()
		if !more(took) {
			return
		}
	}
}
