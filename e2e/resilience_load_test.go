package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

// filled returns a home folder whose catalog has that many songs.
func filled(t *testing.T, songs int) (home string) {
	t.Helper()
	home = t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "waxwing/bench/fill", "--data-dir", filepath.Join(home, "data"),
		"--songs", strconv.Itoa(songs), "--playlists", "20", "--longest-playlist", "2000", "--plays", "100")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fill a catalog: %v\n%s", err, out[max(0, len(out)-500):])
	}
	return home
}

const maxLoadMemory = 256 // MiB

// TestLoad plays to a sound server over a full catalog while 100 clients stream ranges, 500 follow
// events, others send 200 requests a second and music files change.
func TestLoad(t *testing.T) {
	pulse := testenv.StartPulse(t)
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	writeWAV(t, filepath.Join(music, "Quixotryphone.wav"), 44100, noise(6, 60*44100))
	many, lasts := testenv.Size(20_000, 200_000, 1_000_000), time.Duration(testenv.Size(6, 8, 45))*time.Second
	home := filled(t, many)
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home, pulse.Env()...),
		process: process{args: []string{"--output", "pulse", "--no-mpris", "--music", music, "--rate-limit", "0"}}}
	s.start()
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log)
		}
	})
	long := ""
	s.eventually(30*time.Second, "the scan", func() bool {
		found := s.get("/api/search?q=quixotryphone")["songs"].([]any)
		if len(found) == 1 {
			long = object(found[0])["id"].(string)
		}
		return long != ""
	})
	link := s.get("/api/songs/" + long + "/link")["url"].(string)
	s.post("/queue/replace", fmt.Sprintf(`{"track_ids":[%q],"play":true}`, long))
	s.post("/repeat", `{"repeat":"one"}`)
	s.eventually(20*time.Second, "sound",
		func() bool { return object(s.get("/current-track"), "track")["position"].(float64) > 1000 })
	scans := s.metric(`waxwing_scan_runs_total{result="done"}`)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}}
	defer client.CloseIdleConnections()
	var responses, failures, requests, bytes atomic.Int64
	fetch := func(ctx context.Context, url, ranges string) {
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
		responses.Add(1)
		if resp.StatusCode >= 400 {
			failures.Add(1)
			t.Errorf("%s: got %d, want 200", url, resp.StatusCode)
		}
		n, _ := io.Copy(io.Discard, resp.Body) // the end of the test ends it
		bytes.Add(n)
		_ = resp.Body.Close()
	}
	memory, measured := 0.0, time.Duration(0)
	measure := func() (underruns float64) {
		before := s.metric("waxwing_player_underruns_total")
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		measured += lasts
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
			clients.Go(func() { fetch(ctx, s.base+"/events", "") })
		}
		for k := range 100 { // each fetches audio in real time
			every(time.Second, func(i int) {
				from := (k*7 + i) % 55 * 176_400
				fetch(ctx, link, fmt.Sprintf("bytes=%d-%d", from, from+176_399))
			})
		}
		for k := range 24 { // ten times a second each, as long as a response takes less than 100 ms
			every(100*time.Millisecond, func(i int) {
				paths := []string{
					"/playback-state", "/current-track", "/api/songs?limit=50",
					fmt.Sprintf("/api/songs?limit=50&page=%d", 1+(i*37+k)*97%(many/50)), "/api/search?q=" +
						string(rune('a'+(i+k)%26)),
					"/api/albums?limit=50", "/api/artists?limit=50", "/api/songs/trending?limit=50", "/api/playlists?limit=50",
				}
				fetch(ctx, s.base+paths[(i+k)%len(paths)], "")
				requests.Add(1)
			})
		}
		for i := 0; ctx.Err() == nil; i++ {
			memory = max(memory, s.metric("process_resident_memory_bytes")/(1<<20))
			if i%3 == 0 { // pauses long enough for the scanner
				if err := os.CopyFS(filepath.Join(music, fmt.Sprintf("more %v %d", measured, i)), demo.FS()); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		clients.Wait()
		return s.metric("waxwing_player_underruns_total") - before
	}
	underruns, allowance, first := measure(), "", ""
	if underruns > 0 {
		// The machine itself may stall, so a bad measurement is repeated once. The result says so.
		allowance, first = secondAttempt, fmt.Sprintf("; first attempt: %v underruns", underruns)
		underruns = measure()
	}
	violations := int(failures.Load())
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	if underruns > 0 {
		wrong("got %v underruns, want 0", underruns)
	}
	if memory > maxLoadMemory {
		wrong("memory: got %.0f MiB, want at most %d", memory, maxLoadMemory)
	}
	if scans = s.metric(`waxwing_scan_runs_total{result="done"}`) - scans; scans == 0 {
		wrong("no scan ran during the load, want at least one")
	}
	rate := int(float64(requests.Load()) / measured.Seconds())
	testenv.Report(t, testenv.Load, testenv.Tally{Inputs: int(responses.Load()), Violations: violations,
		Allowance: allowance,
		Note: fmt.Sprintf("%s; 100 range streams of 100, 500 event streams of 500 and %s for %v, during %v scans: "+
			"%d MB sent, %v underruns, at most %.0f MiB of %d",
			testenv.TriedOf(many, 1_000_000, "songs"), testenv.TriedOf(rate, 200, "requests a second"), measured, scans,
			bytes.Load()>>20, underruns, memory, maxLoadMemory) + first})
}
