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
			t.Fatalf("content: got %q, error %v; want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode: got %v, error %v; want 0600", info.Mode(), err)
	}
}

func TestFailedWriteKeepsTheOldFileAndNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(target, "child"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := statefile.Write(target, []byte("x"), 0o600); err == nil {
		t.Fatal("Write to the path of a folder: got no error, want one")
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 || names[0].Name() != "taken" {
		t.Fatalf("entries of the folder: got %v, error %v; want only the old one", names, err)
	}
	if err := statefile.Write(filepath.Join(dir, "missing", "f"), nil, 0o600); err == nil {
		t.Fatal("Write into a missing folder: got no error, want one")
	}
}
