package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/app"
)

func TestRestoreRefusesWhileAServerOrScanRuns(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "backup.tar")
	if _, errs, code := waxwing(t, "backup", "create", file, "--data-dir", data); code != 0 {
		t.Fatal(errs)
	}
	for _, role := range []string{"catalog", "player", "scan"} {
		unlock, err := app.DataDir(data).Lock(role)
		if err != nil {
			t.Fatal(err)
		}
		_, errs, code := waxwing(t, "backup", "restore", file, "--data-dir", data)
		unlock()
		if code == 0 || !strings.Contains(errs, role) || !strings.Contains(errs, "stop it") {
			t.Errorf("restore while the %s runs: exit code %d, %q; want a refusal that names it", role, code, errs)
		}
	}
	if backupLayout, _ := filepath.Glob(filepath.Join(data, "before-restore-*")); len(backupLayout) != 0 {
		t.Errorf("a refused restore replaced files: %v", backupLayout)
	}
	if _, errs, code := waxwing(t, "backup", "restore", file, "--data-dir", data); code != 0 {
		t.Errorf("restore afterwards: exit code %d, %q", code, errs)
	}
	if _, err := os.Stat(filepath.Join(data, "catalog.db")); err != nil {
		t.Error(err)
	}
}
