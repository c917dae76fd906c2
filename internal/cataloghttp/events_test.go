package cataloghttp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"waxwing/client"
)

// TestEventsReportEachRevision also covers a server that learns of changes from another one.
func TestEventsReportEachRevision(t *testing.T) {
	onBoth(t, 1, func(t *testing.T, h *fixture) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		catalog := client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}
		var revisions []string
		for revision, err := range catalog.Revisions(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			tag := h.get(t, "/api/songs?limit=1").header.Get("ETag")
			if !strings.HasPrefix(tag, `W/"`+revision.Revision+`.`) {
				t.Errorf("got revision %q, want that of the ETag %s", revision.Revision, tag)
			}
			revisions = append(revisions, revision.Revision)
			if len(revisions) == 3 {
				break
			}
			h.do(t, "write", "POST", "/api/playlists", fmt.Sprintf(`{"name":"List %d"}`, len(revisions))).is(t, 200, nil)
		}
		if len(revisions) != 3 || revisions[0] == revisions[1] || revisions[1] == revisions[2] {
			t.Errorf("got revisions %q, want 3 different ones", revisions)
		}
	})
}

func TestEventsEndWithTheKey(t *testing.T) {
	h := start(t, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	keys, err := (&client.Catalog{BaseURL: h.url, Key: h.keys["all"], HTTP: h.http}).Keys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range (&client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}).Revisions(ctx) {
		last = err
		for i, key := range keys {
			if key.Name == "read" {
				h.do(t, "all", "DELETE", "/api/keys/"+key.ID, "").is(t, 200, nil)
				keys[i].Name = "revoked"
			}
		}
	}
	if ctx.Err() != nil || client.StatusOf(last) != 401 {
		t.Errorf("got %v, %v; want the stream to end and a 401 on reconnect", last, ctx.Err())
	}
}
