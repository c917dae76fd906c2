package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"waxwing/internal/testenv"
)

// reader executes a page of the documentation with a running server.
type reader struct {
	*server
	page    string // text of the page, with this server's addresses
	home    string // working folder; its bin folder is first on the PATH
	curlLog string // file with the requests of curl
}

// readPage starts a server and reads docs/NAME.
func readPage(t *testing.T, name string, programs ...string) *reader {
	t.Helper()
	testenv.NeedsTool(t, programs...)
	text, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{server: start(t), home: t.TempDir()}
	r.curlLog = filepath.Join(r.home, "curl.log")
	r.page = strings.NewReplacer("http://127.0.0.1:7833", r.base, "http://127.0.0.1:7845", r.catalog).
		Replace(string(text))
	r.install()
	return r
}

// install puts the program and a curl that logs its requests on the reader's PATH.
func (r *reader) install() {
	r.t.Helper()
	bin := filepath.Join(r.home, "bin")
	wrapper := ""
	if curl, err := exec.LookPath("curl"); err == nil {
		wrapper = fmt.Sprintf("#!/bin/sh\nexec %s \"$@\" -w '%%{stderr}curl: %%{method} %%{http_code} %%{url}\\n' 2>>%s\n",
			curl, r.curlLog)
	}
	err := os.Mkdir(bin, 0o700)
	if err == nil {
		err = os.Symlink(program, filepath.Join(bin, "waxwing"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(bin, "curl"), []byte(wrapper), 0o700)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// blocks returns the fenced code blocks of the page in one language.
func (r *reader) blocks(language string) []string {
	r.t.Helper()
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(r.page, -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		r.t.Fatalf("the page has no code block in %s, want at least one", language)
	}
	return all
}

// command prepares a program in the reader's environment. Its process group ends with ctx.
func (r *reader) command(ctx context.Context, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = r.home
	cmd.Env = append(slices.Clone(r.env), "PATH="+filepath.Join(r.home, "bin")+":"+os.Getenv("PATH"),
		"WAXWING_DATA_DIR="+r.dir)
	cmd.Env = append(cmd.Env, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// shell runs a script and returns its output.
func (r *reader) shell(script string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	cmd := r.command(ctx, nil, "bash", "-uc", script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Errorf("script: got %v, errors %q; want success\n%s", err, stderr.String(), script)
	}
	return string(out)
}

// createToken creates the token that a page tells its reader to create.
func (r *reader) createToken() string {
	r.t.Helper()
	return strings.TrimSpace(r.shell(r.blocks("sh")[0] + "\necho $TOKEN"))
}

// curlRequest is a request that curl sent.
type curlRequest struct{ method, status, url string }

// curlRequests reads the requests that curl has sent.
func (r *reader) curlRequests() []curlRequest {
	r.t.Helper()
	text, err := os.ReadFile(r.curlLog)
	if err != nil {
		r.t.Fatal(err)
	}
	var all []curlRequest
	for line := range strings.Lines(string(text)) {
		var one curlRequest
		if n, _ := fmt.Sscanf(line, "curl: %s %s %s", &one.method, &one.status, &one.url); n == 3 {
			all = append(all, one)
		}
	}
	return all
}

// operations lists METHOD /path of an OpenAPI document.
func operations(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "api", file))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var all []string
	for path, methods := range doc.Paths {
		for method := range methods {
			if method != "parameters" {
				all = append(all, strings.ToUpper(method)+" "+path)
			}
		}
	}
	return all
}

// operationOf finds the most specific operation that matches a request.
func operationOf(all []string, method, path string) string {
	best := ""
	for _, op := range all {
		pattern := regexp.MustCompile(`\\\{[a-z_]+\\\}`).ReplaceAllString(regexp.QuoteMeta(op), "[^/]+")
		if strings.HasSuffix(op, "/{path}") { // matches any depth
			pattern = strings.TrimSuffix(pattern, "[^/]+") + ".+"
		}
		literal := func(op string) int { return len(regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(op, "")) }
		if regexp.MustCompile("^"+pattern+"$").MatchString(method+" "+path) && literal(op) >= literal(best) {
			best = op
		}
	}
	return best
}

// TestEveryCurlLineOfTheAPIGuideWorks runs docs/api.md as one session. Each request must succeed,
// or return the status that its line shows, and every operation of both API documents must have a
// line.
func TestEveryCurlLineOfTheAPIGuideWorks(t *testing.T) {
	r := readPage(t, "api.md", "bash", "curl", "jq")
	script := strings.Join(r.blocks("sh"), "\n")
	r.shell(script)

	var want []string // the expected status of each curl of the page, in order
	for line := range strings.Lines(script) {
		documented := regexp.MustCompile(`# → (\d{3})`).FindStringSubmatch(line)
		for range strings.Count(line, "curl -") {
			if documented != nil {
				want = append(want, documented[1])
			} else {
				want = append(want, "200")
			}
		}
	}
	done := r.curlRequests()
	if len(done) != len(want) {
		t.Fatalf("requests: got %d, want %d, one for each curl of the page", len(done), len(want))
	}
	documents := map[string][]string{r.base: operations(t, "player.yaml"), r.catalog: operations(t, "catalog.yaml")}
	documented := map[string]bool{}
	for i, one := range done {
		if one.status != want[i] {
			t.Errorf("%s %s: got %s, want %s", one.method, one.url, one.status, want[i])
		}
		base := r.base
		if strings.HasPrefix(one.url, r.catalog) {
			base = r.catalog
		}
		path, _, _ := strings.Cut(strings.TrimPrefix(one.url, base), "?")
		op := operationOf(documents[base], one.method, path)
		if op == "" {
			t.Errorf("%s %s is not an operation of the API document", one.method, path)
		}
		documented[base+" "+op] = true
	}
	total := 0
	for base, all := range documents {
		for _, op := range all {
			total++
			if !documented[base+" "+op] {
				t.Errorf("docs/api.md has no line for %s of %s", op, base)
			}
		}
	}
	t.Logf("%d requests for %d operations", len(done), total)
}

func TestOverlayPageOfTheDocs(t *testing.T) {
	r := readPage(t, "obs.md", "bash", "curl", "jq")
	r.post("/play", "")
	r.shell(strings.Join(r.blocks("sh"), "\n"))
	for _, one := range r.curlRequests() {
		if one.status != "200" {
			t.Errorf("%s %s: got %s, want 200", one.method, one.url, one.status)
		}
	}
	now, err := os.ReadFile(filepath.Join(r.home, "now-playing.txt"))
	if title := r.get("/current-track")["track"].(map[string]any)["title"].(string); err != nil ||
		!strings.HasSuffix(strings.TrimSpace(string(now)), " – "+title) {
		t.Errorf("now-playing.txt: got %q, error %v; want the title %q", now, err, title)
	}
	options := string(send(t, "GET", r.base+"/web/overlay/options.js", "").body)
	parameters := regexp.MustCompile("`([a-z]+)=([a-z0-9-]+)`").FindAllStringSubmatch(r.page, -1)
	for _, p := range parameters {
		if !strings.Contains(options, `"`+p[1]+`"`) || !regexp.MustCompile(`["\s]`+p[2]+`["\s,]`).MatchString(options) {
			t.Errorf("the page documents %s, which the overlay does not implement", p[0])
		}
	}
	if len(parameters) < 15 {
		t.Errorf("documented options: got %d, want at least 15", len(parameters))
	}
}

func TestStreamDeckKeysWork(t *testing.T) {
	r := readPage(t, "stream-deck.md", "bash")
	r.token = r.createToken()
	row := regexp.MustCompile("(?m)^\\| ([^|]+) \\| (GET|POST) \\| `([^`]+)` \\| (?:`([^`]+)`)? *\\|$")
	keys := row.FindAllStringSubmatch(r.page, -1)
	if len(keys) < 10 {
		t.Fatalf("keys of the page: got %d, want at least 10", len(keys))
	}
	for _, k := range keys {
		if got := r.request(k[2], strings.TrimPrefix(k[3], r.base), k[4]); got.status != 200 {
			t.Errorf("key %s: got %d %s, want 200", k[1], got.status, got.body)
		}
	}
	for _, match := range regexp.MustCompile("`waxwing ([^`]+)`").FindAllStringSubmatch(r.page, -1) {
		r.shell("waxwing " + match[1])
	}
	inURL := regexp.MustCompile("`(http://[^`]+access_token=)<the token>`").FindStringSubmatch(r.page)
	if got := send(t, "POST", inURL[1]+r.token, ""); got.status != 200 {
		t.Errorf("token in the URL: got %d %s, want 200", got.status, got.body)
	}
}

// checkFollows runs a program that must print each change of the track. It calls disturb before
// the last change.
func (r *reader) checkFollows(env []string, disturb func(), name string, args ...string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	cmd := r.command(ctx, env, name, args...)
	var stderr testenv.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	lines := bufio.NewScanner(out)
	title := func() string { return r.get("/current-track")["track"].(map[string]any)["title"].(string) }
	for round := range 3 {
		want, printed := title(), []string{}
		for lines.Scan() {
			if printed = append(printed, lines.Text()); strings.Contains(lines.Text(), want) {
				break
			}
		}
		if len(printed) == 0 || !strings.Contains(printed[len(printed)-1], want) {
			r.t.Fatalf("round %d of %s: got %q, want the title %q\n%s", round, name, printed, want, stderr.String())
		}
		if round == 1 {
			disturb()
		}
		r.post("/next", "")
	}
}

func TestBarScriptsFollowThePlayer(t *testing.T) {
	r := readPage(t, "bars.md", "bash", "curl", "jq")
	r.post("/play", "")
	token, _, _ := r.run("token", "create", "--name", "bar", "--permission", "read")
	for i, script := range r.blocks("sh") {
		file := filepath.Join(r.home, fmt.Sprintf("bar%d.sh", i))
		if err := os.WriteFile(file, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		r.checkFollows([]string{"TOKEN=" + strings.TrimSpace(token)}, func() {}, file)
	}
	var waybar map[string]map[string]any
	if err := json.Unmarshal([]byte(r.blocks("json")[0]), &waybar); err != nil {
		t.Fatal(err)
	}
	clicks := 0
	for key, value := range waybar["custom/waxwing"] {
		if strings.HasPrefix(key, "on-") {
			clicks++
			r.shell(value.(string))
		}
	}
	action := regexp.MustCompile(`(?m)^(?:click|scroll)-\w+ = (.+)$`)
	for _, m := range action.FindAllStringSubmatch(r.blocks("ini")[0], -1) {
		clicks++
		r.shell(m[1])
	}
	if clicks != 10 {
		t.Errorf("actions of the pages: got %d, want 10", clicks)
	}
}

// TestBarScriptsOmitMissingArtist runs the filters of the pages on a song that has only a title.
func TestBarScriptsOmitMissingArtist(t *testing.T) {
	testenv.NeedsTool(t, "jq")
	tried := 0
	for _, name := range []string{"obs.md", "bars.md"} {
		page, err := os.ReadFile(filepath.Join("..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, filter := range regexp.MustCompile(`jq [-a-z ]+'([^']+)'`).FindAllSubmatch(page, -1) {
			tried++
			for artist, want := range map[string]string{"": "09", "Ada": "Ada – 09"} {
				cmd := exec.CommandContext(t.Context(), "jq", "-rc",
					string(filter[1])+` | if type == "object" then .text else . end`)
				cmd.Stdin = strings.NewReader(`{"track": {"title": "09", "artist": "` + artist +
					`", "album": ""}, "is_playing": true}`)
				out, err := cmd.Output()
				if got := strings.TrimPrefix(strings.TrimSpace(string(out)), "▶ "); err != nil || got != want {
					t.Errorf("%s: filter %s with artist %q: got %q, error %v; want %q",
						name, filter[1], artist, got, err, want)
				}
			}
		}
	}
	if tried != 4 {
		t.Errorf("filters of the pages: got %d, want 4", tried)
	}
}

func TestJavaScriptClientFollowsThePlayer(t *testing.T) {
	r := readPage(t, "javascript.md", "node")
	script := r.blocks("js")[0]
	if n := strings.Count(script, "\n"); n > 36 {
		t.Errorf("lines of the example: got %d, want at most 36", n)
	}
	file := filepath.Join(r.home, "follow.mjs")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	r.post("/play", "")
	r.config.Player.Addr = strings.TrimPrefix(r.base, "http://")
	restart := func() { r.stop(); r.start() }
	r.checkFollows([]string{"TOKEN=" + r.token, "WAXWING_URL=" + r.base}, restart, "node", file)
}
