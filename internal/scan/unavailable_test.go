package scan_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/scan"
	"waxwing/internal/testenv/postgres"
)

func forgetAll(string) bool { return true }

// scanFolders scans the given folders into the fixture's catalog.
func (h *fixture) scanFolders(opts scan.Options, dirs ...string) scan.Report {
	h.t.Helper()
	report, err := scan.New(h.store, folders(h.t, dirs), nil, nil).Scan(h.t.Context(), opts)
	if err != nil {
		h.t.Fatal(err)
	}
	return report
}

// songCount returns the number of songs that the catalog lists.
func (h *fixture) songCount() int64 {
	h.t.Helper()
	_, total, err := h.store.Songs(h.t.Context(), catalog.Page{Number: 1, Limit: 1})
	if err != nil {
		h.t.Fatal(err)
	}
	return total
}

// A music folder that does not exist, is empty or cannot be read, like that of an unmounted disk,
// says nothing about its files.
func TestUnavailableFolderKeepsItsSongs(t *testing.T) {
	parent := t.TempDir()
	disk, unplugged := filepath.Join(parent, "disk"), filepath.Join(parent, "unplugged")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(disk, 0o755))
	h := newFixtureWith(t, disk)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.run(scan.Options{})
	checkUnavailable := func(state string) {
		t.Helper()
		report := h.run(scan.Options{Forget: forgetAll})
		folders := report.Unavailable
		if len(folders) != 1 || folders[0].Folder != disk || folders[0].Reason == "" {
			t.Errorf("%s: unavailable folders = %+v, want %s", state, folders, disk)
		}
		if report.Missing != 0 || h.songCount() != 1 {
			t.Errorf("%s: got %+v and %d songs, want the song unchanged", state, report, h.songCount())
		}
	}
	must(os.Rename(disk, unplugged))
	checkUnavailable("missing")
	_, err := h.open(h.songs()["a.mp3"])
	if kind, _ := fault.Of(err); kind != fault.Unavailable {
		t.Errorf("opening a song returned %v, want an Unavailable fault", err)
	}
	must(os.Mkdir(disk, 0o755))
	checkUnavailable("empty")
	must(os.WriteFile(filepath.Join(disk, ".hidden"), nil, 0o600))
	checkUnavailable("only ignored files")
	must(os.RemoveAll(disk))
	must(os.WriteFile(disk, nil, 0o600))
	checkUnavailable("a file")
	must(os.Remove(disk))
	must(os.Rename(unplugged, disk))
	if os.Geteuid() != 0 { // root can read everything
		must(os.Chmod(disk, 0))
		checkUnavailable("permission denied")
		must(os.Chmod(disk, 0o755))
	}
	if report := h.run(scan.Options{}); report.Unchanged != 1 || len(report.Unavailable) != 0 {
		t.Errorf("available again: got %+v, want one unchanged song", report)
	}

	// Forgetting the empty folder makes its songs unavailable. Afterwards it is an ordinary empty
	// folder.
	h.remove("a.mp3")
	report := h.scanFolders(scan.Options{Forget: func(root string) bool { return root == disk }})
	if report.Missing != 1 || h.songCount() != 0 {
		t.Errorf("forgotten: got %+v and %d songs, want 1 missing song", report, h.songCount())
	}
	if report := h.run(scan.Options{}); len(report.Unavailable) != 0 {
		t.Errorf("an empty folder without songs is unavailable: %+v", report)
	}
}

// A scan of one folder does not change the songs of others, unless they are forgotten. It runs on
// both engines, because servers that share a database rely on it.
func TestScanKeepsTheSongsOfOtherFolders(t *testing.T) {
	cluster := postgres.ForTest(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			a, b := t.TempDir(), t.TempDir()
			h := newFixtureWith(t, a, b)
			if engine == "postgres" {
				store, err := catalog.Open(t.Context(), catalog.Config{DB: cluster.Database(t)})
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close()
				h.store = store
			}
			h.write("a.mp3", titled(1, "A", "X", "Y"))
			h.write("both.mp3", titled(2, "Both", "X", "Y"))
			h.write("cover.png", pngFile(t, 12))
			if err := os.WriteFile(filepath.Join(b, "b.mp3"), titled(3, "B", "X", "Y"), 0o644); err != nil {
				t.Fatal(err)
			}
			if report := h.scanFolders(scan.Options{}, a, b); report.Added != 3 {
				t.Fatalf("first scan: got %+v, want 3 added", report)
			}
			ids := h.songs()
			if report := h.scanFolders(scan.Options{}, b); report.Missing != 0 || report.Unchanged != 1 || h.songCount() != 3 {
				t.Errorf("scan of b alone: got %+v and %d songs, want 3 songs", report, h.songCount())
			}
			// A copy is another song while the original exists.
			if err := os.WriteFile(filepath.Join(b, "both.mp3"), titled(2, "Both", "X", "Y"), 0o644); err != nil {
				t.Fatal(err)
			}
			if report := h.scanFolders(scan.Options{}, b); report.Added != 1 || h.songCount() != 4 {
				t.Errorf("copy: got %+v and %d songs, want 1 added", report, h.songCount())
			}
			// Renaming the folder keeps its songs.
			moved := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(a, moved); err != nil {
				t.Fatal(err)
			}
			report := h.scanFolders(scan.Options{}, moved, b)
			h.dir = moved
			after := h.songs()
			same := after["a.mp3"] == ids["a.mp3"] && after["both.mp3"] == ids["both.mp3"]
			if report.Moved != 2 || !same || h.songCount() != 4 {
				t.Errorf("renamed folder: got %+v, songs %v, want %v", report, after, ids)
			}
			if used, err := h.store.RootsInUse(t.Context()); err != nil || slices.Contains(used, a) {
				t.Errorf("roots in use: %q, %v; want %s not among them", used, err, a)
			}
			// So does scanning the folder above it, and then the folder itself again.
			parent := filepath.Dir(moved)
			for range 2 {
				report = h.scanFolders(scan.Options{}, parent, b)
				if h.dir = parent; report.Moved != 2 || h.songs()["moved/a.mp3"] != ids["a.mp3"] || h.songCount() != 4 {
					t.Errorf("from the parent: got %+v, songs %v, want %v", report, h.songs(), ids)
				}
				report = h.scanFolders(scan.Options{}, moved, b)
				if h.dir = moved; report.Moved != 2 || h.songs()["a.mp3"] != ids["a.mp3"] || h.songCount() != 4 {
					t.Errorf("from the folder: got %+v, songs %v, want %v", report, h.songs(), ids)
				}
			}
			report = h.scanFolders(scan.Options{Forget: forgetAll}, moved)
			if report.Missing != 2 || report.Unchanged != 2 || h.songCount() != 2 {
				t.Errorf("b forgotten: got %+v, want 2 missing and 2 unchanged", report)
			}
			if report := h.scanFolders(scan.Options{Forget: forgetAll}, moved); report.Missing != 0 {
				t.Errorf("b forgotten again: got %+v, want none missing", report)
			}
			if used, err := h.store.RootsInUse(t.Context()); err != nil || !slices.Equal(used, []string{moved}) {
				t.Errorf("roots in use: %q, %v; want %s", used, err, moved)
			}
		})
	}
}
