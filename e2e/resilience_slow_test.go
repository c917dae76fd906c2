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

	"waxwing/internal/proof"
)

// What the others may notice of slow clients.
const (
	mostP99 = 50 * time.Millisecond
	mostLag = 250 * time.Millisecond
)

// TestSlowClients holds 1,400 connections open that do next to nothing, and asks what the others notice.
func TestSlowClients(t *testing.T) {
	music := t.TempDir()
	writeWAV(t, filepath.Join(music, "long.wav"), 44100, noise(5, 60*44100))
	s := up(t, nil, "--output", "null", "--no-mpris", "--music", music)
	s.eventually(20*time.Second, "the scan", func() bool { return len(s.songs()) == 1 })
	s.post("/play", "")
	song := s.get("/api/songs")["songs"].([]any)[0].(map[string]any)
	stream, err := url.Parse(s.get("/api/songs/" + song["id"].(string) + "/link")["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	player := strings.TrimPrefix(s.base, "http://")

	attackers := []attacker{
		{n: 250, addr: player, says: "GET /playback-state HTTP/1.1\r\nHost: " + player + "\r\nX-Half: "},
		{n: 250, addr: stream.Host, says: "GET /api/songs HTTP/1.1\r\nHost: " + stream.Host + "\r\nX-Half: "},
		{n: 500, addr: player, says: "POST /seek HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"},
		{n: 200, addr: stream.Host, says: "GET " + stream.RequestURI() + " HTTP/1.1\r\nHost: " + stream.Host + "\r\n\r\n"},
		{n: 200, addr: player, says: "GET /events HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token + "\r\n\r\n", deaf: true},
	}

	asOthers := prefer(os.Getpid(), s.cmd.Process.Pid)
	before := s.regulars(2*time.Second, func() {})
	calm, files := s.metric("go_goroutines"), s.metric("process_open_fds")
	asBefore := func() bool {
		return s.metric("go_goroutines") <= calm+8 && s.metric("process_open_fds") <= files+8
	}
	var held, deaf []net.Conn
	var began time.Time
	var during service
	faults := 0
	for try := 1; ; try++ {
		began = time.Now()
		// The others are there from the first moment of the attack.
		during = s.regulars(3*time.Second, func() { held, deaf = attack(t, attackers) })
		faults += len(held) + len(deaf)
		if try == 2 || during.p99 < mostP99 && during.lag < mostLag {
			break
		}
		// The one allowance: a machine may stall by itself, so a bad look is taken once more, from the beginning.
		t.Logf("a second look, after p99 %v and lag %v", during.p99, during.lag)
		hangUp(held)
		hangUp(deaf)
		s.eventually(20*time.Second, "the first attack to be over", asBefore)
	}
	asOthers()
	grown := s.metric("go_goroutines")

	violations := 0
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	if grown < calm+float64(len(held)+len(deaf)) {
		wrong("%v goroutines, %v before: the attackers were not all served", grown, calm)
	}
	if during.p99 >= mostP99 {
		wrong("others' p99 is %v, it was %v", during.p99, before.p99)
	}
	if during.lag >= mostLag {
		wrong("events came %v late, before it was %v", during.lag, before.lag)
	}
	hangUp(deaf) // listeners that go, as listeners do
	s.eventually(time.Until(began.Add(60*time.Second)), "goroutines and files as before", asBefore)
	healed := time.Since(began)
	hangUp(held) // the server has closed these before
	proof.Report(t, "R5", proof.Tally{Inputs: before.requests + during.requests, Faults: faults, Violations: violations, Note: fmt.Sprintf(
		"p99 %v (%v before), event lag %v (%v), %v goroutines at most and back to %v after %v", during.p99.Round(10*time.Microsecond), before.p99.Round(10*time.Microsecond),
		during.lag.Round(10*time.Microsecond), before.lag.Round(10*time.Microsecond), grown, calm, healed.Round(time.Second))})
}

// attacker is a crowd of clients that say something and then nothing more.
type attacker struct {
	n    int
	addr string
	says string
	deaf bool // an honest listener that reads nothing: only its own end closes it
}

// attack opens all connections within a second or so, which stay as they are. What it tries is slowness and not a flood,
// and the regular clients have to share its process.
func attack(t *testing.T, attackers []attacker) (held, deaf []net.Conn) {
	t.Helper()
	pace := time.NewTicker(500 * time.Microsecond)
	defer pace.Stop()
	for _, a := range attackers {
		for range a.n {
			<-pace.C
			c, err := connect(t, a.addr)
			if err == nil {
				_, err = io.WriteString(c, a.says)
			}
			if err != nil {
				t.Error(err)
				return held, deaf
			}
			if a.deaf {
				deaf = append(deaf, c)
			} else {
				held = append(held, c)
			}
		}
	}
	return held, deaf
}

func hangUp(conns []net.Conn) {
	for _, c := range conns {
		_ = c.Close() // it may be closed already
	}
}

// connect opens a connection that takes in as little as the system allows.
func connect(t *testing.T, addr string) (net.Conn, error) {
	t.Helper()
	c, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
		err = c.(*net.TCPConn).SetReadBuffer(2048)
	}
	return c, err
}

// service is what ordinary clients get.
type service struct {
	requests int
	p99, lag time.Duration // of a request; of an event at worst
}

// regulars are four clients that read and one that follows the events of its own changes, while something else happens.
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
		s.t.Errorf("a regular client: %v", failed)
	}
	return service{len(took), percentile(took, 0.99), lag}
}

// followOwnChanges changes the volume some twenty times a second and returns the longest time until the event tells of it.
func (s *server) followOwnChanges(ctx context.Context) (worst time.Duration) {
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
	seen := make(chan string, 1000)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	reader.Go(func() {
		defer close(seen)
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if _, rest, ok := strings.Cut(lines.Text(), `"volume":`); ok {
				volume, _, _ := strings.Cut(rest, ",")
				seen <- volume
			}
		}
		if events.Err() == nil {
			s.t.Errorf("the events ended: %v", lines.Err())
		}
	})
	for volume := 1; ctx.Err() == nil; volume = volume%99 + 1 {
		began := time.Now()
		var command sync.WaitGroup
		command.Go(func() {
			if _, err := s.try("POST", "/volume", fmt.Sprintf(`{"volume":%d}`, volume)); err != nil {
				s.t.Error(err)
			}
		})
		for heard := ""; heard != fmt.Sprint(volume); {
			var open bool
			if heard, open = <-seen; !open {
				s.t.Fatal("the events ended")
			}
		}
		worst = max(worst, time.Since(began))
		command.Wait()
		select {
		case <-ctx.Done():
		case <-time.After(40 * time.Millisecond):
		}
	}
	return worst
}
