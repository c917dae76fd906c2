package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// openStreams opens n streams and reads them slowly, as players do, until they end. It returns
// when all have started; the channel receives the time at which each ended.
func openStreams(t *testing.T, n int, url string, header ...string) (ended <-chan time.Time) {
	t.Helper()
	out := make(chan time.Time, n)
	ctx, cancel := context.WithCancel(context.Background())
	// Data in the client's own buffer cannot be revoked, so the buffer is small.
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(8 << 10)
		}
		return c, err
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DialContext: dial,
		ReadBufferSize: 1 << 10}}
	var started, done sync.WaitGroup
	for range n {
		started.Add(1)
		done.Go(func() {
			markStarted := sync.OnceFunc(started.Done)
			defer markStarted()
			req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			for i := 0; i+1 < len(header); i += 2 {
				req.Header.Set(header[i], header[i+1])
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			buf := make([]byte, 512)
			_, err = io.ReadAtLeast(resp.Body, buf, 64)
			if resp.StatusCode != 200 || err != nil {
				t.Errorf("GET %s: got %d, error %v; want 200 and data", url, resp.StatusCode, err)
				return
			}
			markStarted()
			for {
				if _, err = resp.Body.Read(buf); err != nil {
					break
				}
				time.Sleep(time.Millisecond) // much slower than the server can send
			}
			if ctx.Err() == nil {
				out <- time.Now()
			}
		})
	}
	started.Wait()
	t.Cleanup(func() {
		cancel()
		done.Wait()
		client.CloseIdleConnections()
	})
	return out
}

// TestRevocationClosesStreams: a hundred event streams and two hundred audio streams, through the
// player with a token and from the catalog with a key, end within a second of the revocation.
// Streams with other credentials continue.
func TestRevocationClosesStreams(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	music := t.TempDir()
	// Minutes of noise do not fit into any buffer, so no stream ends by itself.
	tone(t, music+"/short.flac")
	long := music + "/long.wav"
	hiss(t, long, 300)
	s := start(t, withMusic(music), withoutRateLimit)
	var id string
	s.eventually(20*time.Second, "the song to be found", func() bool {
		for _, song := range s.get("/api/songs")["songs"].([]any) {
			if song := song.(map[string]any); song["duration"].(float64) > 60_000 {
				id = song["id"].(string)
			}
		}
		return id != ""
	})
	run := func(args ...string) string {
		t.Helper()
		out, errs, code := s.run(args...)
		if code != 0 {
			t.Fatalf("waxwing %v: got exit code %d, errors %q; want 0", args, code, errs)
		}
		return strings.TrimSpace(out)
	}
	token := run("token", "create", "--name", "revoked", "--permission", "read")
	key := run("key", "create", "--name", "revoked", "--permission", "read")
	otherKey := run("key", "create", "--name", "other", "--permission", "read")
	catalog := s.catalog
	const n = 100
	groups := map[string]<-chan time.Time{
		"events":                openStreams(t, n, s.base+"/events", "Authorization", "Bearer "+token),
		"audio with a token":    openStreams(t, n, s.base+"/api/songs/"+id+"/stream", "Authorization", "Bearer "+token),
		"audio with a key":      openStreams(t, n, catalog+"/api/songs/"+id+"/stream", "X-Api-Key", key),
		"events of others":      openStreams(t, 5, s.base+"/events", "Authorization", "Bearer "+s.token),
		"audio of another key":  openStreams(t, 5, catalog+"/api/songs/"+id+"/stream", "X-Api-Key", otherKey),
		"audio of another user": openStreams(t, 5, s.base+"/api/songs/"+id+"/stream", "Authorization", "Bearer "+s.token),
	}
	start := time.Now()
	run("token", "revoke", "revoked")
	tokenRevoked := time.Now()
	run("key", "revoke", "revoked")
	keyRevoked := time.Now()
	violations, slowest := 0, time.Duration(0)
	for what, since := range map[string]time.Time{"events": tokenRevoked, "audio with a token": tokenRevoked,
		"audio with a key": keyRevoked} {
		timeout := time.After(10 * time.Second)
	waiting:
		for i := range n {
			select {
			case at := <-groups[what]:
				took := max(0, at.Sub(since))
				if slowest = max(slowest, took); took > time.Second || at.Before(start) {
					violations++
					t.Errorf("%s: a stream ended %v after the revocation, want within 1s and not before", what, took)
				}
			case <-timeout:
				violations += n - i
				t.Errorf("%s: open streams 10s after the revocation: got %d of %d, want 0", what, n-i, n)
				break waiting
			}
		}
	}
	for what, ended := range groups {
		if strings.Contains(what, "other") && len(ended) > 0 {
			violations++
			t.Errorf("%s: ended streams: got %d, want 0", what, len(ended))
		}
	}
	for _, r := range []reply{
		send(t, "GET", s.base+"/playback-state", "", "Authorization", "Bearer "+token),
		send(t, "GET", catalog+"/api/songs", "", "X-Api-Key", key),
	} {
		if r.status != 401 {
			violations++
			t.Errorf("request with a revoked credential: got %d, want 401", r.status)
		}
	}
	testenv.Report(t, testenv.Revocation, testenv.Tally{Inputs: 3*n + 15, Faults: 2, Violations: violations,
		Note: fmt.Sprintf("%s and as many of audio; last stream closed %d ms after the command returned, of 1,000",
			testenv.TriedOf(n, 100, "event streams"), slowest.Milliseconds())})
}
