package e2e

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/access"
	"waxwing/internal/app"
	"waxwing/internal/backup"
	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// TestKilledRestoreIsOldOrNew kills a restore before each system call that changes a file. Whoever
// opens the data folder next finds all of the old state or all of the new one.
func TestKilledRestoreIsOldOrNew(t *testing.T) {
	t.Parallel()
	file, template := filepath.Join(t.TempDir(), "backup.tar"), t.TempDir()
	stateFolder(t, t.TempDir(), "new", func(dir string, store *catalog.Store) {
		if err := backup.Create(t.Context(), store, dir, file, app.BackupLayout()); err != nil {
			t.Fatal(err)
		}
	})
	stateFolder(t, t.TempDir(), "old", func(dir string, _ *catalog.Store) {
		copyTree(t, dir, template) // in use, so that its last change is in the write-ahead log
	})
	restore := func(n int) (dir string, calls []string, killed bool) {
		dir = filepath.Join(t.TempDir(), "data")
		copyTree(t, template, dir)
		cmd := exec.Command(program, "backup", "restore", file, "--data-dir", dir)
		cmd.Env = environment(filepath.Dir(dir))
		calls, killed = testenv.KillAtCall(t, cmd, n)
		return dir, calls, killed
	}
	before, _, _ := stateOf(t, template)
	whole, calls, _ := restore(0)
	after, _, _ := stateOf(t, whole)
	if before == after || !strings.Contains(before, "old") || !strings.Contains(after, "new") {
		t.Fatalf("before the restore: %s\nafter it: %s", before, after)
	}
	tally := testenv.Tally{Inputs: 1}
	found := map[string]int{}
	for n := range calls {
		if !testenv.Trust() && n%10 != 0 && n < len(calls)-40 {
			continue // it unpacks, beside the files in use
		}
		dir, done, killed := restore(n + 1)
		if !killed {
			break // threads may perform a few calls more or less
		}
		tally.Faults++
		got, left, err := stateOf(t, dir)
		switch {
		case err != nil || got != before && got != after:
			tally.Violations++
			t.Errorf("killed before call %d of %d, %s: %v, %s\nwant %s\nor   %s", n+1, len(calls), done[n], err, got, before,
				after)
		case left != "":
			tally.Violations++
			t.Errorf("killed before call %d of %d, %s: left behind: %s", n+1, len(calls), done[n], left)
		case got == before:
			found["old"]++
		default:
			found["new"]++
		}
	}
	tally.Note = testenv.TriedOf(tally.Faults, len(calls), "kills of a restore") +
		fmt.Sprintf("; %d times all was old, %d times all was new", found["old"], found["new"])
	if found["old"] == 0 || found["new"] == 0 {
		t.Errorf("found %v, want both states", found)
	}
	testenv.Report(t, testenv.Backups, tally)
}

// stateFolder fills a data folder with files that contain a word, and passes it to use while the
// catalog is open.
func stateFolder(t *testing.T, path, word string, use func(dir string, store *catalog.Store)) {
	t.Helper()
	dir, log := app.DataDir(path), slog.New(slog.DiscardHandler)
	store, err := dir.OpenCatalog(t.Context(), catalog.Config{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.CreateUser(t.Context(), catalog.NewUser{Name: word}); err != nil {
		t.Fatal(err)
	}
	tokens, err := access.Open(dir.File(app.TokensFile), log)
	if err == nil {
		_, _, err = tokens.Create(t.Context(), access.NewToken{Name: word, Permissions: access.Read})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{app.JournalFile, app.PlaysFile, app.CoversDir + "/kept/" + word} {
		if word == "new" && name == app.PlaysFile {
			continue // a file that the backup lacks
		}
		file := dir.File(name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(word), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	use(path, store)
}

// stateOf opens a data folder as every command does, and describes its state and what is left of a
// restore.
func stateOf(t *testing.T, path string) (state, left string, err error) {
	t.Helper()
	dir, log := app.DataDir(path), slog.New(slog.DiscardHandler)
	if err := dir.Create(); err != nil {
		return "", "", err
	}
	var parts []string
	for _, name := range []string{app.JournalFile, app.PlaysFile} {
		text, _ := os.ReadFile(dir.File(name)) // a missing file is part of the state
		parts = append(parts, string(text))
	}
	kept, _ := os.ReadDir(dir.File(app.CoversDir + "/kept"))
	for _, e := range kept {
		parts = append(parts, e.Name())
	}
	tokens, err := access.Open(dir.File(app.TokensFile), log)
	if err != nil {
		return "", "", err
	}
	list, err := tokens.List()
	if err != nil {
		return "", "", err
	}
	for _, token := range list {
		parts = append(parts, token.Name)
	}
	if err := catalog.Check(t.Context(), dir.File(app.CatalogFile)); err != nil {
		return "", "", err
	}
	store, err := dir.OpenCatalog(t.Context(), catalog.Config{Log: log})
	if err != nil {
		return "", "", err
	}
	defer store.Close()
	users, err := store.Users(t.Context())
	for _, u := range users {
		parts = append(parts, u.Name)
	}
	rest, _ := filepath.Glob(filepath.Join(path, ".restore*"))
	plans, _ := filepath.Glob(filepath.Join(path, "restore.json*"))
	return strings.Join(parts, " "), strings.Join(slices.Concat(rest, plans), " "), err
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
