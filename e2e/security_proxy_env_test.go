package e2e

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProxiesOfTheEnvironmentGetNoCredential: the player and the commands connect directly.
func TestProxiesOfTheEnvironmentGetNoCredential(t *testing.T) {
	t.Parallel()
	var thief impostor
	proxy := httptest.NewServer(&thief)
	t.Cleanup(proxy.Close)
	variables := []string{"HTTP_PROXY=" + proxy.URL, "http_proxy=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL}
	home := t.TempDir()
	key := filepath.Join(home, "key")
	if err := os.WriteFile(key, []byte("wxk_secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home, variables...), process: process{
		alone: true, args: []string{"--output", "null", "--no-mpris", "--catalog", "http://catalog.invalid:7845",
			"--api-key-file", key}}}
	s.start()
	s.stopWithTest()
	for _, path := range []string{"/api/songs", "/user/public", "/ready"} {
		if r := s.request("GET", path, ""); r.status != 503 {
			t.Errorf("GET %s without a catalog: got %d %s, want 503", path, r.status, r.body)
		}
	}
	env := append([]string{"WAXWING_TOKEN=" + s.token}, s.env...)
	if _, errs, code := command(t, env, "pause", "--player-addr", "player.invalid:7833"); code != 3 {
		t.Errorf("a command for an unknown player: got %d %s, want 3", code, errs)
	}
	if text, n := thief.all(); n != 0 {
		t.Errorf("the proxy received %d requests, want 0:\n%s", n, strings.ReplaceAll(text, "\r", ""))
	}
}
