package playerhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/access"
)

// listener is a client of /events.
type listener struct {
	resp  *http.Response
	lines *bufio.Scanner
}

func (h *fixture) listen(t testing.TB, secret string, headers ...string) *listener {
	t.Helper()
	resp, err := h.http.Do(h.request(t, "GET", "/events", secret, "", headers...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("/events: got %d %v, want 200 text/event-stream", resp.StatusCode, resp.Header)
	}
	return &listener{resp, bufio.NewScanner(resp.Body)}
}

// next returns the next event and its id, or io.EOF at the end of the stream.
func (l *listener) next(t testing.TB) (state playerapi.State, id string, err error) {
	t.Helper()
	name := ""
	for l.lines.Scan() {
		field, value, _ := strings.Cut(l.lines.Text(), ": ")
		switch field {
		case "event":
			name = value
		case "id":
			id = value
		case "data":
			if name != "state" {
				t.Fatalf("got event %q, want state", name)
			}
			var loose any
			if err := json.Unmarshal([]byte(value), &loose); err != nil {
				t.Fatal(err)
			}
			schema := document().Components.Schemas["State"].Value
			if err := schema.VisitJSON(loose, openapi3.EnableJSONSchema2020()); err != nil {
				t.Fatalf("got event %s, want one as in api/player.yaml: %v", value, err)
			}
			if err := json.Unmarshal([]byte(value), &state); err != nil {
				t.Fatal(err)
			}
			return state, id, nil
		}
	}
	return state, "", errors.Join(io.EOF, l.lines.Err())
}

// until reads events until one matches.
func (l *listener) until(t testing.TB, what string, matches func(playerapi.State) bool) playerapi.State {
	t.Helper()
	last := -1
	for {
		state, id, err := l.next(t)
		if err != nil {
			t.Fatalf("the stream ended before %s: %v", what, err)
		}
		if fmt.Sprint(state.Version) != id || state.Version <= last {
			t.Fatalf("got event id %s and version %d after %d, want them equal and increasing", id, state.Version, last)
		}
		last = state.Version
		if matches(state) {
			return state
		}
	}
}

func TestEventsReportEveryChange(t *testing.T) {
	h := start(t, 5)
	l := h.listen(t, "read", "Last-Event-ID", "12345")
	first, _, err := l.next(t)
	if err != nil || first.Track != nil || first.IsPlaying || first.CurrentIndex != -1 || first.Rate != 0 {
		t.Fatalf("got first event %+v, %v, want one without a track", first, err)
	}
	post := func(path, body string) {
		if got := h.do(t, "POST", path, "write", body); got.status != 200 {
			t.Fatalf("%s: got %d %s, want 200", path, got.status, got.body)
		}
	}
	post("/play", "")
	playing := l.until(t, "playback", func(s playerapi.State) bool { return s.IsPlaying && s.Rate == 1 })
	if playing.Track == nil || playing.Track.ID != "t0" || playing.QueueLength != 5 ||
		time.Since(playing.Timestamp.Time).Abs() > 5*time.Second {
		t.Errorf("got state %+v, want t0 of 5 tracks with the current time", playing)
	}
	post("/seek", `{"position":30000}`)
	l.until(t, "the seek", func(s playerapi.State) bool { return s.Position >= 30000 && s.Track.Position == s.Position })
	post("/pause", "")
	l.until(t, "the pause", func(s playerapi.State) bool { return !s.IsPlaying && s.Rate == 0 && s.Position >= 30000 })
	post("/shuffle", `{"shuffle":true}`)
	l.until(t, "shuffle", func(s playerapi.State) bool { return s.Shuffle })
	post("/repeat", `{"repeat":"one"}`)
	l.until(t, "repeat", func(s playerapi.State) bool { return s.Repeat == "one" })
	post("/volume", `{"volume":11,"muted":true}`)
	before := l.until(t, "volume", func(s playerapi.State) bool { return s.Volume == 11 && s.Muted })
	if before.QueueVersion != playing.QueueVersion {
		t.Errorf("got queue version %d, want %d: the queue did not change", before.QueueVersion, playing.QueueVersion)
	}
	post("/queue/add", `{"track_ids":["t1"]}`)
	l.until(t, "the longer queue", func(s playerapi.State) bool {
		return s.QueueLength == 6 && s.QueueVersion > before.QueueVersion
	})

	// A new listener first gets the complete state with the current position.
	late, _, err := h.listen(t, "read").next(t)
	if err != nil || late.QueueLength != 6 || late.Volume != 11 || late.Position < 30000 {
		t.Errorf("new listener: got %+v, %v, want 6 tracks, volume 11, position >= 30000", late, err)
	}
}

// TestEventsEndWhenTokenIsRevoked revokes through another Store, as the command line does in its
// own process.
func TestEventsEndWhenTokenIsRevoked(t *testing.T) {
	h := start(t, 1)
	const listeners = 100
	_, secret, err := h.store.Create(t.Context(), access.NewToken{Name: "revoked", Permissions: access.Read})
	if err != nil {
		t.Fatal(err)
	}
	var ended sync.WaitGroup
	for range listeners {
		l := h.listen(t, secret)
		if _, _, err := l.next(t); err != nil {
			t.Fatal(err)
		}
		ended.Go(func() {
			if _, _, err := l.next(t); !errors.Is(err, io.EOF) {
				t.Errorf("got %v after the token was revoked, want %v", err, io.EOF)
			}
		})
	}
	other, err := access.Open(filepath.Join(h.dir, "tokens.json"), h.cfg.Log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Revoke(t.Context(), "revoked"); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	ended.Wait()
	if took := time.Since(started); took > time.Second {
		t.Errorf("%d streams ended after %v, want at most 1s", listeners, took)
	}
	h.do(t, "GET", "/playback-state", secret, "").
		want(t, 401, `{"error":"this access token was revoked","code":"invalid_credential"}`)
}

func TestEventsEndWhenTokenExpires(t *testing.T) {
	h := start(t, 1)
	token, secret, err := h.store.Create(t.Context(),
		access.NewToken{Name: "short-lived", Permissions: access.Read, Lifetime: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	l := h.listen(t, secret)
	for err == nil {
		_, _, err = l.next(t)
	}
	if late := time.Since(token.ExpiresAt); late < 0 || late > time.Second {
		t.Errorf("the stream ended %v after its token expired, want 0s to 1s", late)
	}
}

// TestStuckListenersDoNotDelayOthers opens 200 streams that nobody reads and measures another one.
func TestStuckListenersDoNotDelayOthers(t *testing.T) {
	h := start(t, 5)
	for range 200 {
		h.listen(t, "read") // never read
	}
	l := h.listen(t, "read")
	h.do(t, "POST", "/play", "write", "")
	worst := time.Duration(0)
	for i := range 100 {
		want := i % 100
		started := time.Now()
		h.read(t, h.request(t, "POST", "/volume", "write", fmt.Sprintf(`{"volume":%d}`, want)))
		l.until(t, "the volume", func(s playerapi.State) bool { return s.Volume == want })
		worst = max(worst, time.Since(started))
	}
	if worst > time.Second {
		t.Errorf("slowest event beside stuck listeners: got %v, want at most 1s", worst)
	}
	t.Logf("slowest event %v", worst)
}

func TestClientEventsFollowStateAndStopWhenUnauthorized(t *testing.T) {
	h := start(t, 3)
	c := client.Player{BaseURL: h.url, Token: h.secrets["both"], HTTP: h.http}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var received bytes.Buffer
	for state, err := range c.Events(ctx) {
		switch {
		case err != nil:
			fmt.Fprintln(&received, "error")
		case state.Track == nil:
			fmt.Fprintln(&received, "nothing")
			if _, err := c.Play(ctx); err != nil {
				t.Fatal(err)
			}
		case state.IsPlaying:
			fmt.Fprintln(&received, "playing")
		}
		if state.IsPlaying {
			break
		}
	}
	if received.String() != "nothing\nplaying\n" {
		t.Errorf("got events %q, want %q", received.String(), "nothing\nplaying\n")
	}
	wrong := client.Player{BaseURL: h.url, Token: "wxt_wrong", HTTP: h.http}
	count := 0
	for _, err := range wrong.Events(ctx) {
		count++
		if client.StatusOf(err) != http.StatusUnauthorized {
			t.Errorf("with a wrong token: got %v, want status 401", err)
		}
	}
	if count != 1 {
		t.Errorf("got %d attempts with a wrong token, want 1", count)
	}
}
