package playerhttp_test

import (
	"fmt"
	"strings"
	"testing"
)

const seekError = `{"error":"position must be a non-negative number in milliseconds"}`

func (h *fixture) state(t testing.TB) string {
	t.Helper()
	return h.do(t, "GET", "/playback-state", "read", "").body
}

// current returns the id of the current track and whether it is playing, or "nothing".
func (h *fixture) current(t testing.TB) string {
	t.Helper()
	var now struct {
		Track *struct {
			ID        string
			IsPlaying bool `json:"is_playing"`
		}
	}
	h.do(t, "GET", "/current-track", "read", "").json(t, &now)
	if now.Track == nil {
		return "nothing"
	}
	return fmt.Sprint(now.Track.ID, " ", now.Track.IsPlaying)
}

// TestCommandsChangeStateAsDocumented sends commands one after the other and checks the reply and
// the current track after each.
func TestCommandsChangeStateAsDocumented(t *testing.T) {
	h := start(t, 5)
	for i, step := range []struct {
		path, body string
		status     int
		reply      string
		after      string
	}{
		{"/pause", "", 200, `{"ok":true}`, "nothing"},
		{"/next", "", 409, `~{"error":"`, "nothing"},
		{"/previous", "{}", 409, `~{"error":"`, "nothing"},
		{"/seek", `{"position":5}`, 409, `~{"error":"`, "nothing"},
		{"/like", "", 409,
			`{"error":"the queue is empty: there is no current track; play one first","code":"queue_empty"}`, "nothing"},
		{"/unlike", "", 409, `~{"error":"the queue is empty`, "nothing"},
		{"/rate", `{"rating":4}`, 409, `~{"error":"the queue is empty`, "nothing"},
		{"/rate", `{"rating":6}`, 400, `~{"error":"rating must be`, "nothing"},
		{"/rate", `{}`, 400, `~{"error":"rating must be`, "nothing"},
		{"/toggle", "", 200, `{"ok":true,"is_playing":true}`, "t0 true"}, // acts as play
		{"/like", "", 409, `~{"error":"this player has no catalog`, "t0 true"},
		{"/unlike", "", 409, `~{"error":"this player has no catalog`, "t0 true"},
		{"/rate", `{"rating":0}`, 409, `~{"error":"this player has no catalog`, "t0 true"},
		{"/toggle-play", "", 200, `{"ok":true,"is_playing":false}`, "t0 false"},
		{"/play", "", 200, `{"ok":true,"track_id":"t0"}`, "t0 true"},
		{"/play", "{}", 200, `{"ok":true,"track_id":"t0"}`, "t0 true"}, // no change
		{"/next", "", 200, `{"ok":true}`, "t1 true"},
		{"/pause", "{}", 200, `{"ok":true}`, "t1 false"},
		{"/next", "", 200, `{"ok":true}`, "t2 false"}, // stays paused
		{"/previous", "", 200, `{"ok":true}`, "t1 false"},
		{"/previous", "", 200, `{"ok":true}`, "t0 false"},
		{"/previous", "", 200, `{"ok":true}`, "t4 false"}, // wraps
		{"/seek", `{"position":1500.5}`, 200, `{"ok":true,"position":1500.5}`, "t4 false"},
		{"/seek", `{"position":99999999}`, 200, `{"ok":true,"position":61500}`, "t4 false"}, // clamped
		{"/seek", `{"position":1e300}`, 200, `{"ok":true,"position":61500}`, "t4 false"},
		{"/seek", `{"position":0}`, 200, `{"ok":true,"position":0}`, "t4 false"},
		{"/play", `{"track_id":"t3"}`, 200, `{"ok":true,"track_id":"t3"}`, "t3 true"},
		{"/play", `{"track_id":"t3"}`, 200, `{"ok":true,"track_id":"t3"}`, "t3 true"},
		{"/play", `{"track_id":null}`, 200, `{"ok":true,"track_id":"t3"}`, "t3 true"},
		{"/play", `{"track_id":"t9"}`, 404, `{"error":"there is no song t9","code":"not_found"}`, "t3 true"},
		{"/play", `{"track_id":""}`, 400,
			`{"error":"track_id must be a non-empty string","code":"invalid_parameter"}`, "t3 true"},
		{"/play", `{"track_id":7}`, 400,
			`{"error":"track_id must be a non-empty string","code":"invalid_parameter"}`, "t3 true"},
		{"/queue/jump", `{"index":1,"id":"t1"}`, 200, `{"ok":true}`, "t1 true"},
		{"/queue/jump", `{"index":1,"id":"t2"}`, 409, `~{"error":"`, "t1 true"},
		{"/queue/jump", `{"index":77,"id":"t2"}`, 409, `~{"error":"`, "t1 true"},
		{"/queue/remove", `{"index":0,"id":"t1"}`, 409, `~{"error":"`, "t1 true"},
		{"/queue/move", `{"from":0,"to":1,"id":"t4"}`, 409, `~{"error":"`, "t1 true"},
		{"/queue/replace", `{"playlist_id":"pl","index":2}`, 200, `{"ok":true}`, "t2 true"}, // continues to play
		{"/queue/replace", `{"album_id":"al","play":false}`, 200, `{"ok":true}`, "t0 false"},
		{"/queue/replace", `{"artist_id":"ar","index":9}`, 400, `~index`, "t0 false"},
		{"/queue/replace", `{"artist_id":"unknown"}`, 404, `~{"error":"`, "t0 false"},
		{"/queue/add", `{"track_ids":["t4"]}`, 200, `~"added":1,"item_ids":[`, "t0 false"},
		{"/queue/add", `{"track_ids":["t4","t99"]}`, 404, `~t99`, "t0 false"},
		{"/queue/clear", "", 200, `{"ok":true}`, "nothing"},
		{"/play", "", 200, `{"ok":true,"track_id":"t0"}`, "t0 true"},
	} {
		h.do(t, "POST", step.path, "write", step.body).want(t, step.status, step.reply)
		if got := h.current(t); got != step.after {
			t.Fatalf("step %d: after %s %s: got %q, want %q", i, step.path, step.body, got, step.after)
		}
	}
}

