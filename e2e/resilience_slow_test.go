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

// How much slow clients may affect others.
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
		{n: 250, addr: player, says: "GET /playback-state HTTP/1.1\r\nHost: " + player + "\r\nX-Half: "},
		{n: 250, addr: stream.Host, says: "GET /api/songs HTTP/1.1\r\nHost: " + stream.Host + "\r\nX-Half: "},
		{n: 500, addr: player, says: "POST /seek HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token +
			"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"},
		{n: 200, addr: stream.Host, says: "GET " + stream.RequestURI() + " HTTP/1.1\r\nHost: " + stream.Host + "\r\n\r\n"},
		{n: 100, addr: player, says: "GET /events HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token +
			"\r\n\r\n"},
		{n: 100, addr: player, says: "GET /events HTTP/1.1\r\nHost: " + player + "\r\nAuthorization: Bearer " + s.token +
			"\r\n\r\n", roomy: true},
	}
	const deaf = 200

	preferred, asOthers := prefer(os.Getpid(), s.cmd.Process.Pid)
	before := s.regulars(2*time.Second, func() {})
	const listeners = `waxwing_http_streams{route="GET /events",server="player"}`
	calm, files := s.metric("go_goroutines"), s.metric("process_open_fds")
	asBefore := func() bool {
		now, err := s.tryMetrics(listeners, "go_goroutines", "process_open_fds")
		return err == nil && now[0] == 0 && now[1] <= calm+8 && now[2] <= files+8
	}
	var held []net.Conn
	var began time.Time
	var during service
	faults := 0
	for try := 1; ; try++ {
		began = time.Now()
		// The other clients run from the start of the attack.
		during = s.regulars(3*time.Second, func() { held = attack(t, attackers) })
		faults += len(held)
		if try == 2 || during.p99 < mostP99 && during.lag < mostLag {
			break
		}
		// The one allowance: a machine may stall by itself, so a bad look is taken once more, from the
		// beginning.
		t.Logf("a second look, after p99 %v and lag %v", during.p99, during.lag)
		hangUp(held)
		s.eventually(20*time.Second, "the first attack to be over", asBefore)
	}
	asOthers()
	s.eventually(10*time.Second, "all attackers to be served", func() bool {
		return s.metric(listeners) == deaf && s.metric("go_goroutines") >= calm+float64(len(held))
	})
	grown := s.metric("go_goroutines")

	violations := 0
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	if during.p99 >= mostP99 {
		wrong("others' p99 is %v, it was %v", during.p99, before.p99)
	}
	if during.lag >= mostLag {
		wrong("events came %v late, before it was %v", during.lag, before.lag)
	}
	// Far more than the systems between will keep for those who never read, though a busy server may
	// fold some into one. From then on it is the server's turn: nobody hangs up, and while it takes
	// its time other tests may run.
	arrived := s.sendEvents(800)
	recovered := make(chan time.Duration, 1)
	go func() { recovered <- await(began, time.Minute, asBefore) }()
	t.Parallel()
	took := <-recovered
	if took > time.Minute {
		wrong("goroutines and files are not as before after a minute")
	}
	hangUp(held) // the server has closed these already
	note := fmt.Sprintf("others' p99 %v of %v (%v before), event lag %v of %v (%v), %v goroutines at most; after %v "+
		"of 60s the server had closed all, %d listeners that never read %d events among them, and was back at %v",
		during.p99.Round(10*time.Microsecond), mostP99, before.p99.Round(10*time.Microsecond),
		during.lag.Round(10*time.Microsecond), mostLag, before.lag.Round(10*time.Microsecond),
		grown, took.Round(time.Second), deaf, arrived, calm)
	if preferred {
		note += "; server and clients ran before all other work of the machine (SCHED_RR)"
	}
	testenv.Report(t, testenv.SlowClients, testenv.Tally{Inputs: before.requests + during.requests, Faults: faults,
		Violations: violations, Note: note})
}

// attacker is a number of clients that send something and then stall.
type attacker struct {
	n     int
	addr  string
	says  string
	roomy bool // it has a receive buffer of the usual size, not a tiny one
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
				if !a.roomy {
					err = c.(*net.TCPConn).SetReadBuffer(2048)
				}
			}
			if err == nil {
				_, err = io.WriteString(c, a.says)
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

func hangUp(conns []net.Conn) {
	for _, c := range conns {
		_ = c.Close() // it may be closed already
	}
}

// service is what regular clients measured.
type service struct {
	requests int
	p99, lag time.Duration // of a request; the maximum of an event
}

// regulars runs four clients that read and one that follows the events of its own changes, while f
// runs.
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
	for volume := 1; ; volume = volume%99 + 1 {
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
