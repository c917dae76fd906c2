package e2e

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// soakTime returns the duration of the soak test: SOAK, or a few seconds that only show that it
// works.
func soakTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SOAK")
	if text == "" {
		return 6 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("SOAK must be a time such as 10m: %v", err)
	}
	return d
}

// soak is a player and a catalog under all faults at once.
type soak struct {
	*pair
	pulse       *testenv.Pulse
	seed        uint64
	commands    atomic.Int64
	reads       atomic.Int64
	streams     atomic.Int64
	stalled     atomic.Int64
	unavailable atomic.Int64 // reads through the player that found the catalog unavailable
	errors      atomic.Int64 // unexpected responses of 500 and above
	mu          sync.Mutex
	first       string // of those errors
	samples     []usage
	frozen      float64 // underruns while the sound server was frozen
}

// usage is the player's use of resources at one time.
type usage struct {
	at                        time.Duration
	memory, files, goroutines float64 // MiB, and numbers
}

// TestSoak skips, seeks, edits, listens and stalls while the sound server, its sink, the catalog
// and the network fail and recover, and music files change. It checks the player's use of
// resources over time.
func TestSoak(t *testing.T) {
	lasts := soakTime(t)
	pulse := testenv.StartPulse(t)
	s := &soak{pair: openPair(t, 12, 20, "pulse", pulse.Env()...), pulse: pulse, seed: testenv.Seed(t)}
	s.waitPast(20*time.Second, 0, 500*time.Millisecond)
	idle := s.usage(0)
	waited := runQueueWait(s.cmd.Process.Pid)

	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	began := time.Now()
	var clients sync.WaitGroup
	for i, client := range []func(context.Context, *rand.Rand){s.command, s.command, s.read, s.listen, s.listen, s.stall} {
		rnd := rand.New(rand.NewPCG(s.seed, uint64(i)))
		clients.Go(func() {
			for ctx.Err() == nil {
				client(ctx, rnd)
			}
		})
	}
	faults := s.faults(ctx, began)
	clients.Wait()

	// After the faults: playback continues, and the clients' resources are freed.
	s.post("/play", "")
	var last usage
	s.eventually(70*time.Second, "goroutines and files as at the start", func() bool {
		last = s.usage(time.Since(began))
		return last.goroutines <= idle.goroutines+12 && last.files <= idle.files+12
	})
	s.post("/seek", `{"position":0}`) // far from the end of the track, after which the first may follow
	index, position := s.at()
	s.waitPast(30*time.Second, index, position+300*time.Millisecond)

	violations := int(s.errors.Load())
	if violations > 0 {
		t.Errorf("got %d errors, want 0; the first: %s", violations, s.first)
	}
	// Nobody can play through a frozen sound server. Other underruns are violations, unless the
	// player had to wait for a processor; the result says so.
	underruns := s.underruns() - s.frozen
	waited = runQueueWait(s.cmd.Process.Pid) - waited
	allowance := ""
	switch {
	case underruns == 0:
	case waited < time.Since(began)/50:
		violations++
		t.Errorf("got %v underruns, want 0; the player waited only %v for a processor", underruns, waited)
	default:
		allowance = fmt.Sprintf("%v underruns while the player waited %v for a processor", underruns, waited)
	}
	table := &strings.Builder{}
	fmt.Fprintf(table, "soak of %v: %d commands, %d reads (%d while the catalog was unavailable), %d event streams, "+
		"%d stalled clients, %d faults, %d errors\n",
		time.Since(began).Round(time.Second), s.commands.Load(), s.reads.Load(), s.unavailable.Load(), s.streams.Load(),
		s.stalled.Load(), faults, s.errors.Load())
	fmt.Fprintf(table, "%v underruns, and %v while the sound server was frozen; a thread waited for a processor for "+
		"at most %v\n", underruns, s.frozen, waited.Round(time.Millisecond))
	fmt.Fprintf(table, "%-12s %10s %10s %10s %14s %14s\n", "", "start", "most", "end", "slope an hour", "limit")
	for _, row := range []struct {
		name  string
		of    func(usage) float64
		limit float64 // per hour
	}{
		{"memory MiB", func(u usage) float64 { return u.memory }, 60},
		{"files", func(u usage) float64 { return u.files }, 60},
		{"goroutines", func(u usage) float64 { return u.goroutines }, 120},
	} {
		most := 0.0
		for _, u := range s.samples {
			most = max(most, row.of(u))
		}
		slope, doubt := slope(s.samples, row.of)
		fmt.Fprintf(table, "%-12s %10.1f %10.1f %10.1f %7.1f ± %4.0f %14.0f\n", row.name, row.of(idle), most, row.of(last),
			slope, doubt, row.limit)
		// In a short run the slope is mostly noise: only a significant one counts.
		if slope-2*doubt > row.limit && lasts >= 3*time.Minute {
			violations++
			t.Errorf("%s: got growth of %.1f ± %.1f an hour, want at most %.0f", row.name, slope, doubt, row.limit)
		}
		if row.name == "memory MiB" && most > 256 {
			violations++
			t.Errorf("memory: got %.0f MiB, want at most 256", most)
		}
	}
	t.Log("\n" + table.String())
	testenv.Report(t, testenv.Soak, testenv.Tally{Inputs: int(s.commands.Load() + s.reads.Load()), Faults: faults,
		Violations: violations, Note: lasts.String(), Allowance: allowance})
}

