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

func TestHealthNeedsNoToken(t *testing.T) {
	h := start(t, 0)
	var health map[string]any
	h.do(t, "GET", "/health", "", "").json(t, &health)
	addr := h.cfg.Addr.(*net.TCPAddr)
	if fields(health) != "host ok port status" || health["ok"] != true || health["status"] != "running" ||
		health["port"] != float64(addr.Port) || health["host"] != "127.0.0.1" {
		t.Errorf("health is %v", health)
	}
}

func TestReadsWithoutTrackReturnEmptyState(t *testing.T) {
	h := start(t, 3)
	h.do(t, "GET", "/current-track", "read", "").want(t, 200, `{"track":null}`)
	h.do(t, "GET", "/playback-state", "read", "").want(t, 200, `{"is_playing":false,"shuffle":false,"repeat":"off"}`)
	h.do(t, "GET", "/playback-queue", "read", "").want(t, 200,
		`~{"queue":[],"current_index":-1,"current_track_id":null,"current_track_cover_url":null,"is_playing":false,"shuffle":false,"repeat":"off","updated_at":"`)
}

// TestRepliesHaveExactlyTheDocumentedFields spells the spec's tables out, apart from the document.
func TestRepliesHaveExactlyTheDocumentedFields(t *testing.T) {
	h := start(t, 3)
	h.do(t, "POST", "/play", "write", "").want(t, 200, `{"ok":true,"track_id":"t0"}`)

	var current struct{ Track map[string]any }
	h.do(t, "GET", "/current-track", "read", "").json(t, &current)
	if fields(current.Track) != "album artist cover_url duration id is_playing position thumbnail_url title" {
		t.Errorf("the track has %s", fields(current.Track))
	}
	if current.Track["duration"] != 61500.0 || current.Track["is_playing"] != true ||
		current.Track["title"] != "Title <0> & more" {
		t.Errorf("the track is %v", current.Track)
	}
	var state map[string]any
	h.do(t, "GET", "/playback-state", "read", "").json(t, &state)
	if fields(state) != "is_playing repeat shuffle" {
		t.Errorf("the state has %s", fields(state))
	}
	var queue map[string]any
	h.do(t, "GET", "/playback-queue", "read", "").json(t, &queue)
	if fields(
		queue,
	) != "current_index current_track_cover_url current_track_id is_playing queue repeat shuffle updated_at" {
		t.Errorf("the queue has %s", fields(queue))
	}
	items := queue["queue"].([]any)
	if len(items) != 3 || fields(items[0]) != "artist cover_url duration id thumbnail_url title" ||
		items[0].(map[string]any)["duration"] != 61.5 {
		t.Errorf("the items are %v", items)
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", queue["updated_at"].(string)); err != nil {
		t.Error(err)
	}
	var public map[string]any
	h.do(t, "GET", "/user/public", "read", "").json(t, &public)
	if fields(public) != "updated_at user" || fields(public["user"]) != "id name profile_image_url username" {
		t.Errorf("the profile is %v", public)
	}
	var volume map[string]any
	h.do(t, "GET", "/volume", "read", "").json(t, &volume)
	if fields(volume) != "muted volume" {
		t.Errorf("the volume has %s", fields(volume))
	}
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
		for range 2 { // from the memory of the items too
			h.do(t, "GET", "/playback-queue", "read", "").json(t, &queue)
			var ids []string
			for _, item := range queue.Queue {
				ids = append(ids, item.ID)
			}
			if got := strings.Join(ids, " "); got != step.want {
				t.Errorf("after %s %s the queue is %q; want %q", step.path, step.body, got, step.want)
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
			t.Errorf("HEAD %s: %d %q %v", path, got.status, got.body, got.header)
		}
	}
}

func TestProfileIsServedWhileCatalogIsUnavailable(t *testing.T) {
	h := start(t, 0)
	h.library.setUnavailable(true)
	got := h.do(t, "GET", "/user/public", "read", "")
	got.want(t, 503, `{"error":"the catalog cannot be reached"}`)
	if got.header.Get("Retry-After") == "" {
		t.Error("a 503 without Retry-After")
	}
	h.do(t, "GET", "/ready", "read", "").want(t, 503, `{"error":"the catalog cannot be reached"}`)
	h.library.setUnavailable(false)
	var first reply
	testenv.WaitFor(t, "the catalog is asked again", func() bool {
		first = h.do(t, "GET", "/user/public", "read", "")
		return first.status == 200
	})
	first.want(t, 200, `~"username":"ada"`)
	h.library.setUnavailable(true)
	h.do(t, "GET", "/user/public", "read", "").want(t, 200, first.body)
	h.library.setUnavailable(false)
	h.do(t, "GET", "/ready", "read", "").want(t, 200, `{"ready":true}`)
}