func TestPlayTrackInsertsAfterCurrent(t *testing.T) {
	h := start(t, 5)
	h.do(t, "POST", "/queue/replace", "write", `{"track_ids":["t0","t1"],"play":true}`).want(t, 200, `{"ok":true}`)
	h.do(t, "POST", "/play", "write", `{"track_id":"t4"}`).want(t, 200, `{"ok":true,"track_id":"t4"}`)
	h.do(t, "GET", "/playback-queue", "read", "").want(t, 200, `~"current_index":1,"current_track_id":"t4"`)
	h.do(t, "POST", "/next", "write", "")
	if got := h.current(t); got != "t1 true" {
		t.Errorf("after the inserted track: got %q, want %q", got, "t1 true")
	}
}

func TestPlayFailsWithEmptyOrUnavailableCatalog(t *testing.T) {
	h := start(t, 0)
	for _, path := range []string{"/play", "/toggle", "/toggle-play"} {
		h.do(t, "POST", path, "write", "").want(t, 409, `~{"error":"`)
	}
	h.library.setUnavailable(true)
	for _, path := range []string{"/play", "/toggle"} {
		got := h.do(t, "POST", path, "write", "")
		got.want(t, 503, `~{"error":"`)
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%s: got a 503 without Retry-After, want the header", path)
		}
	}
}

func TestSettingsAcceptOnlyDocumentedValues(t *testing.T) {
	h := start(t, 3)
	h.do(t, "POST", "/shuffle", "write", `{"shuffle":true}`).want(t, 200, `{"ok":true,"shuffle":true}`)
	for given, want := range map[string]string{
		`"off"`: "off", `"none"`: "off", `"false"`: "off", `"0"`: "off", `false`: "off", `0`: "off",
		`"one"`: "one", `"track"`: "one", `"single"`: "one", `"ONE"`: "one",
		`"all"`: "all", `"playlist"`: "all", `"context"`: "all", `"queue"`: "all",
		`"on"`: "on", `"true"`: "on", `"1"`: "on", `true`: "on", `1`: "on",
	} {
		h.do(t, "POST", "/repeat", "write", `{"repeat":`+given+`}`).want(t, 200, `{"ok":true,"repeat":"`+want+`"}`)
		if got := h.state(t); got != `{"is_playing":false,"shuffle":true,"repeat":"`+want+`"}` {
			t.Errorf("after %s: got state %s, want repeat %s", given, got, want)
		}
	}
	for _, bad := range []string{`{}`, ``, `{"repeat":null}`, `{"repeat":"sometimes"}`, `{"repeat":2}`, `{"repeat":[]}`} {
		h.do(t, "POST", "/repeat", "write", bad).
			want(t, 400, `{"error":"repeat must be one of off, one, all, on","code":"invalid_parameter"}`)
	}
	h.do(t, "POST", "/volume", "write", `{"volume":30}`).want(t, 200, `{"ok":true,"volume":30,"muted":false}`)
	h.do(t, "POST", "/volume", "write", `{"muted":true}`).want(t, 200, `{"ok":true,"volume":30,"muted":true}`)
	h.do(t, "GET", "/volume", "read", "").want(t, 200, `{"volume":30,"muted":true}`)
	for _, bad := range []string{
		`{}`, ``, `{"volume":null}`, `{"volume":101}`, `{"volume":-1}`, `{"volume":1.5}`, `{"volume":"loud"}`,
	} {
		h.do(t, "POST", "/volume", "write", bad).
			want(t, 400, `{"error":"volume must be a whole number from 0 to 100","code":"invalid_parameter"}`)
	}
}

