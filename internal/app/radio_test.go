package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/demo"
)

// radio is a server that sends an MP3 and a title.
func radio(t *testing.T) *httptest.Server {
	t.Helper()
	content, err := fs.ReadFile(demo.FS(), "Trio Halvmåne/Lamplight/02 Blå time.mp3")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("icy-name", "Test Radio")
		w.Header().Set("icy-metaint", "16000")
		_, _ = w.Write(content[:16000])
		fmt.Fprint(w, "\x02StreamTitle='Ada - Dawn';\x00\x00\x00\x00\x00\x00")
		_, _ = w.Write(content[16000:32000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s
}

// A radio plays, reports its titles, is recorded by the output, and is in the queue after a
// restart.
func TestRadioPlaysThroughTheAPI(t *testing.T) {
	server := radio(t)
	cfg := config(t)
	recording := filepath.Join(t.TempDir(), "out.wav")
	cfg.Player.Output = "file:" + recording
	cfg.Player.StreamAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	a := up(t, cfg)
	p := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
	items, err := p.AddURL(t.Context(), playerapi.AddURLRequest{URL: server.URL + "/live?token=secret", Play: new(true)})
	if err != nil || len(items) != 1 {
		t.Fatalf("add a URL: got %v, %v; want one item", items, err)
	}
	var last playerapi.State
	for state, err := range p.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		last = state
		if state.Stream != nil && state.Stream.Title != nil && state.Rate == 1 {
			break
		}
		if state.Error != nil {
			t.Fatalf("playing a radio: got error %s", *state.Error)
		}
	}
	if last.Track.Title != "Ada - Dawn" || last.Track.Artist != "Test Radio" || last.Track.Duration != 0 ||
		!last.Stream.Live || *last.Stream.Station != "Test Radio" || *last.CurrentItemID != items[0] ||
		!strings.HasPrefix(last.Track.ID, "st_") || strings.Contains(last.Track.ID, "secret") {
		t.Errorf("state of a radio: got %+v, track %+v, stream %+v", last, last.Track, last.Stream)
	}
	if cover, err := http.Get(last.Track.CoverURL); err != nil || cover.StatusCode != 200 {
		t.Errorf("cover of a radio: got %v, %v; want a picture", cover, err)
	} else {
		_ = cover.Body.Close()
	}
	var refused *client.Error
	if _, err := p.Seek(t.Context(), 5000); !errors.As(err, &refused) || refused.Status != 409 {
		t.Errorf("seek in a radio: got %v, want 409", err)
	}
	if _, err := p.Like(t.Context()); !errors.As(err, &refused) || refused.Status != 409 {
		t.Errorf("like of a radio: got %v, want 409", err)
	}
	for deadline := time.Now().Add(10 * time.Second); loudest(t, recording) < 0.01; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("recording of a radio: got a loudest sample of %v, want sound", loudest(t, recording))
		}
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}

	again := cfg
	again.Player.Output = "null"
	again.DataDir = copied(t, cfg.DataDir)
	b := up(t, again)
	q, err := (&client.Player{BaseURL: b.PlayerURL, Token: ownerToken(t, again.DataDir)}).Items(t.Context(), 0)
	if err != nil || len(q.Items) != 1 || q.Items[0].ItemID != items[0] ||
		*q.Items[0].URL != server.URL+"/live?token=secret" || !strings.HasPrefix(q.Items[0].CoverURL, b.PlayerURL) {
		t.Errorf("queue after a restart: got %+v, %v; want the radio with a cover of the new address", q, err)
	}
}

