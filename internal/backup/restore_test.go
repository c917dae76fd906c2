package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/backup"
	"waxwing/internal/fault"
)

// tokens is the index of tokens.json in the archive of a backup.
const tokens = 2

// unchanged is a restore that uses the unpacked files as they are.
func unchanged(string) error { return nil }

func TestRestoreReplacesAllAndKeepsWhatItReplaced(t *testing.T) {
	from := create(t)
	dir, store := dataDir(t, "Bob")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tokens.json"), "newer")
	write(t, filepath.Join(dir, "never-written"), "of the layout, and not in the backup")
	write(t, filepath.Join(dir, "covers/kept/z.png"), "newer picture")
	s, replaced, err := backup.Restore(t.Context(), from, dir, layout, unchanged)
	if err != nil || s.Files != 5 {
		t.Fatalf("%+v, %v", s, err)
	}
	if !hasUser(t, dir, "ann") || hasUser(t, dir, "bob") {
		t.Error("the catalog is not that of the backup")
	}
	if !hasUser(t, replaced, "bob") {
		t.Error("the replaced catalog was not kept")
	}
	for name, want := range stateFiles {
		path := filepath.Join(dir, name)
		if got := read(t, path); got != want {
			t.Errorf("%s contains %q, want %q", name, got, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", name, info.Mode().Perm())
		}
	}
	for name, want := range map[string]string{"tokens.json": "newer", "covers/kept/z.png": "newer picture",
		"never-written": "of the layout, and not in the backup"} {
		if got := read(t, filepath.Join(replaced, name)); got != want {
			t.Errorf("the replaced %s contains %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"covers/kept/z.png", "never-written"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if read(t, filepath.Join(dir, "owner-token")) != "secret" {
		t.Error("a file outside of the layout was changed")
	}
	if info, err := os.Stat(replaced); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(replaced) != dir {
		t.Errorf("%s: %v, %v; want a folder in %s with mode 0700", replaced, info, err, dir)
	}
	// Again at once: the name of the first folder is taken.
	if _, second, err := backup.Restore(t.Context(), from, dir, layout, unchanged); err != nil || second == replaced {
		t.Errorf("a second restore keeps what it replaced in %s, the first in %s; %v", second, replaced, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".restore-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRestoreIntoAnEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := backup.Restore(t.Context(), create(t), dir, layout, unchanged); err != nil {
		t.Fatal(err)
	}
	if !hasUser(t, dir, "ann") {
		t.Error("the catalog was not restored")
	}
}

// TestBadArchivesChangeNothing gives damaged, foreign and hostile archives to Verify and Restore.
func TestBadArchivesChangeNothing(t *testing.T) {
	good := create(t)
	list := members(t, good)
	changed := func(f func([]member) []member) func(*testing.T) string {
		return func(t *testing.T) string {
			copied := slices.Clone(list)
			for i := range copied {
				copied[i].content = bytes.Clone(copied[i].content)
			}
			return archive(t, f(copied))
		}
	}
	manifest := func(f func(m map[string]any, files map[string]any)) func([]member) []member {
		return func(list []member) []member {
			last := len(list) - 1
			var m map[string]any
			if err := json.Unmarshal(list[last].content, &m); err != nil {
				t.Fatal(err)
			}
			f(m, m["files"].(map[string]any))
			list[last].content, _ = json.Marshal(m)
			return list
		}
	}
	head := func(text string) func([]member) []member {
		return func(list []member) []member { list[0].content = []byte(text); return list }
	}
	// hostile adds a member under a name that leaves the layout, listed in the manifest with its right
	// sum.
	hostile := func(name string) func(*testing.T) string {
		return changed(func(list []member) []member {
			list = manifest(func(_, files map[string]any) { files[name] = files["tokens.json"] })(list)
			added := list[tokens]
			added.Name = name
			return slices.Insert(list, tokens, added)
		})
	}
	tests := map[string]struct {
		path func(*testing.T) string
		kind fault.Kind
	}{
		"missing file": {func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, fault.NotFound},
		"empty file":   {func(t *testing.T) string { return archive(t, nil) }, fault.Invalid},
		"not a tar archive": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "song.flac")
			write(t, path, strings.Repeat("fLaC", 1000))
			return path
		}, fault.Invalid},
		"another tar archive": {changed(func(list []member) []member { return list[1:] }), fault.Invalid},
		"cut off": {func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "cut.tar")
			whole := read(t, good)
			write(t, path, whole[:len(whole)/2])
			return path
		}, fault.Invalid},
		"flipped bit in the catalog": {changed(func(list []member) []member {
			list[1].content[5000] ^= 1
			return list
		}), fault.Invalid},
		"flipped bit in a state file": {changed(func(list []member) []member {
			list[tokens].content[3] ^= 1
			return list
		}), fault.Invalid},
		"member missing": {changed(func(list []member) []member { return slices.Delete(list, tokens, tokens+1) }),
			fault.Invalid},
		"manifest missing": {changed(func(list []member) []member { return list[:len(list)-1] }), fault.Invalid},
		"member after the manifest": {changed(func(list []member) []member {
			return append(slices.Delete(list, tokens, tokens+1), list[tokens])
		}), fault.Invalid},
		"member not listed": {changed(manifest(func(_, files map[string]any) { delete(files, "tokens.json") })),
			fault.Invalid},
		"manifest is not JSON": {changed(func(list []member) []member {
			list[len(list)-1].content = []byte("{")
			return list
		}), fault.Invalid},
		"newer format":          {changed(head(`{"format": 3}`)), fault.Conflict},
		"no format":             {changed(head(`{}`)), fault.Conflict},
		"path to the parent":    {hostile("../evil"), fault.Invalid},
		"path through a folder": {hostile("covers/kept/../../evil"), fault.Invalid},
		"path to a subfolder":   {hostile("covers/kept/deep/evil"), fault.Invalid},
		"absolute path":         {hostile("/tmp/waxwing-evil"), fault.Invalid},
		"backslashes":           {hostile(`covers/kept/..\evil`), fault.Invalid},
		"file of another kind":  {hostile("owner-token"), fault.Invalid},
		"not a catalog": {changed(func(list []member) []member {
			list[1].content = list[tokens].content
			return manifest(func(_, files map[string]any) { files["catalog.db"] = files["tokens.json"] })(list)
		}), fault.NotFound},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := tt.path(t)
			if _, err := backup.Verify(t.Context(), path, layout); kindOf(err) != tt.kind || err == nil {
				t.Errorf("verify: %v, want kind %d", err, tt.kind)
			}
			dir, store := dataDir(t, "Bob")
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			before := tree(t, filepath.Dir(dir))
			if _, _, err := backup.Restore(t.Context(), path, dir, layout, unchanged); kindOf(err) != tt.kind || err == nil {
				t.Errorf("restore: %v, want kind %d", err, tt.kind)
			}
			if after := tree(t, filepath.Dir(dir)); !sameTree(before, after) {
				t.Errorf("the data folder has changed:\n%v\n%v", before, after)
			}
			if !hasUser(t, dir, "bob") {
				t.Error("the catalog was replaced")
			}
		})
	}
	if _, err := os.Stat("/tmp/waxwing-evil"); err == nil {
		t.Error("a member was written to an absolute path")
	}
}

