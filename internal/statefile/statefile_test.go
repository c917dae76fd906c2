package statefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"waxwing/internal/statefile"
)

func TestWriteReplacesContentAndMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	for _, content := range []string{"first", "second and longer", ""} {
		if err := statefile.Write(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestFailedWriteKeepsTheOldFileAndNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(target, "child"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := statefile.Write(target, []byte("x"), 0o600); err == nil {
		t.Fatal("a folder was replaced by a file")
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 || names[0].Name() != "taken" {
		t.Fatalf("folder holds %v, %v; want only the old entry", names, err)
	}
	if err := statefile.Write(filepath.Join(dir, "missing", "f"), nil, 0o600); err == nil {
		t.Fatal("a missing folder was not reported")
	}
}
