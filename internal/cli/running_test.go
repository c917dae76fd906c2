package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// TestDoctorAndReadyFindTheRunningServer uses a server whose ports are not the configured ones.
func TestDoctorAndReadyFindTheRunningServer(t *testing.T) {
	dir, p := startWith(t, map[string][]byte{"a.wav": silence(1)})
	out, errs, _ := waxwing(t, "doctor", "--output", "null", "--data-dir", string(dir))
	player, catalog := strings.TrimPrefix(p.BaseURL, "http://"), dir.Serving().Catalog
	for _, want := range []string{"the player of this data folder is running at " + player,
		"the catalog of this data folder is running at " + catalog,
		"WARN audio output", "WARN sound         nobody can hear the music: the player has no sound output"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor printed %q %q, want %q", out, errs, want)
		}
	}
	_, errs, _ = waxwing(t, "play", "--data-dir", string(dir))
	_, warning, code := waxwing(t, "status", "--data-dir", string(dir))
	if want := "warning: nobody can hear the music: the player has no sound output"; !strings.Contains(warning, want) {
		t.Errorf("status after play (%q): got %d %q, want %q", errs, code, warning, want)
	}
	if out, errs, code := waxwing(t, "ready", "--data-dir", string(dir)); code != 0 || out != "ready\n" {
		t.Errorf("ready: got %d %q %q, want 0", code, out, errs)
	}
	if _, errs, code := waxwing(t, "ready", "--data-dir", string(dir), "--catalog-addr", "127.0.0.1:1"); code !=
		exitNotRunning {
		t.Errorf("ready at a closed port: got %d %q, want %d", code, errs, exitNotRunning)
	}
}

// TestStatusWatchPrintsOneLinePerChange changes volume, queue and position while commands watch.
func TestStatusWatchPrintsOneLinePerChange(t *testing.T) {
	dir, p := startScanned(t, "Paper Boats")
	ctx, cancel := context.WithCancel(t.Context())
	watch := func(args ...string) (*testenv.Buffer, <-chan int) {
		out, done := &testenv.Buffer{}, make(chan int, 1)
		go func() {
			std := IO{In: strings.NewReader(""), Out: out, Err: out}
			done <- Run(ctx, std, "test", append(args, "--data-dir", string(dir)))
		}()
		return out, done
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	setVolume := func(v int) { t.Helper(); _, err := p.SetVolume(t.Context(), &v, nil); must(err) }
	_, err := p.Play(t.Context())
	must(err)
	must(p.Pause(t.Context()))
	setVolume(40)
	text, textDone := watch("status", "--watch")
	asJSON, jsonDone := watch("status", "--watch", "--json")
	testenv.WaitFor(t, "both print the state", func() bool {
		return strings.Contains(text.String(), "volume 40") && strings.Contains(asJSON.String(), `"volume":40`)
	})
	before := strings.Count(text.String(), "\n")
	out, errs, code := waxwing(t, "queue", "add", "boats", "--data-dir", string(dir))
	if code != 0 {
		t.Fatal(out, errs)
	}
	setVolume(41)
	testenv.WaitFor(t, "both print the new volume", func() bool {
		return strings.Contains(text.String(), "volume 41") && strings.Contains(asJSON.String(), `"volume":41`)
	})
	if got := strings.Count(text.String(), "\n") - before; got != 1 {
		t.Errorf("a change of the queue and one of the volume printed %d lines, want 1: %q", got, text.String())
	}
	_, err = p.Seek(t.Context(), 5000)
	must(err)
	testenv.WaitFor(t, "the new position", func() bool { return strings.Contains(text.String(), "(0:05 / ") })
	cancel()
	if a, b := <-textDone, <-jsonDone; a != 0 || b != 0 {
		t.Errorf("exit codes: got %d and %d, want 0", a, b)
	}
	for line := range strings.Lines(asJSON.String()) {
		var view map[string]any
		if err := json.Unmarshal([]byte(line), &view); err != nil || view["volume"] == nil {
			t.Errorf("line %q: got %v %v, want an object with volume", line, view, err)
		}
		if _, has := view["output"]; !has {
			t.Errorf("line %q has no output", line)
		}
	}
	if out, errs, code := waxwing(t, "status", "--json", "--data-dir", string(dir)); code != 0 ||
		!strings.Contains(out, `"volume": 41`) {
		t.Errorf("status --json: got %d %q %q, want the volume", code, out, errs)
	}
}

// TestRevokedOwnerTokenIsReplaced revokes the owner's token and runs commands of the owner.
func TestRevokedOwnerTokenIsReplaced(t *testing.T) {
	dir, p := startWith(t, map[string][]byte{"a.wav": silence(1)})
	own, err := p.OwnToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, errs, code := waxwing(t, "token", "revoke", own.ID, "--data-dir", string(dir)); code != 0 {
		t.Fatal(errs)
	}
	testenv.WaitFor(t, "the player refuses the token", func() bool {
		_, err := p.OwnToken(t.Context())
		return client.StatusOf(err) == http.StatusUnauthorized
	})
	if out, errs, code := waxwing(t, "status", "--data-dir", string(dir)); code != 0 {
		t.Errorf("status: got %d %q %q, want 0", code, out, errs)
	}
	secret, err := os.ReadFile(dir.File(app.OwnerTokenFile))
	if err != nil {
		t.Fatal(err)
	}
	renewed := *p
	renewed.Token = strings.TrimSpace(string(secret))
	got, err := renewed.OwnToken(t.Context())
	if err != nil || got.ID == own.ID || len(got.Permissions) != len(own.Permissions) {
		t.Errorf("the token of the file: got %+v %v, want another with all permissions", got, err)
	}
	if _, err := p.OwnToken(t.Context()); client.StatusOf(err) != http.StatusUnauthorized {
		t.Errorf("the revoked token: got %v, want 401", err)
	}
}