// slope returns the linear regression per hour over the last three quarters of the samples, with
// its standard error.
func slope(samples []usage, of func(usage) float64) (perHour, doubt float64) {
	samples = samples[len(samples)/4:]
	n := float64(len(samples))
	if n < 3 {
		return 0, math.Inf(1)
	}
	var mx, my float64
	for _, u := range samples {
		mx, my = mx+u.at.Hours()/n, my+of(u)/n
	}
	var xx, xy, rest float64
	for _, u := range samples {
		xx += (u.at.Hours() - mx) * (u.at.Hours() - mx)
		xy += (u.at.Hours() - mx) * (of(u) - my)
	}
	perHour = xy / xx
	for _, u := range samples {
		off := of(u) - my - perHour*(u.at.Hours()-mx)
		rest += off * off
	}
	return perHour, math.Sqrt(rest / (n - 2) / xx)
}

func (s *soak) underruns() float64 { return s.metric("waxwing_player_underruns_total") }

func (s *soak) usage(at time.Duration) usage {
	s.t.Helper()
	return usage{at, s.metric("process_resident_memory_bytes") / (1 << 20), s.metric("process_open_fds"),
		s.metric("go_goroutines")}
}

// faults makes everything that the player depends on fail in turn until ctx ends, and restores all
// before it returns.
func (s *soak) faults(ctx context.Context, began time.Time) (injected int) {
	s.t.Helper()
	rnd := rand.New(rand.NewPCG(s.seed, 99))
	sink := []string{"load-module", "module-null-sink", "sink_name=null0", "format=float32le", "rate=44100",
		"channels=2", "norewinds=1"}
	pause := func(longest time.Duration) {
		for end := time.Now().Add(time.Duration(rnd.Int64N(int64(longest)))); time.Now().Before(end); {
			s.samples = append(s.samples, s.usage(time.Since(began)))
			select {
			case <-ctx.Done():
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
	for i := 0; ctx.Err() == nil; i++ {
		injected++
		switch i % 7 {
		case 0:
			s.pulse.Kill()
			pause(2 * time.Second)
			s.pulse.Restart()
		case 1:
			s.killCatalog()
			pause(3 * time.Second)
			s.startCatalog()
		case 2:
			s.pulse.Control("unload-module", "module-null-sink")
			pause(2 * time.Second)
			s.pulse.Control(sink...)
		case 3:
			s.link.Reset()
		case 4:
			before := s.underruns()
			s.pulse.Freeze()
			pause(2 * time.Second)
			s.pulse.Thaw()
			pause(3 * time.Second)
			s.frozen += s.underruns() - before
		case 5:
			s.link.Blackhole(true)
			pause(2 * time.Second)
			s.link.Blackhole(false)
		case 6:
			name := filepath.Join(s.music, fmt.Sprintf("more %d.wav", rnd.IntN(8)))
			if os.Remove(name) != nil {
				writeWAV(s.t, name, 44100, noise(rnd.Uint64(), 44100))
			}
		}
		pause(3 * time.Second)
	}
	return injected
}

// judge counts a response. The player itself must not fail; proxied requests may while the catalog
// is unavailable.
func (s *soak) judge(proxied bool, what string, status int) {
	switch {
	case status == http.StatusServiceUnavailable && proxied:
		s.unavailable.Add(1)
	case status >= 500:
		s.errors.Add(1)
		s.mu.Lock()
		if s.first == "" {
			s.first = fmt.Sprintf("%s: %d", what, status)
		}
		s.mu.Unlock()
	}
}

func (s *soak) send(ctx context.Context, method, path, body string, proxied bool) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			s.judge(false, method+" "+path+": "+err.Error(), 599)
		}
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body) // only the status counts
	_ = resp.Body.Close()
	s.judge(proxied, method+" "+path, resp.StatusCode)
}

// command sends one random command after a pause.
func (s *soak) command(ctx context.Context, rnd *rand.Rand) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Duration(rnd.IntN(250)) * time.Millisecond):
	}
	command := [][2]string{
		{"/next", ""}, {"/previous", ""}, {"/seek", fmt.Sprintf(`{"position":%d}`, rnd.IntN(20_000))}, {"/pause", ""},
		{"/play", ""}, {"/toggle", ""}, {"/play", ""},
		{"/volume", fmt.Sprintf(`{"volume":%d}`, rnd.IntN(101))},
		{"/shuffle", fmt.Sprintf(`{"shuffle":%v}`, rnd.IntN(2) == 0)}, {"/repeat", `{"repeat":"all"}`},
	}[rnd.IntN(10)]
	s.commands.Add(1)
	s.send(ctx, "POST", command[0], command[1], false)
}

func (s *soak) read(ctx context.Context, rnd *rand.Rand) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Duration(rnd.IntN(60)) * time.Millisecond):
	}
	s.reads.Add(1)
	path := []string{"/playback-state", "/current-track", "/playback-queue", "/outputs", "/api/songs?limit=50",
		"/api/search?q=piece"}[rnd.IntN(6)]
	s.send(ctx, "GET", path, "", strings.HasPrefix(path, "/api/") || path == "/outputs")
}

// listen follows the events for a while.
func (s *soak) listen(ctx context.Context, rnd *rand.Rand) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(rnd.IntN(2000))*time.Millisecond)
	defer cancel()
	s.streams.Add(1)
	s.send(ctx, "GET", "/events", "", false)
}

// stall opens connections that send half a request and stall.
func (s *soak) stall(ctx context.Context, rnd *rand.Rand) {
	var held []net.Conn
	for range 5 {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			s.t.Error(err)
			return
		}
		half := fmt.Sprintf("GET /events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", c.RemoteAddr(), s.token)
		_, _ = io.WriteString(c, half[:rnd.IntN(len(half)+1)]) // the server may have closed it
		held = append(held, c)
		s.stalled.Add(1)
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(rnd.IntN(8000)) * time.Millisecond):
	}
	for _, c := range held {
		_ = c.Close() // a half request is enough
	}
}
