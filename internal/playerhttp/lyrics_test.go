package playerhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api/playerapi"
	"waxwing/internal/fault"
	"waxwing/internal/lyrics"
	"waxwing/internal/playerhttp"
	"waxwing/internal/testenv"
)

// lyricsSource has synced lyrics of t0, plain ones of t1 and none of t2.
type lyricsSource struct {
	reads atomic.Int32
	fail  atomic.Bool
	text  atomic.Value // of t0
}

func (s *lyricsSource) read(_ context.Context, id string) ([]lyrics.Lyrics, error) {
	s.reads.Add(1)
	if s.fail.Load() {
		return nil, fault.New(fault.Unavailable, "the catalog is unreachable")
	}
	switch id {
	case "t0":
		return []lyrics.Lyrics{lyrics.Parse("plain"), lyrics.Parse(s.text.Load().(string))}, nil
	case "t1":
		return []lyrics.Lyrics{lyrics.Parse("One\nTwo")}, nil
	}
	return nil, nil
}

func startWithLyrics(t *testing.T, change ...func(*playerhttp.Config)) (*fixture, *lyricsSource) {
	t.Helper()
	source := &lyricsSource{}
	source.text.Store("[offset:+100]\n[00:00.40]<00:00.40>One\n[00:00.70]Two\n[00:00.70]Zwei\n[00:01.00]\n[00:30.00]Late")
	set := func(cfg *playerhttp.Config) { cfg.Lyrics = source.read }
	return start(t, 3, append(change, set)...), source
}

// nextLyric returns the next lyric event, checked against api/player.yaml.
func (l *listener) nextLyric(t testing.TB) playerapi.Lyric {
	t.Helper()
	name := ""
	for l.lines.Scan() {
		field, value, _ := strings.Cut(l.lines.Text(), ": ")
		if field == "event" {
			name = value
		}
		if field != "data" || name != "lyric" {
			continue
		}
		var loose any
		var line playerapi.Lyric
		if err := errors.Join(json.Unmarshal([]byte(value), &loose), json.Unmarshal([]byte(value), &line)); err != nil {
			t.Fatal(err)
		}
		schema := document().Components.Schemas["Lyric"].Value
		if err := schema.VisitJSON(loose, openapi3.EnableJSONSchema2020()); err != nil {
			t.Fatalf("got event %s, want one as in api/player.yaml: %v", value, err)
		}
		return line
	}
	t.Fatalf("the stream ended before a lyric event: %v", l.lines.Err())
	return playerapi.Lyric{}
}

// wantLyric checks the next lyric event; text "-" is null.
func (l *listener) wantLyric(t testing.TB, track string, index, start int, text string, next int) {
	t.Helper()
	want := playerapi.Lyric{Index: index, Start: &start, Text: &text, NextStart: &next, TrackID: &track}
	if text == "-" {
		want.Start, want.Text = nil, nil
	}
	if next < 0 {
		want.NextStart = nil
	}
	got, _ := json.Marshal(l.nextLyric(t))
	if expected, _ := json.Marshal(want); string(got) != string(expected) {
		t.Fatalf("got lyric event %s, want %s", got, expected)
	}
}

func TestLyricEventsFollowThePosition(t *testing.T) {
	h, source := startWithLyrics(t)
	l := h.listen(t, "read")
	post := func(path, body string) {
		t.Helper()
		if got := h.do(t, "POST", path, "write", body); got.status != 200 {
			t.Fatalf("%s: got %d %s, want 200", path, got.status, got.body)
		}
	}
	heard := func(from, before float64) {
		t.Helper()
		var now playerapi.CurrentTrack
		h.do(t, "GET", "/current-track", "read", "").json(t, &now)
		if now.Track.Position < from || now.Track.Position >= before {
			t.Errorf("got the line at %v ms, want it from %v to %v ms", now.Track.Position, from, before)
		}
	}
	post("/queue/replace", `{"track_ids":["t0","t1","t2"]}`)
	l.wantLyric(t, "t0", -1, 0, "-", 300)
	post("/play", "")
	l.wantLyric(t, "t0", 0, 300, "One", 600)
	heard(300, 5000)
	l.wantLyric(t, "t0", 1, 600, "Two\nZwei", 900)
	heard(600, 5000)
	l.wantLyric(t, "t0", 3, 900, "", 29900)
	heard(900, 5000)
	post("/seek", `{"position":50000}`)
	l.wantLyric(t, "t0", 4, 29900, "Late", -1)
	post("/pause", "")
	post("/seek", `{"position":650}`)
	l.wantLyric(t, "t0", 1, 600, "Two\nZwei", 900)

	late := h.listen(t, "read")
	late.wantLyric(t, "t0", 1, 600, "Two\nZwei", 900)
	if got := source.reads.Load(); got != 1 {
		t.Errorf("got %d reads of the lyrics, want 1 for all listeners", got)
	}
	post("/next", "")
	l.wantLyric(t, "t1", -1, 0, "-", -1)
	late.wantLyric(t, "t1", -1, 0, "-", -1)
	post("/previous", "")
	for _, listener := range []*listener{l, late} {
		if line := listener.nextLyric(t); line.NextStart == nil { // the lyrics were not read yet
			listener.wantLyric(t, "t0", -1, 0, "-", 300)
		}
	}
	post("/queue/clear", "")
	if line := l.nextLyric(t); line.TrackID != nil || line.Index != -1 || line.Text != nil {
		t.Errorf("after the queue was cleared: got %+v, want no line", line)
	}
}