func TestOutputsCanBeListedAndSelected(t *testing.T) {
	h := start(t, 0)
	var list struct{ Outputs []struct{ ID string } }
	h.do(t, "GET", "/outputs", "read", "").json(t, &list)
	if len(list.Outputs) == 0 {
		t.Fatal("got no outputs, want at least one")
	}
	h.do(t, "POST", "/outputs", "write", `{"id":"`+list.Outputs[0].ID+`"}`).want(t, 200, `{"ok":true}`)
	h.do(t, "POST", "/outputs", "write", `{"id":"nowhere"}`).want(t, 404, `~nowhere`)
}

// TestSeekRejectsInvalidPosition: the text of this error is part of the API.
func TestSeekRejectsInvalidPosition(t *testing.T) {
	h := start(t, 1)
	h.do(t, "POST", "/play", "write", "")
	for _, body := range []string{
		``, `{}`, `{"position":null}`, `{"position":"5"}`, `{"position":true}`, `{"position":-1}`, `{"position":-0.001}`,
		`{"position":[5]}`, `{"position":{}}`, `{"Position":5}`, `{"position":1e999}`, `[]`, `null`, `5`, `"5"`,
	} {
		h.do(t, "POST", "/seek", "write", body, "Content-Type", "application/json").want(t, 400, seekError)
	}
}

func TestQueueCommandsRequireExactlyOneSelection(t *testing.T) {
	h := start(t, 3)
	for _, path := range []string{"/queue/add", "/queue/replace"} {
		for _, body := range []string{
			``, `{}`, `{"track_ids":[]}`, `{"track_ids":["t0"],"album_id":"al"}`,
			`{"playlist_id":"a","artist_id":"b"}`, `{"track_ids":null}`, `{"songs":"","album_id":"b"}`,
		} {
			h.do(t, "POST", path, "write", body).want(t, 400, "~exactly one of track_ids, ")
		}
		h.do(t, "POST", path, "write", `{"album_id":""}`).want(t, 400, "~album_id")
		h.do(t, "POST", path, "write", `{"songs":"page=2"}`).want(t, 400, `~unknown parameter`)
		h.do(t, "POST", path, "write", `{"track_ids":[""]}`).want(t, 400, "~track_ids")
		h.do(t, "POST", path, "write", `{"track_ids":"t0"}`).
			want(t, 400, `{"error":"track_ids must be a list of strings","code":"invalid_parameter"}`)
		h.do(t, "POST", path, "write", `{"track_ids":[1]}`).
			want(t, 400, `{"error":"track_ids must be a list of strings","code":"invalid_parameter"}`)
	}
	h.do(t, "POST", "/queue/add", "write", `{"track_ids":["t0"],"at":"middle"}`).
		want(t, 400, `{"error":"at must be next or end","code":"invalid_parameter"}`)
	for _, body := range []string{
		`{"index":-1,"id":"t0"}`, `{"index":"0","id":"t0"}`, `{"id":"t0"}`, `{"index":0}`, `{"index":0.5,"id":"t0"}`,
	} {
		for _, path := range []string{"/queue/remove", "/queue/jump"} {
			if got := h.do(t, "POST", path, "write", body); got.status != 400 ||
				!strings.Contains(got.body, "index") && !strings.Contains(got.body, "id ") {
				t.Errorf("%s %s: got %d %s, want 400 about index or id", path, body, got.status, got.body)
			}
		}
	}
}
