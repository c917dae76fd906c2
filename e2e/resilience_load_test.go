package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/proof"
)

// TestLoad plays into a real sound server while 100 clients stream by ranges, 500 follow the events, others ask 200 times a second
// and files come and go under the scanner.
func TestLoad(t *testing.T) {
	pulse := proof.StartPulse(t)
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	writeWAV(t, filepath.Join(music, "long.wav"), 44100, noise(6, 60*44100))
	s := up(t, pulse.Env(), "--output", "pulse", "--no-mpris", "--music", music, "--rate-limit", "0")
	s.eventually(20*time.Second, "the scan", func() bool { return len(s.songs()) >= 15 })
	long := s.songs()["long"]
	link := s.get("/api/songs/" + long + "/link")["url"].(string)
	s.post("/queue/replace", fmt.Sprintf(`{"track_ids":[%q],"play":true}`, long))
	s.eventually(20*time.Second, "sound", func() bool { return object(s.get("/current-track"), "track")["position"].(float64) > 1000 })
	before := s.metric("waxwing_player_underruns_total")

	lasts := 8 * time.Second
	if proof.Long() {
		lasts = 45 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	defer client.CloseIdleConnections()
	var answers, failures, bytes atomic.Int64
	ask := func(ctx context.Context, url, ranges string) {
		req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Authorization", "Bearer "+s.token)
		if ranges != "" {
			req.Header.Set("Range", ranges)
		}
		resp, err := client.Do(req)
		if err != nil {
			if ctx.Err() == nil {
				failures.Add(1)
				t.Error(err)
			}
			return
		}
		answers.Add(1)
		if resp.StatusCode >= 400 {
			failures.Add(1)
			t.Errorf("%s: %d", url, resp.StatusCode)
		}
		n, _ := io.Copy(io.Discard, resp.Body) // the end of the test ends it
		bytes.Add(n)
		_ = resp.Body.Close()
	}
	var clients sync.WaitGroup
	every := func(d time.Duration, f func(i int)) {
		clients.Go(func() {
			tick := time.NewTicker(d)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					f(i)
				}
			}
		})
	}
	for range 500 {
		clients.Go(func() { ask(ctx, s.base+"/events", "") })
	}
	for k := range 100 { // each fetches a second of music a second
		every(time.Second, func(i int) {
			from := (k*7 + i) % 55 * 176_400
			ask(ctx, link, fmt.Sprintf("bytes=%d-%d", from, from+176_399))
		})
	}
	for k := range 10 {
		paths := []string{"/playback-state", "/current-track", "/api/songs?limit=50", "/api/search?q=a", "/api/albums"}
		every(50*time.Millisecond, func(int) { ask(ctx, s.base+paths[k%len(paths)], "") })
	}
	most := 0.0
	for i := 0; ctx.Err() == nil; i++ {
		most = max(most, s.metric("process_resident_memory_bytes")/(1<<20))
		writeWAV(t, filepath.Join(music, fmt.Sprintf("new %d.wav", i%5)), 44100, noise(uint64(i), 20_000))
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	clients.Wait()
	underruns := s.metric("waxwing_player_underruns_total") - before
	violations := int(failures.Load())
	if underruns > 0 {
		violations++
		t.Errorf("%v underruns", underruns)
	}
	if most > 256 {
		violations++
		t.Errorf("%.0f MiB", most)
	}
	proof.Report(t, "R6", proof.Tally{Inputs: int(answers.Load()), Violations: violations,
		Note: fmt.Sprintf("over the demo library, 100 range streams, 500 event streams and 200 requests a second for %v: %d MB sent, %v underruns, %.0f MiB at most", lasts, bytes.Load()>>20, underruns, most)})
}
