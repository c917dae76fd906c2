package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// TestOpenShowsNoSecretToOtherAccounts polls the process list, as another account could, while
// waxwing open starts a browser. The page that the browser loads has a claim that works once.
func TestOpenShowsNoSecretToOtherAccounts(t *testing.T) {
	s := start(t)
	if out, _, code := s.run("open", "--print"); code != 0 || out != s.base+"/#token="+s.token+"\n" {
		t.Fatalf("open --print: %d %q", code, out)
	}
	stranger := send(t, "POST", s.base+"/pair", `{"name":"Stranger","permissions":["read","write"]}`)
	if stranger.status != 200 {
		t.Fatalf("a stranger's request: %d %s", stranger.status, stranger.body)
	}
	fake := newFakeBrowser(t, "sleep 2")
	processes := watchProcesses()
	opened := fake.open(s)
	path := fake.waitForFile(s)

	for _, at := range []struct {
		path string
		want os.FileMode
	}{{path, 0o600}, {filepath.Dir(path), os.ModeDir | 0o700}} {
		if info, err := os.Stat(at.path); err != nil || info.Mode() != at.want {
			t.Errorf("%s: got mode %v, %v, want %v", at.path, info.Mode(), err, at.want)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(regexp.QuoteMeta(s.base) + `/#claim=(\w+)"`).FindSubmatch(page)
	if link == nil {
		t.Fatalf("the page of the browser has no link with a claim: %s", page)
	}
	id := string(link[1])
	claim := func() reply { return send(t, "POST", s.base+"/pair/claim", `{"id":"`+id+`"}`) }
	claimed := claim()
	if claimed.status != 200 {
		t.Fatalf("claim: %d %s", claimed.status, claimed.body)
	}
	secret, _ := claimed.json(t)["token"].(string)
	if r := send(t, "GET", s.base+"/token", "", "Authorization", "Bearer "+secret); r.status != 200 ||
		!strings.Contains(string(r.body), `"idle_expires_in":2592000`) {
		t.Errorf("the token of the browser: got %d %s, want one that expires when it is not used", r.status, r.body)
	}
	if got := <-opened; got.code != 0 || strings.Contains(got.out+got.errs, "wxt_") {
		t.Errorf("open: got %d %q %q, want 0 and no token", got.code, got.out, got.errs)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the page of the browser after its use: got %v, want it removed", err)
	}
	if again := claim(); again.status != 404 {
		t.Errorf("a second claim: got %d, want 404", again.status)
	}

	seen := processes.stop()
	violations := 0
	for what, secret := range map[string]string{"claim": id, "owner's token": s.token, "browser's token": secret} {
		for line := range seen {
			if strings.Contains(line, secret) {
				violations++
				t.Errorf("the process list showed the %s: %q", what, line)
			}
		}
		if strings.Contains(s.log.String(), secret) || strings.Contains(fake.environment(), secret) {
			t.Errorf("the log or the environment of the browser contains the %s", what)
		}
	}
	if !processes.saw(path) {
		t.Error("the process list never showed the browser; nothing was tested")
	}
	testenv.Report(t, testenv.LocalAccounts, testenv.Tally{Inputs: len(seen), Violations: violations, Note: fmt.Sprintf(
		"waxwing open: the process list read %d times, %d command lines", processes.rounds, len(seen))})
}

// TestOpenReportsABrowserThatCannotStart: the command fails at once, says what to do and removes
// the page.
func TestOpenReportsABrowserThatCannotStart(t *testing.T) {
	s := start(t)
	fake := newFakeBrowser(t, "exit 3")
	opened := fake.open(s)
	path := fake.waitForFile(s)
	if got := <-opened; got.code != 1 || !strings.Contains(got.errs, "waxwing open --print") {
		t.Errorf("got %d %q, want 1 and what to do", got.code, got.errs)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the page of the browser: got %v, want it removed", err)
	}
}

// fakeBrowser replaces xdg-open by a script that records its argument and environment.
type fakeBrowser struct {
	t   *testing.T
	bin string
}

// newFakeBrowser returns one that runs a shell command after it has recorded its start.
func newFakeBrowser(t *testing.T, then string) fakeBrowser {
	t.Helper()
	testenv.NeedsTool(t, "mv", "env", "sleep")
	f := fakeBrowser{t, t.TempDir()}
	script := "#!/bin/sh\ncd " + f.bin + "\nenv > env\nprintf '%s\\n' \"$@\" > part && mv part file\n" + then + "\n"
	if err := os.WriteFile(filepath.Join(f.bin, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

type outcome struct {
	out, errs string
	code      int
}

// open runs waxwing open on a desktop with this browser.
func (f fakeBrowser) open(s *server) <-chan outcome {
	done := make(chan outcome, 1)
	desktop := append(s.env, "DISPLAY=:77", "PATH="+f.bin+":"+os.Getenv("PATH"), "WAXWING_TOKEN="+s.token)
	go func() {
		out, errs, code := command(f.t, desktop, "open", "--data-dir", s.dir)
		done <- outcome{out, errs, code}
	}()
	return done
}

// waitForFile returns the file with which the browser was started.
func (f fakeBrowser) waitForFile(s *server) string {
	f.t.Helper()
	var path string
	s.eventually(10*time.Second, "the browser to start", func() bool {
		text, err := os.ReadFile(filepath.Join(f.bin, "file"))
		path = strings.TrimSpace(string(text))
		return err == nil
	})
	if !filepath.IsAbs(path) {
		f.t.Fatalf("the browser was started with %q, want the path of a file", path)
	}
	return path
}

// environment returns the environment of the browser.
func (f fakeBrowser) environment() string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.bin, "env"))
	if err != nil {
		f.t.Error(err)
	}
	return string(text)
}

// processList collects the command lines of all processes.
type processList struct {
	rounds int
	seen   map[string]bool
	end    chan struct{}
	done   chan struct{}
}

// watchProcesses reads the command lines of all processes until stop.
func watchProcesses() *processList {
	p := &processList{seen: make(map[string]bool), end: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for {
			select {
			case <-p.end:
				return
			default:
			}
			files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range files {
				if line, err := os.ReadFile(file); err == nil && len(line) > 0 {
					p.seen[strings.ReplaceAll(string(line), "\x00", " ")] = true
				}
			}
			p.rounds++
		}
	}()
	return p
}

// stop returns the command lines that were seen.
func (p *processList) stop() map[string]bool {
	close(p.end)
	<-p.done
	return p.seen
}

// saw reports whether a command line contained a text. It is called after stop.
func (p *processList) saw(text string) bool {
	for line := range p.seen {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}
