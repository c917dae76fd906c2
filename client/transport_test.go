package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/api/playerapi"
	"waxwing/client"
)

// player returns a client of a test server with the handler h.
func player(t *testing.T, h http.HandlerFunc) *client.Player {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &client.Player{BaseURL: server.URL + "/", Token: "wxt_x", HTTP: server.Client()}
}

// respond returns a handler that sends a fixed reply of Waxwing.
func respond(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Waxwing-Version", "1")
		w.Header().Set("X-Request-Id", "r1")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestUnreachablePlayerErrorNamesAddressAndHint(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	ln.Close()
	_, err = (&client.Player{BaseURL: url}).Health(t.Context())
	if want := "no player at " + url + "; start it with: waxwing"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	var dial *net.OpError
	if !errors.As(err, &dial) || client.StatusOf(err) != 0 {
		t.Errorf("got %#v, want the cause *net.OpError and no status", err)
	}
	if _, err := (&client.Player{BaseURL: "http://bad host"}).Health(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "not the address of a player") {
		t.Errorf("invalid address: got %v, want not the address of a player", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&client.Player{BaseURL: url}).Health(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v, want %v", err, context.Canceled)
	}
}

func TestErrorHasStatusMessageAndRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		status  int
		message string
		retry   time.Duration
	}{
		"message":       {respond(409, `{"error":"the queue is empty","code":"queue_empty"}`), 409, "the queue is empty", 0},
		"retry later":   {respond(503, `{"error":"unavailable"}`, "Retry-After", "7"), 503, "unavailable", 7 * time.Second},
		"no message":    {respond(500, `<html>`), 500, "the player replied with 500 internal server error", 0},
		"other server":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }, 0, "is not Waxwing", 0},
		"proxy":         {http.NotFound, 0, "is not Waxwing", 0},
		"redirect":      {respond(302, ``, "Location", "http://127.0.0.1:1/"), 302, "the player replied with 302 found", 0},
		"partial reply": {respond(200, `{"ok":`), 200, "invalid reply", 0},
	} {
		_, err := player(t, c.handler).Health(t.Context())
		var e *client.Error
		if !errors.As(err, &e) || e.Status != c.status || !strings.Contains(e.Message, c.message) ||
			e.RetryAfter != c.retry {
			t.Errorf("%s: got %#v, want status %d, message %q, retry after %v", name, err, c.status, c.message, c.retry)
		}
		if name == "message" && (e.RequestID != "r1" || e.Code != "queue_empty" || client.CodeOf(err) != e.Code) {
			t.Errorf("%s: got request id %q and code %q, want r1 and queue_empty", name, e.RequestID, e.Code)
		}
	}
}

// TestEventsReconnectWithLastIDUntilRefused checks that a lost connection yields an error, that the
// next one sends the last event id, and that a refusal ends the events.
func TestEventsReconnectWithLastIDUntilRefused(t *testing.T) {
	var connects atomic.Int32
	p := player(t, func(w http.ResponseWriter, r *http.Request) {
		n := connects.Add(1)
		if n == 3 {
			respond(401, `{"error":"this access token was revoked"}`)(w, r)
			return
		}
		if want := map[int32]string{1: "", 2: "8"}[n]; r.Header.Get("Last-Event-ID") != want ||
			r.Header.Get("Authorization") != "Bearer wxt_x" {
			t.Errorf("connection %d: got headers %v, want Last-Event-ID %q and the token", n, r.Header, want)
		}
		w.Header().Set("X-Waxwing-Version", "1")
		for i := range 2 {
			fmt.Fprintf(
				w,
				": heartbeat\n\nevent: state\nid: %d\ndata: {\"version\":%d,\ndata: \"volume\":%d}\n\n",
				7+i,
				7+i,
				n,
			)
		}
	})
	var yielded []string
	for state, err := range p.Events(t.Context()) {
		if err != nil {
			yielded = append(yielded, err.Error())
			continue
		}
		yielded = append(yielded, fmt.Sprint(state.Version, "/", state.Volume))
	}
	const lost = "the connection to the player was lost"
	const want = "7/1, 8/1, " + lost + ", 7/2, 8/2, " + lost + ", this access token was revoked"
	if got := strings.Join(yielded, ", "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestEventsEndWithLoopOrContext(t *testing.T) {
	disconnected := make(chan struct{}, 2)
	p := player(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Waxwing-Version", "1")
		fmt.Fprint(w, "data: {\"version\":1}\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		disconnected <- struct{}{}
	})
	for range p.Events(t.Context()) {
		break
	}
	<-disconnected
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	count := 0
	for _, err := range p.Events(ctx) {
		if err != nil {
			t.Errorf("cancelled context: got error %v, want none", err)
		}
		count++
		cancel()
	}
	<-disconnected
	if count != 1 {
		t.Errorf("got %d events, want 1", count)
	}
}

func TestUnsetOptionalFieldsAreNotSent(t *testing.T) {
	var body strings.Builder
	p := player(t, func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(b)
		fmt.Fprintf(&body, "%s %s %s\n", r.URL.Path, r.Header.Get("Content-Type"), b)
		respond(200, `{"ok":true}`)(w, r)
	})
	volume := 5
	if _, err := p.SetVolume(t.Context(), &volume, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Replace(t.Context(), playerapi.ReplaceRequest{TrackIDs: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = "/volume application/json {\"volume\":5}\n" +
		"/queue/replace application/json {\"track_ids\":[\"a\"]}\n" +
		"/pause  \n"
	if body.String() != want {
		t.Errorf("got requests\n%swant\n%s", body.String(), want)
	}
}

// TestHostileRepliesOfACatalogAreBounded: an array of empty songs takes a hundred times as much
// memory as its text.
func TestHostileRepliesOfACatalogAreBounded(t *testing.T) {
	replies := map[string]string{
		"/api/songs/elements": `{"song":{"artists":[` + strings.Repeat(`{},`, 1_000_000) + `{}]}}`,
		"/api/songs/long":     `{"song":{"title":"` + strings.Repeat("x", 9<<20) + `"}}`,
		"/api/songs/nested":   strings.Repeat(`{"song":`, 1_000_000),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Waxwing-Version", "test")
		if text, ok := replies[r.URL.Path]; ok {
			_, _ = io.WriteString(w, text) // the client closes the connection
			return
		}
		w.Header().Set("Retry-After", "9223372036854775807")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "\x1b[31m" + strings.Repeat("y", 60_000)})
	}))
	defer server.Close()
	c := &client.Catalog{BaseURL: server.URL, HTTP: server.Client()}
	for path := range replies {
		if _, err := c.Song(t.Context(), strings.TrimPrefix(path, "/api/songs/")); err == nil {
			t.Errorf("%s: got no error", path)
		}
	}
	_, err := c.Song(t.Context(), "error")
	var e *client.Error
	if !errors.As(err, &e) || len(e.Message) > 1000 || strings.Contains(e.Message, "\x1b") ||
		e.RetryAfter < 0 || e.RetryAfter > 24*time.Hour {
		t.Errorf("got %.80q and %v, want a short message and at most a day", err, e.RetryAfter)
	}
}
