package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// TestCommandsControlARunningServer runs the commands against a running server.
func TestCommandsControlARunningServer(t *testing.T) {
	s := start(t)
	ok := func(args ...string) string {
		t.Helper()
		out, errs, code := s.run(args...)
		if code != 0 {
			t.Fatalf("waxwing %v: got exit code %d, errors %q; want 0", args, code, errs)
		}
		return out
	}
	status := func() (v struct {
		Track *struct {
			ID       string
			Position float64
		}
		IsPlaying bool `json:"is_playing"`
		Shuffle   bool
		Repeat    string
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(ok("status", "--json")), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if out := ok("status"); !strings.Contains(out, "waxwing play") {
		t.Errorf("status of an idle player: got %q, want it to mention \"waxwing play\"", out)
	}
	if out := ok("play"); !strings.Contains(out, "▶") {
		t.Errorf("play: got %q, want it to contain ▶", out)
	}
	ok("pause")
	ok("seek", "0:12")
	if st := status(); st.IsPlaying || st.Track.Position != 12_000 {
		t.Errorf("status after seek 0:12: got %+v, want paused at 12000", st)
	}
	ok("seek", "+3s")
	ok("seek", "-1s")
	if st := status(); st.Track.Position != 14_000 {
		t.Errorf("status after relative seeks: got %+v, want position 14000", st)
	}
	first := status().Track.ID
	ok("next")
	if status().Track.ID == first {
		t.Errorf("track after next: got %s, want another", first)
	}
	ok("previous")
	if got := status().Track.ID; got != first {
		t.Errorf("track after previous: got %s, want %s", got, first)
	}
	ok("toggle")
	ok("shuffle", "on")
	ok("repeat", "playlist")
	if st := status(); !st.IsPlaying || !st.Shuffle || st.Repeat != "all" {
		t.Errorf("status: got %+v, want playing, shuffled, repeat all", st)
	}
	if out := ok("volume", "42"); out != "42\n" {
		t.Errorf("volume 42: got %q, want 42", out)
	}
	if a, b, c := ok("volume", "+5"), ok("volume", "-7"), ok("volume", "+100"); a+b+c != "47\n40\n100\n" {
		t.Errorf("volume steps: got %q, %q, %q; want 47, 40, 100", a, b, c)
	}
	ok("volume", "42")
	if out := ok("volume", "--mute"); out != "42 (muted)\n" {
		t.Errorf("volume --mute: got %q, want \"42 (muted)\"", out)
	}
	ok("play", first)
	if _, errs, code := s.run("play", "so_unknown"); code != 1 || !strings.Contains(errs, "so_unknown") {
		t.Errorf("play of an unknown track: got exit code %d, errors %q; want 1 and the id", code, errs)
	}
	if _, errs, code := s.run("volume", "200"); code == 0 || !strings.Contains(errs, "0 to 100") {
		t.Errorf("volume 200: got exit code %d, errors %q; want a failure that names 0 to 100", code, errs)
	}
	if out := ok("queue"); strings.Count(out, "\n") < 13 {
		t.Errorf("queue: got %q, want at least 13 lines", out)
	}
	if out := ok("doctor", "--output", "null"); !strings.Contains(out, "database") {
		t.Errorf("doctor: got %q, want a line about the database", out)
	}
	if out := ok("search", "frost"); !strings.Contains(out, "First Frost") {
		t.Errorf("search frost: got %q, want First Frost", out)
	}

	// The queue.
	ok("queue", "replace", "--artist", "trio-halvmane")
	if out := ok("queue"); strings.Count(out, "Trio Halvmåne") != 3 {
		t.Errorf("queue of one artist: got %q, want 3 tracks of Trio Halvmåne", out)
	}
	ok("queue", "jump", "3")
	ok("queue", "move", "3", "1")
	ok("queue", "remove", "2")
	if out := ok("queue"); strings.Count(out, "Trio Halvmåne") != 2 || !strings.Contains(out, "▶  1") {
		t.Errorf("queue after edits: got %q, want 2 tracks of Trio Halvmåne, the first playing", out)
	}
	for _, args := range [][]string{{"jump", "9"}, {"jump", "-1"}, {"move", "1", "9"}, {"move", "1", "0"},
		{"move", "9", "1"}, {"remove", "0"}} {
		if _, errs, code := s.run(append([]string{"queue"}, args...)...); code != 2 || !strings.Contains(errs, "1 to 2") {
			t.Errorf("queue %v: got exit code %d, errors %q; want 2 and the range 1 to 2", args, code, errs)
		}
	}
	if out := ok("output"); !strings.Contains(out, "▶") {
		t.Errorf("output: got %q, want it to contain ▶", out)
	}
	if _, errs, code := s.run("output", "nope"); code != 2 || !strings.Contains(errs, "“waxwing output” lists them") {
		t.Errorf("unknown output: got exit code %d, errors %q; want 2 and a hint", code, errs)
	}
	ok("queue", "clear")
	if _, errs, code := s.run("queue", "remove", "1"); code != 2 || !strings.Contains(errs, "the queue is empty") {
		t.Errorf("queue remove on an empty queue: got exit code %d, errors %q; want 2", code, errs)
	}
	if out := ok("queue"); !strings.Contains(out, "empty") {
		t.Errorf("queue after clear: got %q, want it to say that it is empty", out)
	}

	// Deny an app.
	pairing := send(t, "POST", s.base+"/pair", `{"name":"Stranger","permissions":["read"]}`,
		"Content-Type", "application/json").json(t)
	if out := ok("pair", "list"); !strings.Contains(out, "Stranger") {
		t.Errorf("pair list: got %q, want Stranger", out)
	}
	ok("pair", "deny", pairing["code"].(string))
	if out := ok("pair", "list"); strings.Contains(out, "Stranger") {
		t.Errorf("pair list after the denial: got %q, want no Stranger", out)
	}
	if _, errs, code := s.run("pair", "deny", pairing["code"].(string)); code != 1 ||
		!strings.Contains(errs, "no app is waiting") {
		t.Errorf("second pair deny: got exit code %d, errors %q; want 1", code, errs)
	}
	s.eventually(5*time.Second, "the denial in the audit log",
		func() bool { return strings.Contains(ok("audit"), "pairing denied “Stranger”") })

	// A read-only token gets a clear error.
	secret := ok("token", "create", "--name", "reader", "--permission", "read")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := s.run("pause", "--token-file", file); code != 4 || errs == "" {
		t.Errorf("pause with a read token: got exit code %d, errors %q; want 4 and an error", code, errs)
	}
	addr := strings.TrimPrefix(s.base, "http://")
	if _, errs, code := command(t, s.env, "pause", "--data-dir", t.TempDir(), "--player-addr", addr); code != 4 ||
		!strings.Contains(errs, "--token-file") {
		t.Errorf("pause without a token: got exit code %d, errors %q; want 4 and --token-file", code, errs)
	}
}

// TestFirstStartIsAudited: the audit log lists the credentials that the first start creates.
func TestFirstStartIsAudited(t *testing.T) {
	s := start(t)
	s.eventually(5*time.Second, "the audit records", func() bool {
		out, _, _ := s.run("audit")
		return strings.Contains(out, "token created") && strings.Contains(out, "key created")
	})
	for range 2 {
		out, errs, code := s.run("audit")
		if code != 0 || strings.Count(out, "token created") != 1 || strings.Count(out, "key created") != 1 ||
			!strings.Contains(out, "owner") {
			t.Fatalf("audit: got exit code %d, output %q, errors %q; want one token and one key created by the owner",
				code, out, errs)
		}
		s.stop()
		s.start()
	}
}

// TestStatusWatch checks that `status --watch` prints changes.
func TestStatusWatch(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "status", "--watch", "--data-dir", s.dir)
	cmd.Env = s.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	waitForLine := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return
			}
		}
		t.Fatalf("status --watch ended before it printed %q", want)
	}
	waitForLine("Nothing is loaded")
	s.post("/play", "")
	waitForLine("▶")
	s.post("/pause", "")
	waitForLine("⏸")
	cancel()
	_ = cmd.Wait() // killed by cancel
}

