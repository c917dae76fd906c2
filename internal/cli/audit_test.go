package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/app"
	"waxwing/internal/audit"
)

func TestAuditPrintsWhatCommandsRecorded(t *testing.T) {
	dir := t.TempDir()
	in := func(args ...string) string {
		t.Helper()
		out, errs, code := waxwing(t, append(args, "--data-dir", dir)...)
		if code != 0 {
			t.Fatalf("%v: %d %s", args, code, errs)
		}
		return out
	}
	if out := in("audit"); out != "The audit log has no matching entries.\n" {
		t.Errorf("an empty log prints %q", out)
	}
	secret := strings.TrimSpace(in("token", "create", "--name", "deck", "--permission", "read"))
	in("token", "create", "--name", "quiet", "--permission", "read", "--audit", "off")
	in("token", "revoke", "deck")
	err := audit.Append(filepath.Join(dir, app.AuditFile), audit.Entry{
		Server: "player", Decision: audit.Denied, Reason: audit.Revoked, Credential: "to_1", Name: "deck\x1b[2J",
		Method: "HEAD", Route: "GET /events", Status: 401, Address: "127.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	all := in("audit")
	for _, want := range []string{"token created to_", "token revoked to_", "HEAD GET /events", "denied (revoked) 401",
		"127.0.0.1 at the player", "to_1 “deck[2J”"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	if strings.Contains(all, "quiet") || strings.Contains(all, "\x1b") || strings.Count(all, "\n") != 4 {
		t.Errorf("printed:\n%s", all)
	}
	if out := in("audit", "--denied"); strings.Count(out, "\n") != 2 {
		t.Errorf("--denied:\n%s", out)
	}
	if out := in("audit", "--who", "deck", "--lines", "1"); strings.Count(out, "\n") != 2 ||
		!strings.Contains(out, "revoked") {
		t.Errorf("--who:\n%s", out)
	}
	var rows []audit.Entry
	if err := json.Unmarshal([]byte(in("audit", "--json", "--since", "1h")), &rows); err != nil || len(rows) != 3 {
		t.Errorf("%+v, %v", rows, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, app.AuditFile)); err != nil || strings.Contains(string(text), secret) {
		t.Errorf("the log is %s, %v", text, err)
	}
	if _, errs, code := waxwing(t, "audit", "--audit", "off", "--data-dir", dir); code != exitUsage {
		t.Errorf("a log that is off: %d %s", code, errs)
	}
}

func TestUnwritableAuditLogWarnsAndCommandSucceeds(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "audit-credentials.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, errs, code := waxwing(t, "token", "create", "--name", "deck", "--permission", "read", "--data-dir", dir)
	if code != 0 || !strings.HasPrefix(out, "wxt_") || !strings.Contains(errs, "could not be recorded in the audit log") {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

func TestDatabasePasswordsAreRedacted(t *testing.T) {
	for db, want := range map[string]string{
		"postgres://me:hunter2@127.0.0.1/x":                "me:xxxxx@",
		"postgres://me:hunter2%@127.0.0.1/x":               "postgres://…",
		"postgres://me@127.0.0.1:1/x?password=hunter2":     "password=xxxxx",
		"host=127.0.0.1 port=1 user=me password='hunter2'": "postgres://…",
	} {
		out, _, code := waxwing(t, "config", "show", "--db", db, "--data-dir", t.TempDir())
		if code != 0 || strings.Contains(out, "hunter2") || !strings.Contains(out, want) {
			t.Errorf("%d %s", code, out)
		}
		move := []string{"db", "move", "--from", db, "--to", filepath.Join(t.TempDir(), "x.db"), "--data-dir", t.TempDir()}
		if out, errs, code := waxwing(t, move...); code == 0 || strings.Contains(out+errs, "hunter2") {
			t.Errorf("%v: %d %s %s", move, code, out, errs)
		}
	}
	if left, err := filepath.Glob("host=*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
