package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/app"
)

// jukeboxReply is a reply to jukeboxControl.
type jukeboxReply struct {
	Status   string             `json:"status"`
	Error    struct{ Code int } `json:"error"`
	State    *jukeboxState      `json:"jukeboxStatus"`
	Playlist *struct {
		jukeboxState
		Entry []struct{ ID, Title string } `json:"entry"`
	} `json:"jukeboxPlaylist"`
}

type jukeboxState struct {
	CurrentIndex int     `json:"currentIndex"`
	Playing      bool    `json:"playing"`
	Gain         float64 `json:"gain"`
	Position     int     `json:"position"`
}

// jukebox sends jukeboxControl to a catalog with an API key.
func jukebox(t *testing.T, a *app.App, key string, values ...string) (reply jukeboxReply) {
	t.Helper()
	q := url.Values{"apiKey": {key}, "f": {"json"}, "c": {"test"}, "v": {"1.16.1"}}
	for i := 0; i+1 < len(values); i += 2 {
		q.Add(values[i], values[i+1])
	}
	resp, err := http.Get(a.CatalogURL + "/rest/jukeboxControl?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &struct {
		Reply *jukeboxReply `json:"subsonic-response"`
	}{&reply}); err != nil {
		t.Fatalf("%v: got %s: %v", values, body, err)
	}
	return reply
}

// keys creates keys with write and without.
func keys(t *testing.T, a *app.App, dir app.DataDir) (writer, reader string, c *client.Catalog) {
	t.Helper()
	owner := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, dir)}
	var secrets []string
	for _, permissions := range [][]string{{"read", "write"}, {"read"}} {
		key, err := owner.Catalog().CreateKey(t.Context(), catalogapi.KeyRequest{Name: "app", Permissions: permissions})
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, key.Secret)
	}
	return secrets[0], secrets[1], owner.Catalog()
}

// songs returns ids of the demo library, once it is scanned.
func songs(t *testing.T, c *client.Catalog, n int) (ids []string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		page, err := c.Songs(t.Context(), 1, n)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Songs) == n {
			for _, s := range page.Songs {
				ids = append(ids, s.ID)
			}
			return ids
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d songs, want %d", len(page.Songs), n)
		}
	}
}

func TestAppsControlThePlayerOfTheSameProcess(t *testing.T) {
	cfg := config(t)
	a := up(t, cfg)
	writer, reader, c := keys(t, a, cfg.DataDir)
	ids := songs(t, c, 4)
	do := func(values ...string) jukeboxReply {
		t.Helper()
		reply := jukebox(t, a, writer, values...)
		if reply.Status != "ok" {
			t.Fatalf("%v: got %+v, want ok", values, reply)
		}
		return reply
	}
	want := func(when string, current int, playing bool, order ...string) {
		t.Helper()
		got := do("action", "get").Playlist
		var listed []string
		for _, e := range got.Entry {
			listed = append(listed, e.ID)
		}
		if got.CurrentIndex != current || got.Playing != playing || !slices.Equal(listed, order) {
			t.Errorf("%s: got %+v, want index %d of %v, playing %v", when, got, current, order, playing)
		}
	}
	do("action", "start") // an empty queue stays empty
	want("empty", -1, false)
	do("action", "set", "id", ids[0], "id", ids[1])
	want("set", 0, false, ids[0], ids[1])
	do("action", "add", "id", ids[2])
	do("action", "skip", "index", "1", "offset", "2")
	want("skip", 1, true, ids[0], ids[1], ids[2])
	if got := do("action", "status").State; got.Position < 2 || !got.Playing {
		t.Errorf("after a skip to 2 s: got %+v", got)
	}
	// The current song continues in the new queue.
	do("action", "set", "id", ids[3], "id", ids[2], "id", ids[1], "id", ids[0])
	want("set around the current song", 2, true, ids[3], ids[2], ids[1], ids[0])
	if got := do("action", "status").State; got.Position < 2 {
		t.Errorf("the current song began again: got %+v, want 2 s or more", got)
	}
	do("action", "remove", "index", "0")
	want("remove", 1, true, ids[2], ids[1], ids[0])
	if got := do("action", "setGain", "gain", "0.35").State; got.Gain != 0.35 {
		t.Errorf("gain: got %v, want 0.35", got.Gain)
	}
	do("action", "shuffle")
	if got := do("action", "stop").State; got.Playing {
		t.Error("after stop: it plays, want it paused")
	}
	do("action", "clear")
	want("clear", -1, false)
	for _, c := range []struct {
		key    string
		code   int
		values []string
	}{
		{reader, 50, []string{"action", "start"}},
		{writer, 10, nil},
		{writer, 0, []string{"action", "explode"}},
		{writer, 10, []string{"action", "skip", "index", "5"}},
		{writer, 10, []string{"action", "setGain", "gain", "NaN"}},
		{writer, 70, []string{"action", "add", "id", "so_0000000000000000000000"}},
	} {
		if got := jukebox(t, a, c.key, c.values...); got.Status != "failed" || got.Error.Code != c.code {
			t.Errorf("%v: got %+v, want code %d", c.values, got, c.code)
		}
	}
}

func TestJukeboxOfAnotherProcess(t *testing.T) {
	cfg := config(t)
	cfg.Catalog.Jukebox = app.Jukebox{Off: true}
	a := up(t, cfg)
	writer, _, _ := keys(t, a, cfg.DataDir)
	if got := jukebox(t, a, writer, "action", "status"); got.Error.Code != 50 {
		t.Errorf("jukebox off: got %+v, want code 50", got)
	}
	other := config(t)
	other.Catalog.Jukebox = app.Jukebox{URL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
	b := up(t, other)
	writer, _, _ = keys(t, b, other.DataDir)
	if got := jukebox(t, b, writer, "action", "setGain", "gain", "0.5"); got.Status != "ok" || got.State.Gain != 0.5 {
		t.Errorf("another player: got %+v, want ok", got)
	}
	volume, err := (&client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}).Volume(t.Context())
	if err != nil || volume.Volume != 50 {
		t.Errorf("volume of the other player: got %+v, %v; want 50", volume, err)
	}
	third := config(t)
	third.Catalog.Jukebox = app.Jukebox{URL: "http://127.0.0.1:1", Token: "x"}
	c := up(t, third)
	writer, _, _ = keys(t, c, third.DataDir)
	if got := jukebox(t, c, writer, "action", "status"); got.Status != "failed" || got.Error.Code != 0 {
		t.Errorf("player that does not run: got %+v, want code 0", got)
	}
}
