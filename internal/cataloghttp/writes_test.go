package cataloghttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
)

// The test creates, changes and deletes a playlist with the public client.
func TestPlaylistsThroughTheClient(t *testing.T) {
	onBoth(t, 5, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ann := &client.Catalog{BaseURL: h.url, Key: h.keys["both"], HTTP: h.http}
		bob := &client.Catalog{BaseURL: h.url, Key: h.keys["bob"], HTTP: h.http}
		p, err := ann.CreatePlaylist(ctx, catalogapi.NewPlaylist{Name: "  Evening  ", SongIDs: h.ids[:2]})
		if err != nil || p.Name != "Evening" || p.SongCount != 2 || p.Public || p.Owner.Username != "ann" {
			t.Fatalf("got %+v, %v; want a private playlist Evening with 2 songs", p, err)
		}
		if _, err := bob.Playlist(ctx, p.ID); client.StatusOf(err) != 404 {
			t.Errorf("another user reads a private playlist: got %v, want 404", err)
		}
		if _, err := bob.AddSongs(ctx, p.ID, h.ids, nil); client.StatusOf(err) != 404 {
			t.Errorf("another user adds songs: got %v, want 404", err)
		}
		first := 0
		if p, err = ann.AddSongs(ctx, p.ID, h.ids[4:], &first); err != nil || p.SongCount != 3 {
			t.Errorf("got %+v, %v; want 3 songs", p, err)
		}
		if _, err = ann.MoveSong(ctx, p.ID, 0, 2, h.ids[4]); err != nil {
			t.Error(err)
		}
		if _, err = ann.MoveSong(ctx, p.ID, 0, 2, h.ids[4]); client.StatusOf(err) != 409 {
			t.Errorf("move of a changed entry: got %v, want 409", err)
		}
		if _, err = ann.MoveSong(ctx, p.ID, 0, 3, h.ids[0]); client.StatusOf(err) != 400 {
			t.Errorf("move past the end: got %v, want 400", err)
		}
		if _, err = ann.RemoveSong(ctx, p.ID, 1, h.ids[1]); err != nil {
			t.Error(err)
		}
		if _, err = ann.RemoveSong(ctx, p.ID, 7, h.ids[1]); client.StatusOf(err) != 409 {
			t.Errorf("removal of a changed entry: got %v, want 409", err)
		}
		list, err := ann.PlaylistSongs(ctx, p.ID, 1, 10)
		if err != nil || list.Total != 2 || list.Songs[0].ID != h.ids[0] || list.Songs[1].ID != h.ids[4] ||
			list.Songs[1].Position != 1 {
			t.Errorf("got %+v, %v; want songs 0 and 4", list, err)
		}
		public, name, text := true, "Night", "for later"
		p, err = ann.ChangePlaylist(ctx, p.ID, catalogapi.PlaylistChange{Public: &public, Name: &name, Description: &text})
		if err != nil || p.Name != "Night" || !p.Public || *p.Description != text {
			t.Errorf("got %+v, %v; want a public playlist Night", p, err)
		}
		if _, err := bob.Playlist(ctx, p.ID); err != nil {
			t.Errorf("another user reads a public playlist: got %v, want no error", err)
		}
		if err := bob.DeletePlaylist(ctx, p.ID); client.StatusOf(err) != 403 {
			t.Errorf("another user deletes: got %v, want 403", err)
		}
		if found, err := bob.Search(ctx, "nigt", 5); err != nil || len(found.Playlists) != 1 {
			t.Errorf("another user searches: got %+v, %v; want 1 playlist", found.Playlists, err)
		}
		if err := ann.DeletePlaylist(ctx, p.ID); err != nil {
			t.Error(err)
		}
		if _, err := ann.Playlist(ctx, p.ID); client.StatusOf(err) != 404 {
			t.Errorf("deleted playlist: got %v, want 404", err)
		}
		n := 0
		for song, err := range client.AllSongs(ctx, ann.Songs) {
			if err != nil || song.ID != "" && !strings.HasPrefix(song.ID, "so_") {
				t.Fatalf("AllSongs: got id %q, error %v; want an id of a song", song.ID, err)
			}
			n++
		}
		if n != 5 {
			t.Errorf("AllSongs: got %d songs, want 5", n)
		}
		audio, err := ann.Stream(ctx, h.ids[0], 1000)
		if err != nil {
			t.Fatal(err)
		}
		if audio.Offset != 1000 || audio.Size != 1001 || audio.ContentType != "audio/flac" || audio.ETag == "" {
			t.Errorf("got %+v, want audio/flac from 1000 of 1001", audio)
		}
		if err := audio.Body.Close(); err != nil {
			t.Error(err)
		}
		at := time.Now()
		if counted, err := ann.ReportPlay(ctx, h.ids[0], at, "once"); err != nil || !counted {
			t.Errorf("first play: got counted %v, %v; want true", counted, err)
		}
		if counted, err := ann.ReportPlay(ctx, h.ids[0], at, "once"); err != nil || !counted {
			t.Errorf("repeated report: got counted %v, %v; want true", counted, err)
		}
		if counted, err := ann.ReportPlay(ctx, h.ids[0], at.Add(time.Minute), "twice"); err != nil || counted {
			t.Errorf("play within 30 minutes: got counted %v, %v; want false", counted, err)
		}
		if me, err := bob.Me(ctx); err != nil || me.Username != "bob" {
			t.Errorf("Me: got %+v, %v; want bob", me, err)
		}
	})
}

