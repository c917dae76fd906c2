package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// TestOpenPassesNoTokenToTheBrowser: the link on standard output contains the token. The command
// line of the browser, which every account can read, contains a code that works once.
func TestOpenPassesNoTokenToTheBrowser(t *testing.T) {
	s := start(t)
	if out, _, code := s.run("open", "--print"); code != 0 || out != s.base+"/#token="+s.token+"\n" {
		t.Fatalf("open --print: got exit code %d, output %q; want 0 and the link with the token", code, out)
	}

	testenv.NeedsTool(t, "mv") // for the script that replaces the browser
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" > " + started + ".part && mv " + started + ".part " + started + "\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	desktop := append(s.env, "DISPLAY=:77", "PATH="+bin+":"+os.Getenv("PATH"))
	out, errs, code := command(t, desktop, "open", "--data-dir", s.dir)
	if code != 0 || !strings.Contains(out, "#token=") {
		t.Fatalf("open: got exit code %d, output %q, errors %q; want 0 and the link", code, out, errs)
	}
	s.eventually(5*time.Second, "the browser to start", func() bool { _, err := os.Stat(started); return err == nil })
	text, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	id, isClaim := strings.CutPrefix(strings.TrimSpace(string(text)), s.base+"/#claim=")
	if !isClaim || strings.Contains(string(text), "wxt_") {
		t.Fatalf("argument of the browser: got %q, want a link with a claim and no token", text)
	}
	claimed := send(t, "POST", s.base+"/pair/claim", `{"id":"`+id+`"}`, "Content-Type", "application/json")
	if claimed.status != 200 {
		t.Fatalf("claim: got %d %s, want 200", claimed.status, claimed.body)
	}
	secret, _ := claimed.json(t)["token"].(string)
	if r := send(t, "GET", s.base+"/token", "", "Authorization", "Bearer "+secret); r.status != 200 ||
		!strings.Contains(string(r.body), `"expires_at":"`) {
		t.Errorf("token of the browser: got %d %s, want 200 and an expiry", r.status, r.body)
	}
	again := send(t, "POST", s.base+"/pair/claim", `{"id":"`+id+`"}`, "Content-Type", "application/json")
	if again.status != 404 {
		t.Errorf("second claim: got %d, want 404", again.status)
	}
	if strings.Contains(s.log.String(), "wxt_") || strings.Contains(s.log.String(), id) {
		t.Error("the log contains the token or the claim, want neither")
	}
}