// copied is a copy of the files that a killed player leaves.
func copied(t *testing.T, dir app.DataDir) (to app.DataDir) {
	t.Helper()
	to = app.DataDir(t.TempDir())
	for _, name := range []string{app.JournalFile} {
		content, err := os.ReadFile(dir.File(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to.File(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// loudest is the greatest sample of a WAV file of 32-bit floats.
func loudest(t *testing.T, file string) float64 {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for i := 128; i+4 <= len(content); i += 4 {
		bits := uint32(content[i]) | uint32(content[i+1])<<8 | uint32(content[i+2])<<16 | uint32(content[i+3])<<24
		if v := math.Abs(float64(math.Float32frombits(bits))); v <= 1 {
			most = max(most, v)
		}
	}
	return most
}

// The web player restores a cleared queue by the ids of its tracks.
func TestClearedQueueWithARadioIsRestored(t *testing.T) {
	cfg := config(t)
	a := up(t, cfg)
	owner := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
	const url = "https://radio.example/live"
	if _, err := owner.AddURL(t.Context(), playerapi.AddURLRequest{URL: url, Name: new("Example")}); err != nil {
		t.Fatal(err)
	}
	before, err := owner.Items(t.Context(), 0)
	if err != nil || len(before.Items) != 1 {
		t.Fatalf("queue: got %+v, %v; want the radio", before, err)
	}
	ids := []string{before.Items[0].ID}
	if err := owner.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	made, err := owner.CreateToken(t.Context(), playerapi.TokenRequest{Name: "app", Permissions: []string{"write"}})
	if err != nil {
		t.Fatal(err)
	}
	app := &client.Player{BaseURL: a.PlayerURL, Token: made.Secret}
	var refused *client.Error
	for _, id := range []string{ids[0], url} {
		err := app.Replace(t.Context(), playerapi.ReplaceRequest{TrackIDs: []string{id}})
		if !errors.As(err, &refused) || refused.Status != 403 || refused.Code != "missing_permission" {
			t.Errorf("replace by a token without streams: got %v, want 403", err)
		}
	}
	for id, status := range map[string]int{"st_0000000000000000000000": 404, "http://127.0.0.1/x": 403} {
		err := owner.Replace(t.Context(), playerapi.ReplaceRequest{TrackIDs: []string{id}})
		if !errors.As(err, &refused) || refused.Status != status {
			t.Errorf("%s: got %v, want %d", id, err, status)
		}
	}
	for _, id := range []string{ids[0], url} {
		err := owner.Replace(t.Context(), playerapi.ReplaceRequest{TrackIDs: []string{id, id}, Index: new(1)})
		if err != nil {
			t.Fatal(err)
		}
		after, err := owner.Items(t.Context(), 0)
		if err != nil || len(after.Items) != 2 || *after.Items[1].URL != url || after.Items[1].ID != ids[0] {
			t.Errorf("restored by %s: got %+v, %v; want the radio twice", id, after, err)
		}
		if id == ids[0] && after.Items[0].Title != "Example" {
			t.Errorf("restored: got the name %q, want Example", after.Items[0].Title)
		}
	}
}

func TestURLsNeedTheirPermissionAndAPublicAddress(t *testing.T) {
	server := radio(t)
	cfg := config(t)
	a := up(t, cfg)
	owner := &client.Player{BaseURL: a.PlayerURL, Token: ownerToken(t, cfg.DataDir)}
	token := func(permissions ...string) *client.Player {
		t.Helper()
		made, err := owner.CreateToken(t.Context(), playerapi.TokenRequest{Name: "app", Permissions: permissions})
		if err != nil {
			t.Fatal(err)
		}
		return &client.Player{BaseURL: a.PlayerURL, Token: made.Secret}
	}
	for _, c := range []struct {
		name, url string
		player    *client.Player
		status    int
		code      string
	}{
		{"without streams", "https://radio.example/", token("read", "write", "keys"), 403, "missing_permission"},
		{"loopback", server.URL, token("streams"), 403, "not_allowed"},
		{"metadata of a cloud", "http://169.254.169.254/", owner, 403, "not_allowed"},
		{"a file", "file:///etc/passwd", owner, 400, "invalid_parameter"},
		{"a password", "http://a:secret@radio.example/", owner, 400, "invalid_parameter"},
	} {
		_, err := c.player.AddURL(t.Context(), playerapi.AddURLRequest{URL: c.url})
		var got *client.Error
		if !errors.As(err, &got) || got.Status != c.status || got.Code != c.code || strings.Contains(got.Message, "secret") {
			t.Errorf("%s: got %v, want %d %s", c.name, err, c.status, c.code)
		}
	}
	if _, err := token("streams").AddURL(t.Context(), playerapi.AddURLRequest{URL: "https://radio.example/"}); err != nil {
		t.Errorf("a public address with streams: got %v, want no error", err)
	}
	var got *client.Error
	anonymous := &client.Player{BaseURL: a.PlayerURL}
	if _, err := anonymous.Pair(t.Context(), "app", "streams"); !errors.As(err, &got) || got.Status != 400 {
		t.Errorf("pairing that requests streams: got %v, want 400", err)
	}
	if err := owner.Clear(t.Context()); err != nil {
		t.Error(err)
	}
}
