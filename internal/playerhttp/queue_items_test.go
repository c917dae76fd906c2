package playerhttp_test

import (
	"fmt"
	"strings"
	"testing"

	"waxwing/api/playerapi"
)

// items describes the queue by the ids of its items and tracks, as "1:t0 2:t1*"; the star marks the
// current item.
func (h *fixture) items(t *testing.T) string {
	t.Helper()
	var q playerapi.QueueItems
	h.do(t, "GET", "/queue/items", "read", "").json(t, &q)
	var all []string
	for i, item := range q.Items {
		mark := ""
		if item.ItemID == *q.CurrentItemID {
			mark = "*"
		}
		if item.Index != i || q.Length != len(q.Items) || item.Version > q.Version {
			t.Errorf("item %d of %d: got %+v in version %d", i, q.Length, item, q.Version)
		}
		all = append(all, fmt.Sprintf("%d:%s%s", item.ItemID, item.ID, mark))
	}
	return strings.Join(all, " ")
}

func TestQueueCommandsTakeItemIDs(t *testing.T) {
	h := start(t, 5)
	if got := h.items(t); got != "" {
		t.Errorf("items of an empty queue: got %q, want none", got)
	}
	for _, c := range []struct {
		path, body string
		status     int
		reply      string
		items      string
	}{
		{"/queue/add", `{"track_ids":["t0","t1","t0"]}`, 200, `{"ok":true,"added":3,"item_ids":[1,2,3]}`, "1:t0* 2:t1 3:t0"},
		{"/queue/add", `{"track_ids":["t2"],"after_item_id":2}`, 200, `~"item_ids":[4]`, "1:t0* 2:t1 4:t2 3:t0"},
		{"/queue/add", `{"track_ids":["t3"],"index":0}`, 200, `~"item_ids":[5]`, "5:t3 1:t0* 2:t1 4:t2 3:t0"},
		{"/queue/add", `{"track_ids":["t3"],"after_item_id":9}`, 404, `~no item 9`, "5:t3 1:t0* 2:t1 4:t2 3:t0"},
		{"/queue/add", `{"track_ids":["t3"],"index":6}`, 400, `~has 5`, "5:t3 1:t0* 2:t1 4:t2 3:t0"},
		{"/queue/add", `{"track_ids":["t3"],"index":0,"at":"end"}`, 400, `~at most one`, "5:t3 1:t0* 2:t1 4:t2 3:t0"},
		{"/queue/move", `{"item_id":3,"to":0}`, 200, `{"ok":true}`, "3:t0 5:t3 1:t0* 2:t1 4:t2"},
		{"/queue/move", `{"item_id":3,"after_item_id":2}`, 200, `{"ok":true}`, "5:t3 1:t0* 2:t1 3:t0 4:t2"},
		{"/queue/move", `{"item_id":4,"after_item_id":5}`, 200, `{"ok":true}`, "5:t3 4:t2 1:t0* 2:t1 3:t0"},
		{"/queue/move", `{"item_id":4,"after_item_id":4}`, 200, `{"ok":true}`, "5:t3 4:t2 1:t0* 2:t1 3:t0"},
		{"/queue/move", `{"item_id":4}`, 400, `~to or after_item_id`, "5:t3 4:t2 1:t0* 2:t1 3:t0"},
		{"/queue/move", `{"item_id":4,"from":1,"id":"t2","to":0}`, 400, `~either item_id`, "5:t3 4:t2 1:t0* 2:t1 3:t0"},
		{"/queue/remove", `{"item_id":4}`, 200, `{"ok":true}`, "5:t3 1:t0* 2:t1 3:t0"},
		{"/queue/remove", `{"item_id":4}`, 404, `~no item 4`, "5:t3 1:t0* 2:t1 3:t0"},
		{"/queue/remove", `{"item_ids":[5,4]}`, 404, `~no item 4`, "5:t3 1:t0* 2:t1 3:t0"},
		{"/queue/remove", `{"item_ids":[5,3]}`, 200, `{"ok":true}`, "1:t0* 2:t1"},
		{"/queue/remove", `{"item_ids":[1],"item_id":1}`, 400, `~alone`, "1:t0* 2:t1"},
		{"/queue/jump", `{"item_id":2}`, 200, `{"ok":true}`, "1:t0 2:t1*"},
		{"/queue/jump", `{}`, 400, `~either item_id`, "1:t0 2:t1*"},
		{"/queue/priority", `{"item_ids":[1],"priority":256}`, 400, `~0 to 255`, "1:t0 2:t1*"},
		{"/queue/priority", `{"item_ids":[],"priority":1}`, 400, `~at least one`, "1:t0 2:t1*"},
		{"/queue/priority", `{"item_ids":[7],"priority":1}`, 404, `~no item 7`, "1:t0 2:t1*"},
		{"/queue/priority", `{"item_ids":[1],"priority":7}`, 200, `{"ok":true}`, "1:t0 2:t1*"},
		{"/queue/shuffle", `{"from":1}`, 200, `{"ok":true}`, "1:t0 2:t1*"},
		{"/queue/shuffle", `{"to":3}`, 400, `~has 2`, "1:t0 2:t1*"},
		{"/queue/shuffle", ``, 200, `{"ok":true}`, "2:t1* 1:t0"}, // the current one comes first
		{"/queue/clear", ``, 200, `{"ok":true}`, ""},
		{"/queue/add", `{"track_ids":["t0"]}`, 200, `~"item_ids":[6]`, "6:t0*"}, // ids are not used again
	} {
		h.do(t, "POST", c.path, "write", c.body).want(t, c.status, c.reply)
		if got := h.items(t); got != c.items {
			t.Errorf("items after %s %s: got %q, want %q", c.path, c.body, got, c.items)
		}
	}
}