func TestLyricsAreReadOnlyWhileClientsListen(t *testing.T) {
	h, source := startWithLyrics(t)
	h.do(t, "POST", "/play", "write", "")
	h.do(t, "POST", "/next", "write", "")
	if got := source.reads.Load(); got != 0 {
		t.Errorf("got %d reads without a listener, want 0", got)
	}
	l := h.listen(t, "read")
	testenv.WaitFor(t, "the lyrics are read", func() bool { return source.reads.Load() == 1 })
	l.resp.Body.Close()
	h.do(t, "POST", "/next", "write", "")
	time.Sleep(50 * time.Millisecond) // the follower would read within a millisecond
	h.do(t, "POST", "/next", "write", "")
	if got := source.reads.Load(); got > 2 { // one while the server notices that the client has left
		t.Errorf("got %d reads after the last listener, want none", got)
	}
}

func TestLyricEventsFollowTheCatalog(t *testing.T) {
	revisions := &revisionSource{reports: make(chan string)}
	h, source := startWithLyrics(t, func(cfg *playerhttp.Config) { cfg.CatalogRevisions = revisions.revisions })
	h.do(t, "POST", "/queue/replace", "write", `{"track_ids":["t0"]}`)
	h.do(t, "POST", "/seek", "write", `{"position":2000}`)
	source.fail.Store(true)
	l := h.listen(t, "read")
	testenv.WaitFor(t, "the lyrics are read", func() bool { return source.reads.Load() > 0 })
	source.fail.Store(false)
	revisions.reports <- "e.1"
	l.wantLyric(t, "t0", 3, 900, "", 29900)
	source.text.Store("[00:01.00]Changed")
	revisions.reports <- "e.2"
	l.wantLyric(t, "t0", 0, 1000, "Changed", -1)
}

func TestLyricsOfTheCurrentTrack(t *testing.T) {
	h, source := startWithLyrics(t)
	h.do(t, "GET", "/lyrics", "read", "").want(t, 200, `{"track_id":null,"lyrics":[]}`)
	h.do(t, "POST", "/queue/replace", "write", `{"track_ids":["t1","t2","t0"]}`)
	h.do(t, "GET", "/lyrics", "read", "").want(t, 200, `{"track_id":"t1","lyrics":[{"lang":null,"synced":false,`+
		`"offset":0,"lines":[{"start":null,"text":"One"},{"start":null,"text":"Two"}]}]}`)
	h.do(t, "POST", "/next", "write", "")
	h.do(t, "GET", "/lyrics", "read", "").want(t, 200, `{"track_id":"t2","lyrics":[]}`)
	h.do(t, "POST", "/next", "write", "")
	var got playerapi.TrackLyrics
	h.do(t, "GET", "/lyrics", "read", "").json(t, &got)
	if len(got.Lyrics) != 2 || got.Lyrics[1].Offset != 100 || got.Lyrics[1].Lines[0].Words[0].Start != 400 {
		t.Errorf("got %+v, want two texts, the second with an offset and words", got)
	}
	source.fail.Store(true)
	h.do(t, "GET", "/lyrics", "read", "").want(t, 503, `~{"error":"the catalog is unreachable"`)
}
