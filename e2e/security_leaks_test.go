package e2e

import (
	"bytes"
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// TestSecretsDoNotLeak uses secrets of every kind in a run at debug level, then searches
// everything that the run wrote, logged or displayed.
func TestSecretsDoNotLeak(t *testing.T) {
	testenv.NeedsTool(t, "chromium-headless-shell", "node", "npm", "playerctl", "ffmpeg")
	installBrowserTools(t)
	t.Parallel()
	searched, found, canaries := 0, 0, 0
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			h := leakRun(t, engine)
			searched, found, canaries = searched+h.searched, found+h.found, canaries+len(h.secrets)
		})
	}
	testenv.Report(t, testenv.SecretLeaks, testenv.Tally{Inputs: searched, Violations: found,
		Note: fmt.Sprintf("%d canaries in 11 forms each", canaries)})
}

// leaky is a server whose replies and output are recorded and searched for secrets.
type leaky struct {
	desktop
	*leakSearch
	recorded bytes.Buffer // replies and the output of commands
}

func leakRun(t *testing.T, engine string) *leakSearch {
	bus := testenv.StartBus(t)
	env := append(bus.Env(), "PATH="+slowFFmpeg(t)+":"+os.Getenv("PATH"))
	h := &leakSearch{t: t, secrets: map[string]string{}}
	database := postgres.ForTest(t)
	if engine == "postgres" {
		u, err := url.Parse(database.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		const password = "canary-Db %/#?@:Passw0rd-7261" // encoded differently in a URL
		u.User = url.UserPassword("waxwing", password)
		h.secrets["password of the database"] = password
		h.secrets["password of the database in its URL"] = strings.TrimPrefix(u.User.String(), "waxwing:")
		env = append(env, "WAXWING_DB="+u.String())
	}
	music := t.TempDir()
	tone(t, filepath.Join(music, "Needs ffmpeg.wma"))
	tone(t, filepath.Join(music, "Plain.flac"))
	l := &leaky{desktop: desktop{launch(t, env, "--output", "null", "--log-level", "debug", "--music", music), bus},
		leakSearch: h}
	l.waitOnBus()
	l.eventually(20*time.Second, "the scan of both songs", func() bool { return l.get("/api/songs")["total"] == 2.0 })
	h.secrets["token of the owner"] = l.token
	key, err := os.ReadFile(filepath.Join(l.dir, "player.key"))
	if err != nil {
		t.Fatal(err)
	}
	h.secrets["key of the player"] = strings.TrimSpace(string(key))

	stop := l.watchProcesses()
	l.useCommands()
	l.usePairing()
	l.useEverything()
	l.useBrowser()
	l.play()
	stop()

	h.search("the log", []byte(l.log.String()))
	h.search("replies and output", l.recorded.Bytes())
	h.search("the metadata of the desktop", []byte(l.playerctl("metadata")))
	if engine == "sqlite" {
		backup := filepath.Join(t.TempDir(), "backup.tar")
		if _, errs, code := l.run("backup", "create", backup); code != 0 {
			t.Fatalf("backup create: got exit code %d, errors %q; want 0", code, errs)
		}
		text, err := os.ReadFile(backup)
		if err != nil {
			t.Fatal(err)
		}
		h.search("the backup", text)
	}
	h.searchFolder(l.dir, "owner.token", "player.key")
	l.stop()
	h.searchFolder(l.dir, "owner.token", "player.key")
	h.search("the log after the shutdown", []byte(l.log.String()))
	if engine == "postgres" {
		h.searchFolder(database.Dir())
	}
	if len(h.secrets) < 10 || len(l.recorded.Bytes()) < 10_000 || !strings.Contains(l.log.String(), "DBG") {
		t.Errorf("got %d secrets and %d recorded bytes; want at least 10 and 10000, and a debug log",
			len(h.secrets), l.recorded.Len())
	}
	return h
}

// slowFFmpeg returns a folder with an ffmpeg that takes long enough to be found in the process
// list.
func slowFFmpeg(t *testing.T) string {
	t.Helper()
	real, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n/bin/sleep 1\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tone writes a few seconds of audio.
func tone(t *testing.T, path string) {
	t.Helper()
	cmd := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=8",
		"-metadata", "title="+filepath.Base(path), path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}

// watchProcesses reads all command lines of the machine, and the environment of the server's
// children, until stop is called.
func (l *leaky) watchProcesses() (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	texts := map[string]bool{}
	go func() {
		defer close(done)
		for {
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range files {
				if text, err := os.ReadFile(file); err == nil { // the process may have ended
					texts[string(text)] = true
				}
				// Before exec, a child still has the environment of the server.
				exe, err := os.Readlink(filepath.Dir(file) + "/exe")
				if err != nil || exe == program {
					continue
				}
				if status, err := os.ReadFile(filepath.Dir(file) + "/status"); err == nil &&
					strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", l.cmd.Process.Pid)) {
					if text, err := os.ReadFile(filepath.Dir(file) + "/environ"); err == nil {
						texts["environ of a child: "+string(text)] = true
					}
				}
			}
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() {
		close(end)
		<-done
		children := 0
		for text := range texts {
			if strings.HasPrefix(text, "environ") {
				children++
			}
			l.search("the process list", []byte(text))
		}
		if children == 0 {
			l.t.Error("children of the server: got none, want at least ffmpeg")
		}
	}
}

// useCommands creates, rotates and revokes credentials with commands.
func (l *leaky) useCommands() {
	l.t.Helper()
	run := func(args ...string) string {
		l.t.Helper()
		out, errs, code := l.run(args...)
		if code != 0 {
			l.t.Fatalf("waxwing %v: got exit code %d, errors %q; want 0", args, code, errs)
		}
		l.recorded.WriteString(errs)
		return strings.TrimSpace(out)
	}
	l.secrets["token created by command"] = run("token", "create", "--name", "canary", "--permission", "read")
	l.secrets["revoked token"] = run("token", "create", "--name", "revoked", "--permission", "read")
	run("token", "revoke", "revoked")
	l.secrets["key created by command"] = run("key", "create", "--name", "canary",
		"--permission", "read", "--permission", "write")
	l.secrets["key before its rotation"] = run("key", "create", "--name", "rotated", "--permission", "read")
	l.secrets["key after its rotation"] = run("key", "rotate", "rotated")
	l.useApp(run("key", "create", "--app", "canary phone"))
	l.secrets["revoked key"] = run("key", "create", "--name", "revoked", "--permission", "read")
	run("key", "revoke", "revoked")
	for _, args := range [][]string{{"token", "list"}, {"token", "list", "--json"}, {"key", "list"},
		{"key", "list", "--json"}, {"config", "show"}, {"doctor", "--output", "null"}, {"audit", "-n", "0"},
		{"audit", "--json"}, {"status"}, {"queue"}} {
		l.recorded.WriteString(run(args...))
	}
}

// useApp logs in as an app that speaks the Subsonic API, in every way.
func (l *leaky) useApp(secret string) {
	l.t.Helper()
	const salt = "canary-salt-90210"
	sum := md5.Sum([]byte(secret + salt)) //nolint:gosec // the Subsonic API prescribes it
	token := hex.EncodeToString(sum[:])
	l.secrets["secret of an app"], l.secrets["token of an app"] = secret, token
	user, _ := l.get("/api/me")["user"].(map[string]any)
	for _, login := range []string{"&t=" + token + "&s=" + salt, "&p=" + secret, "&p=enc:" +
		hex.EncodeToString([]byte(secret))} {
		got := send(l.t, "GET", fmt.Sprintf("%s/rest/search3?f=json&u=%v%s", l.catalog, user["username"], login), "")
		if !strings.Contains(string(got.body), `"status":"ok"`) {
			l.t.Errorf("login of an app: got %d %s, want ok", got.status, got.body)
		}
		l.recorded.Write(got.body)
	}
}

// usePairing pairs an app, with the API and with commands.
func (l *leaky) usePairing() {
	l.t.Helper()
	pairing := send(l.t, "POST", l.base+"/pair", `{"name":"Canary","permissions":["read"]}`,
		"Content-Type", "application/json").json(l.t)
	id := pairing["id"].(string)
	l.secrets["id of a pairing"] = id
	if _, errs, code := l.run("pair", "approve", pairing["code"].(string)); code != 0 {
		l.t.Fatalf("pair approve: got exit code %d, errors %q; want 0", code, errs)
	}
	claimed := send(l.t, "POST", l.base+"/pair/claim", `{"id":"`+id+`"}`, "Content-Type", "application/json").json(l.t)
	l.secrets["token of a pairing"] = claimed["token"].(string)
	created := l.request("POST", "/tokens", `{"name":"by the API","permissions":["read"]}`).json(l.t)
	l.secrets["token created by the API"] = created["secret"].(string)
	l.record("POST", "/tokens/revoke", `{"id":"`+created["token"].(map[string]any)["id"].(string)+`"}`,
		"Authorization", "Bearer "+l.token)
}

// record sends a request and records the response.
func (l *leaky) record(method, path, body string, header ...string) reply {
	l.t.Helper()
	address := path
	if !strings.HasPrefix(path, "http") {
		address = l.base + path
	}
	r := send(l.t, method, address, body, header...)
	fmt.Fprintf(&l.recorded, "%s %d %v\n%s\n", method, r.status, r.header, r.body)
	return r
}

// useEverything sends every secret to both servers in every way, valid and invalid.
func (l *leaky) useEverything() {
	l.t.Helper()
	catalog := l.catalog
	songs := l.record("GET", "/api/songs", "", "Authorization", "Bearer "+l.token).json(l.t)["songs"].([]any)
	id := songs[0].(map[string]any)["id"].(string)
	for _, from := range []string{l.base + "/api/songs/" + id + "/link", catalog + "/api/songs/" + id + "/link"} {
		link := send(l.t, "GET", from, "", "Authorization", "Bearer "+l.token,
			"X-Api-Key", l.secrets["key created by command"]).json(l.t)
		u, err := url.Parse(link["url"].(string))
		if err != nil {
			l.t.Fatal(err)
		}
		l.secrets["signature of a link from "+from[:strings.Index(from, "/api")]] = u.Query().Get("signature")
		l.record("GET", u.String(), "")
		l.record("GET", u.String()+"x", "")
	}
	l.secrets["invalid token"] = "wxt_" + strings.Repeat("canaryCANARY", 3)
	for what, secret := range l.secrets {
		if strings.HasPrefix(what, "password") || strings.HasPrefix(what, "signature") {
			continue
		}
		for _, path := range []string{"/playback-state", "/api/songs", "/nope", "/metrics", "/api/nope?q=1"} {
			l.record("GET", path, "", "Authorization", "Bearer "+secret)
			l.record("GET", path+"?access_token="+secret, "")
		}
		for _, header := range [][]string{{"Authorization", "Basic " + secret}, {"Authorization", secret},
			{"X-Api-Key", secret}, {"Cookie", "token=" + secret}, {"Referer", "http://x/#token=" + secret},
			{"User-Agent", secret}, {"Last-Event-ID", secret}} {
			l.record("GET", "/current-track", "", header...)
			l.record("GET", catalog+"/api/songs", "", header...)
		}
		l.record("POST", "/play", "{}", "Authorization", "Bearer "+secret, "Origin", "http://"+secret+".example")
		for _, at := range []string{l.base, catalog} {
			l.record("BREW", at+"/play", "", "Authorization", "Bearer "+secret, "X-Api-Key", secret)
			if r := l.record("GET", at+"/"+secret, ""); r.status != http.StatusNotFound {
				l.t.Errorf("GET with a secret as the path: got %d, want 404", r.status)
			}
		}
		l.record("GET", catalog+"/api/search?q=x&x-api-key="+secret, "", "X-Api-Key", secret)
		l.record("POST", catalog+"/api/plays", "{", "X-Api-Key", secret, "Content-Type", "application/json")
	}
	for _, path := range []string{"/metrics", "/tokens", "/token", "/pair", "/docs", "/openapi.yaml", "/ready"} {
		l.record("GET", path, "", "Authorization", "Bearer "+l.token)
	}
	for _, path := range []string{"/metrics", "/ready", "/docs"} {
		l.record("GET", catalog+path, "")
	}
}

// useBrowser opens the web player and the overlay, and records their addresses.
func (l *leaky) useBrowser() {
	l.t.Helper()
	input, err := json.Marshal(map[string]string{"base": l.base, "owner": l.token,
		"overlay": l.secrets["token created by command"]})
	if err != nil {
		l.t.Fatal(err)
	}
	cmd := exec.CommandContext(l.t.Context(), "node", "leaks.mjs")
	cmd.Dir, cmd.Stdin, cmd.Env = browserDir, bytes.NewReader(input), append(os.Environ(), "WAXWING_PROGRAM="+program)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("leaks.mjs: got %v, want no error\n%s", err, errs.Bytes())
	}
	var observed map[string][]string
	if err := json.Unmarshal(out, &observed); err != nil {
		l.t.Fatal(err)
	}
	if len(observed["addresses"]) < 10 || len(observed["requests"]) < 20 {
		l.t.Errorf("browser: got %d addresses and %d requests, want at least 10 and 20",
			len(observed["addresses"]), len(observed["requests"]))
	}
	for what, lines := range observed {
		l.search("the "+what+" of the browser", []byte(strings.Join(lines, "\n")))
	}
}

// play plays both songs: the player opens streams of the catalog and starts ffmpeg.
func (l *leaky) play() {
	l.t.Helper()
	for _, song := range l.get("/api/songs")["songs"].([]any) {
		l.post("/play", `{"track_id":"`+song.(map[string]any)["id"].(string)+`"}`)
		l.eventually(10*time.Second, "playback of the song", func() bool {
			track, _ := l.get("/current-track")["track"].(map[string]any)
			position, _ := track["position"].(float64)
			return position > 300
		})
	}
	l.post("/pause", "")
}

// hiss writes an uncompressed file of noise with that many seconds.
func hiss(t *testing.T, path string, seconds int) {
	t.Helper()
	cmd := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
		fmt.Sprintf("anoisesrc=duration=%d:sample_rate=44100", seconds), "-ac", "2", path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
}
