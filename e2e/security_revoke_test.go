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
// when all have begun; the channel receives the time at which each ended.
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
	var began, done sync.WaitGroup
	for range n {
		began.Add(1)
		done.Go(func() {
			begun := sync.OnceFunc(began.Done)
			defer begun()
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
				t.Errorf("%s: %d, %v", url, resp.StatusCode, err)
				return
			}
			begun()
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
	began.Wait()
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
	// Long enough that no stream ends by itself: minutes of noise that fit into no buffer.
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
	secret := func(args ...string) string {
		t.Helper()
		out, errs, code := s.run(args...)
		if code != 0 {
			t.Fatal(errs)
		}
		return strings.TrimSpace(out)
	}
	token := secret("token", "create", "--name", "doomed", "--permission", "read")
	key := secret("key", "create", "--name", "doomed", "--permission", "read")
	otherKey := secret("key", "create", "--name", "other", "--permission", "read")
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
	revoked := time.Now()
	secret("token", "revoke", "doomed")
	tokenGone := time.Now()
	secret("key", "revoke", "doomed")
	keyGone := time.Now()
	wrong, slowest := 0, time.Duration(0)
	for what, since := range map[string]time.Time{"events": tokenGone, "audio with a token": tokenGone,
		"audio with a key": keyGone} {
		timeout := time.After(10 * time.Second)
	waiting:
		for i := range n {
			select {
			case at := <-groups[what]:
				took := max(0, at.Sub(since))
				if slowest = max(slowest, took); took > time.Second || at.Before(revoked) {
					wrong++
					t.Errorf("%s: one ended %v after the revocation", what, took)
				}
			case <-timeout:
				wrong += n - i
				t.Errorf("%s: %d of %d go on", what, n-i, n)
				break waiting
			}
		}
	}
	for what, ended := range groups {
		if strings.Contains(what, "other") && len(ended) > 0 {
			wrong++
			t.Errorf("%s: %d ended too", what, len(ended))
		}
	}
	for _, r := range []reply{
		send(t, "GET", s.base+"/playback-state", "", "Authorization", "Bearer "+token),
		send(t, "GET", catalog+"/api/songs", "", "X-Api-Key", key),
	} {
		if r.status != 401 {
			wrong++
			t.Errorf("the revoked credential still opens: %d", r.status)
		}
	}
	testenv.Report(t, testenv.Revocation, testenv.Tally{Inputs: 3*n + 15, Faults: 2, Violations: wrong,
		Note: fmt.Sprintf("%s and as many of audio; last stream closed %d ms after the command returned, of 1,000",
			testenv.TriedOf(n, 100, "event streams"), slowest.Milliseconds())})
}