// TestSecondStartFails: two servers cannot share a port or a data folder.
func TestSecondStartFails(t *testing.T) {
	s := start(t)
	addr := strings.TrimPrefix(s.base, "http://")
	_, errs, code := command(t, s.env, "up", "--data-dir", t.TempDir(), "--player-addr", addr,
		"--catalog-addr", "127.0.0.1:0", "--output", "null")
	if code != 1 || !strings.Contains(errs, "--player-addr") {
		t.Errorf("port in use: got exit code %d, errors %q; want 1 and --player-addr", code, errs)
	}
	_, errs, code = command(t, s.env, "up", "--data-dir", s.dir, "--player-addr", "127.0.0.1:0",
		"--catalog-addr", "127.0.0.1:0", "--output", "null")
	if code != 1 || !strings.Contains(errs, "data folder") {
		t.Errorf("data folder in use: got exit code %d, errors %q; want 1 and the data folder", code, errs)
	}
}

// TestFileOutputRecordsPlayback records playback to a file.
func TestFileOutputRecordsPlayback(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "recording.wav")
	s := start(t, withOutput("file:"+path))
	s.post("/play", "")
	s.eventually(20*time.Second, "a second of playback", func() bool {
		return s.get("/current-track")["track"].(map[string]any)["position"].(float64) > 1000
	})
	s.stop()
	pcm := testenv.Float32s(ffmpeg(t, "-i", path, "-f", "f32le", "-"))
	loud := 0
	for _, v := range pcm {
		if abs(v) > 0.01 {
			loud++
		}
	}
	if len(pcm) < 2*44100 || loud < len(pcm)/10 {
		t.Errorf("recording: got %d samples, %d of them loud; want at least a second, a tenth of it loud", len(pcm), loud)
	}
}

// TestPlaybackStartsWhenSoundServerAppears starts without a sound server.
func TestPlaybackStartsWhenSoundServerAppears(t *testing.T) {
	pulse := testenv.StartPulse(t)
	pulse.Kill()
	setenv(t, pulse.Env())
	s := start(t, withOutput("auto"))
	s.post("/play", "")
	s.eventually(10*time.Second, "playback without sound", func() bool {
		return s.get("/current-track")["track"].(map[string]any)["position"].(float64) > 300
	})
	if !strings.Contains(s.log.String(), "playing without sound") {
		t.Errorf("log: got %s, want it to contain \"playing without sound\"", s.log)
	}
	pulse.Restart()
	rec := pulse.Record()
	s.eventually(20*time.Second, "recorded sound", func() bool {
		for _, v := range rec.Samples() {
			if v != 0 {
				return true
			}
		}
		return false
	})
}
