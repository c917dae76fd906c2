package lrclib

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/lyrics"
)

// serve returns a client of a loopback server.
func serve(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c := New(server.URL+"/", "1.2.3")
	t.Cleanup(c.Close)
	return c
}

func reply(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

var song = Song{Title: "Paper & Boats", Artist: "Ann", Album: "Øst", Duration: 61_600 * time.Millisecond}

func TestFindSendsTitleArtistAlbumAndLengthOnly(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	var got *http.Request
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = w.Write([]byte(`{"id":1,"instrumental":false,"plainLyrics":"One","syncedLyrics":"[00:01.00]One"}`))
	})
	text, ok, err := c.Find(t.Context(), song)
	if want := (lyrics.Text{Source: lyrics.Online, Text: "[00:01.00]One"}); err != nil || !ok || text != want {
		t.Fatalf("got %+v, %v, %v; want %+v", text, ok, err, want)
	}
	query := url.Values{"track_name": {"Paper & Boats"}, "artist_name": {"Ann"}, "album_name": {"Øst"}, "duration": {"62"}}
	if got.Method != "GET" || got.URL.Path != "/api/get" || got.URL.RawQuery != query.Encode() {
		t.Errorf("got %s %s, want GET /api/get?%s", got.Method, got.URL, query.Encode())
	}
	for name := range got.Header {
		if name != "User-Agent" && name != "Accept" && name != "Accept-Encoding" {
			t.Errorf("got the header %s: %q, want only User-Agent, Accept and Accept-Encoding", name, got.Header[name])
		}
	}
}

func TestRepliesOfTheLyricsServer(t *testing.T) {
	const broken, none = "broken", ""
	for name, test := range map[string]struct{ body, want string }{
		"plain text only":       {`{"plainLyrics":"One\nTwo","syncedLyrics":null}`, "One\nTwo"},
		"empty synced text":     {`{"plainLyrics":"One","syncedLyrics":" \n "}`, "One"},
		"instrumental":          {`{"instrumental":true,"plainLyrics":null,"syncedLyrics":null}`, none},
		"nothing":               {`{}`, none},
		"invalid UTF-8":         {"{\"plainLyrics\":\"a\xff\"}", "a\ufffd"},
		"not JSON":              {`<html>`, broken},
		"empty":                 {``, broken},
		"a list":                {`[{"plainLyrics":"One"}]`, broken},
		"other types":           {`{"plainLyrics":{"a":[1]},"syncedLyrics":7}`, broken},
		"two objects":           {`{"plainLyrics":"One"}{}`, broken},
		"deeply nested":         {strings.Repeat(`{"a":`, 50_000), broken},
		"larger than 512 KB":    {`{"plainLyrics":"` + strings.Repeat("la\\n", 150_000) + `"}`, broken},
		"longer than is parsed": {`{"plainLyrics":"` + strings.Repeat("l", lyrics.MaxBytes+9) + `"}`, none},
	} {
		text, ok, err := serve(t, reply(test.body)).Find(t.Context(), song)
		var unusable *ReplyError
		if test.want == broken {
			if ok || !errors.As(err, &unusable) {
				t.Errorf("%s: got %.40q, %v, %v; want a ReplyError", name, text.Text, ok, err)
			}
			continue
		}
		if err != nil || ok != (test.want != none) || text.Text != test.want {
			t.Errorf("%s: got %.40q, %v, %v; want %q", name, text.Text, ok, err, test.want)
		}
	}
}

func TestStatusOfTheLyricsServer(t *testing.T) {
	for status, want := range map[int]string{
		404: "none", 400: "reply", 403: "reply", 204: "reply", 429: "server", 500: "server", 503: "server",
	} {
		_, ok, err := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }).Find(t.Context(), song)
		got := "server"
		var unusable *ReplyError
		if errors.As(err, &unusable) {
			got = "reply"
		} else if err == nil {
			got = "none"
		}
		if ok || got != want {
			t.Errorf("status %d: got %s (%v), want %s", status, got, err, want)
		}
	}
}

func TestRedirectsStayOnTheLyricsServer(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/api/get?"+r.URL.RawQuery, http.StatusFound)
	})
	_, ok, err := elsewhere.Find(t.Context(), song)
	if ok || err == nil || reached.Load() != 0 {
		t.Errorf("to another host: got %v, %v and %d requests there; want an error and none", ok, err, reached.Load())
	}
	if err != nil && strings.Contains(err.Error(), "Paper") {
		t.Errorf("the error contains the query, want it without: %v", err)
	}
	within := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/get" {
			http.Redirect(w, r, "/v2?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		_, _ = w.Write([]byte(`{"plainLyrics":"One"}`))
	})
	if _, ok, err := within.Find(t.Context(), song); !ok || err != nil {
		t.Errorf("within the server: got %v, %v; want the text", ok, err)
	}
	var loops atomic.Int32
	loop := serve(t, func(w http.ResponseWriter, r *http.Request) {
		loops.Add(1)
		http.Redirect(w, r, r.URL.String(), http.StatusFound)
	})
	if _, ok, err := loop.Find(t.Context(), song); ok || err == nil || loops.Load() > maxRedirects+1 {
		t.Errorf("a loop: got %v, %v after %d requests; want an error after at most %d", ok, err, loops.Load(),
			maxRedirects+1)
	}
}

func TestSlowLyricsServerIsAbandoned(t *testing.T) {
	done := make(chan struct{})
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush() // the headers are in time, the body is not
		select {
		case <-done:
		case <-r.Context().Done():
		}
	})
	defer close(done)
	if c.http.Timeout != Timeout {
		t.Errorf("timeout: got %v, want %v", c.http.Timeout, Timeout)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var unusable *ReplyError
	if _, ok, err := c.Find(ctx, song); ok || err == nil || errors.As(err, &unusable) {
		t.Errorf("got %v, %v; want an error of the server", ok, err)
	}
}