func TestInvalidWritesChangeNothing(t *testing.T) {
	h := start(t, 2)
	var created catalogapi.PlaylistReply
	mine := fmt.Sprintf(`{"name":"Mine","song_ids":[%q,%q]}`, h.ids[0], h.ids[1])
	h.do(t, "write", "POST", "/api/playlists", mine).is(t, 200, &created)
	path := "/api/playlists/" + created.Playlist.ID
	before := h.get(t, path)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/api/playlists", `{}`, 400},
		{"POST", "/api/playlists", `{"name":""}`, 400},
		{"POST", "/api/playlists", `{"name":"  \u0000 "}`, 400},
		{"POST", "/api/playlists", `{"name":7}`, 400},
		{"POST", "/api/playlists", `{"name":"` + strings.Repeat("x", 201) + `"}`, 400},
		{"POST", "/api/playlists", `{"name":"x","song_ids":["so_0000000000000000000000"]}`, 400},
		{"POST", "/api/playlists", `{"name":"x","song_ids":["'; DROP TABLE songs; --"]}`, 400},
		{"POST", "/api/playlists", `{"name":"x","name":"y"}`, 400},
		{"POST", "/api/playlists", `{"name":"x"} more`, 400},
		{"POST", "/api/playlists", `{"name":"` + strings.Repeat("x", 70000) + `"}`, 413},
		{"PATCH", path, `{"public":"yes"}`, 400},
		{"PATCH", path, `{"name":null,"description":"` + strings.Repeat("x", 2001) + `"}`, 400},
		{"PATCH", "/api/playlists/pl_0000000000000000000000", `{"name":"x"}`, 404},
		{"POST", path + "/songs", `{"song_ids":[]}`, 400},
		{"POST", path + "/songs", `{"song_ids":"x"}`, 400},
		{"POST", path + "/songs", fmt.Sprintf(`{"song_ids":[%q],"position":3}`, h.ids[0]), 400},
		{"POST", path + "/songs", fmt.Sprintf(`{"song_ids":[%q],"position":-1}`, h.ids[0]), 400},
		{"PATCH", path + "/songs/x", fmt.Sprintf(`{"song_id":%q,"to":0}`, h.ids[0]), 400},
		{"PATCH", path + "/songs/0", `{"to":0}`, 400},
		{"PATCH", path + "/songs/99999999999999999999", fmt.Sprintf(`{"song_id":%q,"to":0}`, h.ids[0]), 400},
		{"DELETE", path + "/songs/0", ``, 400},
		{"DELETE", path + "/songs/0?song_id=" + h.ids[1], ``, 409},
		{"POST", "/api/plays", `{"song_id":"so_0000000000000000000000"}`, 404},
		{"POST", "/api/plays", `{"played_at":"2026-01-01T00:00:00Z"}`, 400},
		{"POST", "/api/plays", fmt.Sprintf(`{"song_id":%q,"played_at":"yesterday"}`, h.ids[0]), 400},
		{"POST", "/api/plays", fmt.Sprintf(`{"song_id":%q,"played_at":17}`, h.ids[0]), 400},
	} {
		got := h.do(t, "write", c.method, c.path, c.body)
		if got.status != c.status || !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%s %s %.80s: got %d %s, want %d", c.method, c.path, c.body, got.status, got.body, c.status)
		}
	}
	play := fmt.Sprintf(`{"song_id":%q}`, h.ids[0])
	got := h.do(t, "write", "POST", "/api/plays", play, "Idempotency-Key", strings.Repeat("k", 129))
	if got.status != 400 {
		t.Errorf("long Idempotency-Key: got %d, want 400", got.status)
	}
	got = h.do(t, "write", "POST", "/api/playlists", `name=x`, "Content-Type", "application/x-www-form-urlencoded")
	if got.status != 415 {
		t.Errorf("form body: got %d, want 415", got.status)
	}
	if after := h.get(t, path); after.body != before.body {
		t.Errorf("playlist after invalid writes: got %s, want %s", after.body, before.body)
	}
	var list catalogapi.PlaylistList
	h.get(t, "/api/playlists").is(t, http.StatusOK, &list)
	if list.Total != 1 {
		t.Errorf("got %d playlists, want 1", list.Total)
	}
}
