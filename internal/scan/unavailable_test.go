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

// over scans into the fixture's catalog from folders of its own choice.
func (h *fixture) scanFolders(opts scan.Options, dirs ...string) scan.Report {
	h.t.Helper()
	var roots []scan.Root
	for _, dir := range dirs {
		root, err := scan.Folder(dir)
		if err != nil {
			h.t.Fatal(err)
		}
		roots = append(roots, root)
	}
	report, err := scan.New(h.store, roots, nil, nil).Scan(h.t.Context(), opts)
	if err != nil {
		h.t.Fatal(err)
	}
	return report
}

// listed is how many songs the catalog lists.
func (h *fixture) songCount() int64 {
	h.t.Helper()
	_, total, err := h.store.Songs(h.t.Context(), catalog.Page{Number: 1, Limit: 1})
	if err != nil {
		h.t.Fatal(err)
	}
	return total
}

// TestFoldersThatAreAwayLoseNothing: a disk that is not mounted, or leaves an empty folder behind,
// or cannot be read, says nothing about its files.
func TestFoldersThatAreAwayLoseNothing(t *testing.T) {
	parent := t.TempDir()
	disk, aside := filepath.Join(parent, "disk"), filepath.Join(parent, "unplugged")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(os.Mkdir(disk, 0o755))
	h := newFixtureWith(t, disk)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.run(scan.Options{})
	stays := func(how string) {
		t.Helper()
		report := h.run(scan.Options{Forget: forgetAll})
		if report.Missing != 0 || h.songCount() != 1 || len(report.Unavailable) != 1 || report.Unavailable[0].Folder != disk || report.Unavailable[0].Reason == "" {
			t.Errorf("%s: %+v, %d songs", how, report, h.songCount())
		}
	}
	do(os.Rename(disk, aside))
	stays("not there")
	_, err := h.open(h.songs()["a.mp3"])
	if kind, _ := fault.Of(err); kind != fault.Unavailable {
		t.Error(err)
	}
	do(os.Mkdir(disk, 0o755))
	stays("empty")
	do(os.WriteFile(filepath.Join(disk, ".hidden"), nil, 0o600))
	stays("empty but for what is never looked at")
	do(os.RemoveAll(disk))
	do(os.WriteFile(disk, nil, 0o600))
	stays("a file")
	do(os.Remove(disk))
	do(os.Rename(aside, disk))
	if os.Geteuid() != 0 { // root may read everything
		do(os.Chmod(disk, 0))
		stays("not to be read")
		do(os.Chmod(disk, 0o755))
	}
	if report := h.run(scan.Options{}); report.Unchanged != 1 || len(report.Unavailable) != 0 {
		t.Errorf("after its return: %+v", report)
	}

	// Given up, the songs of an empty folder go, and the folder is an ordinary empty one from then
	// on.
	h.remove("a.mp3")
	if report := h.scanFolders(scan.Options{Forget: func(root string) bool { return root == disk }}); report.Missing != 1 || h.songCount() != 0 {
		t.Errorf("given up: %+v", report)
	}
	if report := h.run(scan.Options{}); len(report.Unavailable) != 0 {
		t.Errorf("an empty folder without songs: %+v", report)
	}
}

// TestFoldersThatAreNotNamedStay: a scan of one folder says nothing about another one, unless that
// is given up. Both engines, because the servers of a cluster rely on it.
func TestFoldersThatAreNotNamedStay(t *testing.T) {
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
				t.Fatalf("%+v", report)
			}
			ids := h.songs()
			if report := h.scanFolders(scan.Options{}, b); report.Missing != 0 || report.Unchanged != 1 || h.songCount() != 3 {
				t.Errorf("b alone: %+v, %d songs", report, h.songCount())
			}
			// A copy is another song as long as the first one is there.
			if err := os.WriteFile(filepath.Join(b, "both.mp3"), titled(2, "Both", "X", "Y"), 0o644); err != nil {
				t.Fatal(err)
			}
			if report := h.scanFolders(scan.Options{}, b); report.Added != 1 || h.songCount() != 4 {
				t.Errorf("a copy: %+v, %d songs", report, h.songCount())
			}
			// The disk has another name now: its songs are the same.
			moved := filepath.Join(t.TempDir(), "moved")
			if err := os.Rename(a, moved); err != nil {
				t.Fatal(err)
			}
			report := h.scanFolders(scan.Options{}, moved, b)
			h.dir = moved
			if after := h.songs(); report.Moved != 2 || after["a.mp3"] != ids["a.mp3"] || after["both.mp3"] != ids["both.mp3"] || h.songCount() != 4 {
				t.Errorf("under another name: %+v, %v, before %v", report, after, ids)
			}
			if used, err := h.store.RootsInUse(t.Context()); err != nil || slices.Contains(used, a) {
				t.Errorf("in use: %q, %v", used, err)
			}
			// So are those that are found under a folder around theirs, and back.
			around := filepath.Dir(moved)
			for range 2 {
				report = h.scanFolders(scan.Options{}, around, b)
				if h.dir = around; report.Moved != 2 || h.songs()["moved/a.mp3"] != ids["a.mp3"] || h.songCount() != 4 {
					t.Errorf("from around: %+v, %v, before %v", report, h.songs(), ids)
				}
				report = h.scanFolders(scan.Options{}, moved, b)
				if h.dir = moved; report.Moved != 2 || h.songs()["a.mp3"] != ids["a.mp3"] || h.songCount() != 4 {
					t.Errorf("from within: %+v, %v, before %v", report, h.songs(), ids)
				}
			}
			if report := h.scanFolders(scan.Options{Forget: forgetAll}, moved); report.Missing != 2 || report.Unchanged != 2 || h.songCount() != 2 {
				t.Errorf("b given up: %+v", report)
			}
			if report := h.scanFolders(scan.Options{Forget: forgetAll}, moved); report.Missing != 0 {
				t.Errorf("lost again: %+v", report)
			}
			if used, err := h.store.RootsInUse(t.Context()); err != nil || !slices.Equal(used, []string{moved}) {
				t.Errorf("in use: %q, %v", used, err)
			}
		})
	}
}
