package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// recovery is how long a server may take to recover from a fault.
const recovery = 5 * time.Second

// load sends requests to both servers of a cluster and records the responses.
type load struct {
	t       *testing.T
	secret  string
	members []*member
	songs   []string
	http    *http.Client
	end     context.CancelFunc
	running sync.WaitGroup

	sent, plays, checks atomic.Int64

	mu         sync.Mutex
	failing    map[*member]time.Time // when a member must stop returning 503; zero time: no limit yet
	down       map[*member]bool      // unreachable
	problems   []string
	recoveries []time.Duration
}

type response struct {
	status int
	retry  string
	body   []byte
}

func newLoad(t *testing.T, secret string, members ...*member) *load {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	l := &load{t: t, secret: secret, members: members, end: end, failing: map[*member]time.Time{},
		down: map[*member]bool{},
		http: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	t.Cleanup(func() {
		l.stop()
		if t.Failed() {
			t.Logf("%d problems under load, the first: %q", len(l.problems), l.problems[:min(20, len(l.problems))])
		}
	})
	var page struct{ Songs []struct{ ID string } }
	members[0].eventually(5*time.Second, "songs in the list of the first server", func() bool {
		s := l.send(ctx, members[0], "GET", "/api/songs?limit=200", "", "")
		return s.status == 200 && json.Unmarshal(s.body, &page) == nil && len(page.Songs) > 0
	})
	for _, s := range page.Songs {
		l.songs = append(l.songs, s.ID)
	}
	for i := range members {
		for worker := range 2 {
			l.running.Go(func() { l.play(ctx, i, worker) })
		}
		l.running.Go(func() { l.read(ctx, members[i]) })
		l.running.Go(func() { l.write(ctx, i) })
	}
	return l
}

// run continues the load for the given time.
func (l *load) run(span time.Duration) { time.Sleep(span) }

func (l *load) stop() {
	l.end()
	l.running.Wait()
	l.http.CloseIdleConnections()
}

// whileDown runs f, during which a member may be unreachable.
func (l *load) whileDown(m *member, f func()) {
	l.set(func() { l.down[m] = true })
	f()
	l.set(func() { delete(l.down, m) })
}

// whileFailing runs f, during which members may return 503, and measures how long they take to
// recover afterwards.
func (l *load) whileFailing(m, other *member, f func()) {
	l.t.Helper()
	l.set(func() {
		l.failing[m] = time.Time{}
		if other != nil {
			l.failing[other] = time.Time{}
		}
	})
	f()
	back := time.Now()
	for _, each := range []*member{m, other} {
		if each == nil {
			continue
		}
		l.set(func() { l.failing[each] = back.Add(recovery) })
		for path, method := range map[string]string{"/api/songs?limit=7": "GET", "/api/playlists": "POST"} {
			each.eventually(2*recovery, each.name+" to recover", func() bool {
				body := map[string]string{"POST": `{"name":"recovered"}`}[method]
				return l.send(l.t.Context(), each, method, path, body, "").status == 200
			})
		}
		took := time.Since(back)
		l.set(func() {
			l.recoveries = append(l.recoveries, took)
			if took > recovery {
				l.problems = append(l.problems, fmt.Sprintf("recovery of %s: got %v, want at most %v", each.name, took, recovery))
			}
		})
	}
}

func (l *load) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// send sends one request and checks the response. once is its idempotency key, or "".
func (l *load) send(ctx context.Context, m *member, method, path, body, once string) response {
	l.mu.Lock()
	until, failing := l.failing[m]
	down := l.down[m]
	l.mu.Unlock()
	start := time.Now()
	failing = failing && (until.IsZero() || start.Before(until))
	req, err := http.NewRequestWithContext(ctx, method, "http://"+m.addr+path, bytes.NewReader([]byte(body)))
	if err != nil {
		l.t.Error(err)
		return response{}
	}
	req.Header.Set("X-Api-Key", l.secret)
	if once != "" {
		req.Header.Set("Idempotency-Key", once)
	}
	l.sent.Add(1)
	resp, err := l.http.Do(req)
	var s response
	if err == nil {
		s = response{status: resp.StatusCode, retry: resp.Header.Get("Retry-After")}
		s.body, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close() // the body was read
	}
	if ctx.Err() != nil {
		return response{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// The fault may have started during the request.
	if u, now := l.failing[m]; now && (u.IsZero() || start.Before(u)) {
		failing = true
	}
	down = down || l.down[m]
	took := time.Since(start)
	switch {
	case down && err != nil:
		s.status = 0
	case err != nil:
		l.problems = append(l.problems, fmt.Sprintf("%s %s at %s: %v", method, path, m.name, err))
		s.status = 0
	case s.status == 503 && (s.retry == "" || !failing):
		l.problems = append(l.problems, fmt.Sprintf(
			"%s %s at %s: got 503, Retry-After %q, failing %v: %s; want Retry-After, and 503 only during a fault",
			method, path, m.name, s.retry, failing, s.body))
	case s.status >= 500 && s.status != 503:
		l.problems = append(l.problems, fmt.Sprintf("%s %s at %s: got %d %s, want no server error",
			method, path, m.name, s.status, s.body))
	case took > 12*time.Second:
		l.problems = append(l.problems, fmt.Sprintf("%s %s at %s: got a response after %v, want 12s",
			method, path, m.name, took))
	}
	return s
}

// play sends plays to both servers alternately, each until it is acknowledged, because a retry at
// the other server could count a play twice. The times of plays differ, so that each counts. It
// gives up on a play that no server has acknowledged for longer than any fault lasts.
func (l *load) play(ctx context.Context, at, worker int) {
	first := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := 0; ctx.Err() == nil; n++ {
		song := l.songs[(n*7+at*3+worker)%len(l.songs)]
		once := fmt.Sprintf("play-%d-%d-%d", at, worker, n)
		playedAt := first.Add(time.Duration((n*4+at*2+worker)*31) * time.Minute).Format("2006-01-02T15:04:05.000Z")
		body := fmt.Sprintf(`{"song_id":%q,"played_at":%q}`, song, playedAt)
		for attempt, start := 0, time.Now(); ; attempt++ {
			// A play that was sent must be acknowledged, even after the end of the load.
			s := l.send(context.WithoutCancel(ctx), l.members[(at+attempt)%len(l.members)], "POST", "/api/plays", body, once)
			if s.status == 200 {
				l.plays.Add(1)
				if n%10 == 0 { // sent twice, counted once
					l.send(context.WithoutCancel(ctx), l.members[(at+attempt+1)%len(l.members)], "POST", "/api/plays", body, once)
				}
				break
			}
			if time.Since(start) > time.Minute {
				l.set(func() {
					l.problems = append(l.problems, fmt.Sprintf("play of %s at %s: got %d %s for a minute, want 200",
						song, playedAt, s.status, s.body))
				})
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (l *load) read(ctx context.Context, m *member) {
	paths := []string{"/api/songs?limit=5", "/api/songs/trending", "/api/albums", "/api/artists", "/api/playlists",
		"/api/search?q=a", "/api/songs/" + l.songs[0]}
	for n := 0; ctx.Err() == nil; n++ {
		if s := l.send(ctx, m, "GET", paths[n%len(paths)], "", ""); s.status == 0 || s.status == 503 {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// write renames a playlist at one server and expects the name at every server a second later.
func (l *load) write(ctx context.Context, at int) {
	id := ""
	for n := 0; ctx.Err() == nil; n++ {
		time.Sleep(50 * time.Millisecond)
		m := l.members[(at+n)%len(l.members)]
		name := fmt.Sprintf("list %d at %d", n, at)
		method, path := "POST", "/api/playlists"
		if id != "" {
			method, path = "PATCH", "/api/playlists/"+id
		}
		var got struct{ Playlist struct{ ID, Name string } }
		s := l.send(ctx, m, method, path, fmt.Sprintf(`{"name":%q,"public":true}`, name), "")
		if s.status != 200 {
			id = "" // it may still be applied after a later change, so this list cannot be checked
			continue
		}
		if err := json.Unmarshal(s.body, &got); err != nil {
			l.t.Errorf("playlist: got %s, want JSON: %v", s.body, err)
			return
		}
		id = got.Playlist.ID
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		for _, other := range l.members {
			s := l.send(ctx, other, "GET", "/api/playlists/"+id, "", "")
			if s.status != 200 {
				continue
			}
			l.checks.Add(1)
			if json.Unmarshal(s.body, &got) != nil || got.Playlist.Name != name {
				l.set(func() {
					l.problems = append(l.problems, fmt.Sprintf("name of a playlist at %s a second after the change: got %s, want %q",
						other.name, s.body, name))
				})
			}
		}
	}
}

// violations reports the problems of the load and returns their number.
func (l *load) violations(t *testing.T) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, line := range l.problems {
		if i == 20 {
			t.Errorf("and %d more", len(l.problems)-i)
			break
		}
		t.Error(line)
	}
	return len(l.problems)
}

func (l *load) acknowledged() int { return int(l.plays.Load()) }
func (l *load) requests() int     { return int(l.sent.Load()) }
func (l *load) checked() int      { return int(l.checks.Load()) }

func (l *load) slowestRecovery() (slowest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, took := range l.recoveries {
		slowest = max(slowest, took)
	}
	return slowest
}