// TestRepeatedMemberIsRefused: the second of two equal names must not replace the first.
func TestRepeatedMemberIsRefused(t *testing.T) {
	list := members(t, create(t))
	if _, err := backup.Verify(t.Context(), archive(t, slices.Insert(list, tokens, list[tokens])), layout); err == nil {
		t.Error("an archive with two members of one name was accepted")
	}
}

func TestSymbolicLinkInAnArchiveIsNotFollowed(t *testing.T) {
	list := members(t, create(t))
	list[tokens].Typeflag, list[tokens].Linkname = tar.TypeSymlink, "/etc/passwd"
	if _, err := backup.Verify(t.Context(), archive(t, list), layout); kindOf(err) != fault.Invalid || err == nil {
		t.Errorf("a symbolic link in the archive: %v, want Invalid", err)
	}
}

func TestCancelledRestoreChangesNothing(t *testing.T) {
	from := create(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := backup.Restore(ctx, from, dir, layout, unchanged); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if left := tree(t, dir); len(left) != 1 { // the lock
		t.Errorf("left behind: %v", left)
	}
}

// TestFormatOneIsStillRead: its manifest is the first member.
func TestFormatOneIsStillRead(t *testing.T) {
	list := members(t, create(t))
	var m map[string]any
	if err := json.Unmarshal(list[len(list)-1].content, &m); err != nil {
		t.Fatal(err)
	}
	m["format"] = 1
	list[0].content, _ = json.Marshal(m)
	old := archive(t, list[:len(list)-1])
	dir := t.TempDir()
	if s, _, err := backup.Restore(t.Context(), old, dir, layout, unchanged); err != nil || s.Files != 5 {
		t.Fatalf("%+v, %v; want 5 files", s, err)
	}
	if !hasUser(t, dir, "ann") {
		t.Error("the catalog was not restored")
	}
}
