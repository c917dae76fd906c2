package playerhttp_test

import (
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// fields lists the keys of an object, sorted.
func fields(object any) string {
	m, _ := object.(map[string]any)
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

func wantFields(t *testing.T, name string, object any, want string) {
	t.Helper()
	if got := fields(object); got != want {
		t.Errorf("%s: got fields %q, want %q", name, got, want)
	}
}

func TestHealthNeedsNoToken(t *testing.T) {
	h := start(t, 0)
	var health map[string]any
	h.do(t, "GET", "/health", "", "").json(t, &health)
	addr := h.cfg.Addr.(*net.TCPAddr)
	if fields(health) != "host ok port status" || health["ok"] != true || health["status"] != "running" ||
		health["port"] != float64(addr.Port) || health["host"] != "127.0.0.1" {
		t.Errorf("got health %v, want ok, running, 127.0.0.1 and port %d", health, addr.Port)
	}
}

func TestReadsWithoutTrackReturnEmptyState(t *testing.T) {
	h := start(t, 3)
	h.do(t, "GET", "/current-track", "read", "").want(t, 200, `{"track":null}`)
	h.do(t, "GET", "/playback-state", "read", "").want(t, 200, `{"is_playing":false,"shuffle":false,"repeat":"off"}`)
	h.do(t, "GET", "/playback-queue", "read", "").want(t, 200,
		`~{"queue":[],"current_index":-1,"current_track_id":null,"current_track_cover_url":null,`+
			`"is_playing":false,"shuffle":false,"repeat":"off","updated_at":"`)
}

// TestRepliesHaveExactlyTheDocumentedFields lists the fields itself, so that an accidental change
// of api/player.yaml fails too.
func TestRepliesHaveExactlyTheDocumentedFields(t *testing.T) {
	h := start(t, 3)
	h.do(t, "POST", "/play", "write", "").want(t, 200, `{"ok":true,"track_id":"t0"}`)

	var current struct{ Track map[string]any }
	h.do(t, "GET", "/current-track", "read", "").json(t, &current)
	wantFields(t, "track", current.Track, "album artist cover_url duration id is_playing position thumbnail_url title")
	if current.Track["duration"] != 61500.0 || current.Track["is_playing"] != true ||
		current.Track["title"] != "Title <0> & more" {
		t.Errorf("got track %v, want duration 61500, playing, title \"Title <0> & more\"", current.Track)
	}
	var state map[string]any
	h.do(t, "GET", "/playback-state", "read", "").json(t, &state)
	wantFields(t, "state", state, "is_playing repeat shuffle")
	var queue map[string]any
	h.do(t, "GET", "/playback-queue", "read", "").json(t, &queue)
	wantFields(t, "queue", queue,
		"current_index current_track_cover_url current_track_id is_playing queue repeat shuffle updated_at")
	items := queue["queue"].([]any)
	if len(items) != 3 || fields(items[0]) != "artist cover_url duration id thumbnail_url title" ||
		items[0].(map[string]any)["duration"] != 61.5 {
		t.Errorf("got items %v, want 3 with a duration of 61.5 s", items)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", queue["updated_at"].(string)); err != nil {
		t.Error(err)
	}
	var public map[string]any
	h.do(t, "GET", "/user/public", "read", "").json(t, &public)
	if fields(public) != "updated_at user" || fields(public["user"]) != "id name profile_image_url username" {
		t.Errorf("got profile %v, want updated_at and user with id, name, profile_image_url and username", public)
	}
	var volume map[string]any
	h.do(t, "GET", "/volume", "read", "").json(t, &volume)
	wantFields(t, "volume", volume, "muted volume")
}

func TestPlaybackQueueReflectsQueueCommands(t *testing.T) {
	h := start(t, 5)
	var queue struct {
		Queue []struct{ ID string }
		Index int `json:"current_index"`
	}
	for _, step := range []struct{ path, body, want string }{
		{"/queue/add", `{"track_ids":["t0","t1"]}`, "t0 t1"},
		{"/queue/add", `{"track_ids":["t2"],"at":"next"}`, "t0 t2 t1"},
		{"/queue/move", `{"from":0,"to":2,"id":"t0"}`, "t2 t1 t0"},
		{"/queue/remove", `{"index":1,"id":"t1"}`, "t2 t0"},
		{"/queue/clear", ``, ""},
	} {
		h.do(t, "POST", step.path, "write", step.body)
		for range 2 { // the second reply comes from the cache
			h.do(t, "GET", "/playback-queue", "read", "").json(t, &queue)
			var ids []string
			for _, item := range queue.Queue {
				ids = append(ids, item.ID)
			}
			if got := strings.Join(ids, " "); got != step.want {
				t.Errorf("after %s %s: got queue %q, want %q", step.path, step.body, got, step.want)
			}
		}
	}
}

func TestHeadIsAllowedWhereGetIs(t *testing.T) {
	h := start(t, 3)
	h.do(t, "POST", "/play", "write", "")
	for path, item := range document().Paths.Map() {
		if item.Get == nil || strings.Contains(path, "{") {
			continue
		}
		token := document().Permission(item.Get)
		if token == "public" {
			token = ""
		}
		got := h.do(t, "HEAD", path, token, "")
		if got.status != http.StatusOK || got.body != "" || got.header.Get("Content-Type") == "" {
			t.Errorf("HEAD %s: got %d %q %v, want 200, a Content-Type and no body",
				path, got.status, got.body, got.header)
		}
	}
}

func TestProfileIsServedWhileCatalogIsUnavailable(t *testing.T) {
	h := start(t, 0)
	h.library.setUnavailable(true)
	got := h.do(t, "GET", "/user/public", "read", "")
	got.want(t, 503, `{"error":"the catalog cannot be reached; check that it is running","code":"catalog_unavailable"}`)
	if got.header.Get("Retry-After") == "" {
		t.Error("got a 503 without Retry-After, want the header")
	}
	h.do(t, "GET", "/ready", "read", "").
		want(t, 503, `{"error":"the catalog cannot be reached; check that it is running","code":"catalog_unavailable"}`)
	h.library.setUnavailable(false)
	var first reply
	testenv.WaitFor(t, "the profile is requested again", func() bool {
		first = h.do(t, "GET", "/user/public", "read", "")
		return first.status == 200
	})
	first.want(t, 200, `~"username":"ada"`)
	h.library.setUnavailable(true)
	h.do(t, "GET", "/user/public", "read", "").want(t, 200, first.body)
	h.library.setUnavailable(false)
	h.do(t, "GET", "/ready", "read", "").want(t, 200, `{"ready":true}`)
}