func TestQueueUndoRestoresWhatWasRemoved(t *testing.T) {
	h := start(t, 5)
	for _, c := range []struct {
		path, body string
		status     int
		items      string
	}{
		{"/queue/undo", ``, 409, ""},
		{"/queue/replace", `{"track_ids":["t0","t1","t2"],"index":1}`, 200, "1:t0 2:t1* 3:t2"},
		{"/queue/undo", ``, 409, "1:t0 2:t1* 3:t2"}, // nothing was removed
		{"/queue/remove", `{"item_id":2}`, 200, "1:t0 3:t2*"},
		{"/queue/replace", `{"track_ids":["t3"]}`, 200, "4:t3*"},
		{"/queue/clear", ``, 200, ""},
		{"/queue/undo", ``, 200, "4:t3*"},
		{"/queue/undo", ``, 200, "1:t0 3:t2*"},
		{"/queue/undo", ``, 200, "1:t0 2:t1* 3:t2"},
		{"/queue/undo", ``, 409, "1:t0 2:t1* 3:t2"},
		{"/queue/remove", `{"item_id":1}`, 200, "2:t1* 3:t2"},
		{"/queue/add", `{"track_ids":["t4"]}`, 200, "2:t1* 3:t2 5:t4"},
		{"/queue/undo", ``, 409, "2:t1* 3:t2 5:t4"}, // it would remove what was added
	} {
		if got := h.do(t, "POST", c.path, "write", c.body); got.status != c.status {
			t.Errorf("%s %s: got status %d %s, want %d", c.path, c.body, got.status, got.body, c.status)
		}
		if got := h.items(t); got != c.items {
			t.Errorf("%s %s: got the queue %q, want %q", c.path, c.body, got, c.items)
		}
	}
}

func TestQueueItemsSinceAVersion(t *testing.T) {
	h := start(t, 5)
	h.do(t, "POST", "/queue/add", "write", `{"track_ids":["t0","t1","t2","t3"]}`)
	var all, changed playerapi.QueueItems
	h.do(t, "GET", "/queue/items", "read", "").json(t, &all)
	h.do(t, "POST", "/queue/remove", "write", `{"item_id":3}`)
	h.do(t, "GET", fmt.Sprintf("/queue/items?since=%d", all.Version), "read", "").json(t, &changed)
	if changed.Length != 3 || len(changed.Items) != 1 || changed.Items[0].ItemID != 4 || changed.Items[0].Index != 2 {
		t.Errorf("changes after a removal: got %+v, want length 3 and item 4 at index 2", changed)
	}
	h.do(t, "GET", fmt.Sprintf("/queue/items?since=%d", changed.Version), "read", "").json(t, &changed)
	if changed.Length != 3 || len(changed.Items) != 0 {
		t.Errorf("changes since the newest version: got %+v, want none", changed)
	}
	for _, since := range []string{"", "-1", "x", "99999999999999999999"} {
		h.do(t, "GET", "/queue/items?since="+since, "read", "").want(t, 400, `~since must be`)
	}
}

func TestStopAndModes(t *testing.T) {
	h := start(t, 5)
	state := func() (out playerapi.Modes) {
		t.Helper()
		h.do(t, "GET", "/modes", "read", "").json(t, &out)
		return out
	}
	want := func(when, stopAfter, consume, now string) {
		t.Helper()
		if got := state(); string(got.StopAfter) != stopAfter || string(got.Consume) != consume || string(got.State) != now {
			t.Errorf("modes %s: got %+v, want stop after %s, consume %s, %s", when, got, stopAfter, consume, now)
		}
	}
	want("at first", "off", "off", "stopped")
	h.do(t, "POST", "/stop", "write", "").want(t, 200, `{"ok":true}`) // an empty queue is no error
	h.do(t, "POST", "/queue/add", "write", `{"track_ids":["t0","t1","t2"]}`)
	want("of a new queue", "off", "off", "stopped")
	h.do(t, "POST", "/play", "write", "")
	want("while playing", "off", "off", "playing")
	h.do(t, "POST", "/pause", "write", "")
	want("after a pause", "off", "off", "paused")
	h.do(t, "POST", "/seek", "write", `{"position":2000}`)
	h.do(t, "POST", "/stop", "write", "").want(t, 200, `{"ok":true}`)
	want("after a stop", "off", "off", "stopped")
	h.do(t, "GET", "/current-track", "read", "").want(t, 200, `~"position":0,"is_playing":false`)
	h.do(t, "POST", "/modes", "write", `{"stop_after":"once"}`).
		want(t, 200, `{"ok":true,"state":"stopped","stop_after":"once","consume":"off"}`)
	h.do(t, "POST", "/modes", "write", `{"consume":"on"}`).
		want(t, 200, `{"ok":true,"state":"stopped","stop_after":"once","consume":"on"}`)
	for _, body := range []string{`{}`, `{"consume":null}`, `{"consume":"never"}`, `{"stop_after":true}`} {
		h.do(t, "POST", "/modes", "write", body).want(t, 400, `~must be`)
	}
	h.do(t, "POST", "/play", "write", "")
	h.do(t, "POST", "/next", "write", "")
	if got := h.items(t); got != "2:t1* 3:t2" {
		t.Errorf("items after next with consume: got %q, want 2:t1* 3:t2", got)
	}
}
