//go:build unix

package scan_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"waxwing/internal/scan"
	"waxwing/internal/testenv"
)

// hostileNames are valid file names that are known to break programs.
func hostileNames() []string {
	return []string{
		"..mp3", "...mp3", "-rf.mp3", "--help.mp3", " leading.mp3", "trailing .mp3", "new\nline.mp3", "tab\t.mp3",
		"bell\a.mp3", "esc\x1b[31m.mp3", "del\x7f.mp3", "'; DROP TABLE songs; --.mp3", "\" OR 1=1.mp3",
		"$(reboot).mp3", "`id`.mp3", "|cat.mp3", "a;b.mp3", "a&b.mp3", "<script>alert(1)<.mp3", "%2e%2e%2f.mp3",
		"%00.mp3", "%s%n%x.mp3", "..\\..\\windows.mp3", "C:\\con.mp3", "con.mp3", "nul.mp3", "aux.flac.mp3",
		"file:###.mp3", "http:??.mp3", "#hash.mp3", "?query=1.mp3", "*.mp3", "[a-z].mp3", "{a,b}.mp3", "~root.mp3",
		"$HOME.mp3", "Bj\xf6rk latin1.mp3", "\xff\xfe\xfd.mp3", "\xc0\xaf overlong.mp3",
		"\xed\xa0\x80 surrogate.mp3", "half \xe2\x82.mp3", "cafe\u0301 nfd.mp3", "caf\u00e9 nfc.mp3",
		"\u202egpm.exe.mp3", "\u200b\u200c.mp3", "\ufeffbom.mp3", "\u2028line.mp3", "emoji 👩‍👩‍👧‍👦.mp3",
		"zalgo z̴̨͚̀a̷l̶g̸o̵.mp3", "漢字カナ.mp3", "العربية.mp3", "ไทย.mp3", "𝕬𝖑𝖇𝖚𝖒.mp3", "UPPER.MP3", "upper.mp3",
		"Straße.mp3", "STRASSE.mp3", "ı dotless.mp3", "ﬁ ligature.mp3", strings.Repeat("x", 250) + ".mp3",
		strings.Repeat("й", 120) + ".mp3", "01.mp3", ".mp3.mp3x.mp3",
	}
}

func TestHostileFileNamesBecomeSongs(t *testing.T) {
	h := newFixture(t)
	names := hostileNames()
	if len(names) < 60 {
		t.Fatalf("got %d names, want at least 60", len(names))
	}
	written := 0
	for i, name := range names {
		dir := fmt.Sprintf("d%d %s", i, strings.TrimSuffix(name, filepath.Ext(name)))
		if len(dir) > 200 {
			dir = "long"
		}
		full := filepath.Join(h.dir, dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, mp3(uint64(i), nil), 0o644); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, ".") {
			written++
		}
	}
	report := h.run(scan.Options{})
	if report.Added != written || report.Problems != 0 {
		t.Errorf("got %d songs, want %d: %+v", report.Added, written, report)
	}
	for path, id := range h.songs() {
		song, err := h.store.Song(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		title := h.facts(id).Title
		if !json.Valid([]byte(song.Facts)) || !utf8.ValidString(song.Facts) ||
			strings.ContainsFunc(title, unicode.IsControl) || title == "" {
			t.Errorf("%q: got %s, want valid JSON and a printable title", path, song.Facts)
		}
		track, err := h.open(id)
		if err != nil {
			t.Errorf("open %q: %v", path, err)
			continue
		}
		if err := track.Close(); err != nil {
			t.Error(err)
		}
	}
	if again := h.run(scan.Options{}); again.Unchanged != written {
		t.Errorf("second scan: got %+v, want %d unchanged", again, written)
	}
	// Row B2 of the trust table: file names and links.
	testenv.Report(
		t,
		testenv.Paths,
		testenv.Tally{Inputs: len(names), Note: testenv.TriedOf(len(names), 60, "file and folder names")},
	)
}

// outside creates a folder beside the music folder with a file that must never be read.
func outside(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	secret := titled(666, "SECRET", "SECRET", "SECRET")
	if err := os.WriteFile(filepath.Join(dir, "secret.mp3"), secret, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSymbolicLinksAreNotFollowed(t *testing.T) {
	secret := outside(t)
	layouts := map[string]func(h *fixture) error{
		"file outside, absolute": func(h *fixture) error {
			return os.Symlink(filepath.Join(secret, "secret.mp3"), h.path("l.mp3"))
		},
		"file outside, relative": func(h *fixture) error {
			rel, err := filepath.Rel(h.dir, filepath.Join(secret, "secret.mp3"))
			if err != nil {
				return err
			}
			return os.Symlink(rel, h.path("l.mp3"))
		},
		"folder outside":    func(h *fixture) error { return os.Symlink(secret, h.path("dir")) },
		"folder loop":       func(h *fixture) error { return os.Symlink(".", h.path("loop")) },
		"parent loop":       func(h *fixture) error { return os.Symlink("../..", h.path("up")) },
		"link to itself":    func(h *fixture) error { return os.Symlink("self.mp3", h.path("self.mp3")) },
		"dangling":          func(h *fixture) error { return os.Symlink("nowhere.mp3", h.path("dangling.mp3")) },
		"inside the folder": func(h *fixture) error { return os.Symlink("real.mp3", h.path("alias.mp3")) },
		"pipe":              func(h *fixture) error { return syscall.Mkfifo(h.path("pipe.mp3"), 0o644) },
		"cover outside":     func(h *fixture) error { return os.Symlink("/etc/passwd", h.path("cover.jpg")) },
		"playlist outside":  func(h *fixture) error { return os.Symlink("/etc/passwd", h.path("list.m3u")) },
	}
	for name, create := range layouts {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			h.write("real.mp3", titled(1, "Real", "X", "Y"))
			if err := create(h); err != nil {
				t.Fatal(err)
			}
			report := h.run(scan.Options{})
			if report.Added != 1 || len(h.songs()) != 1 || h.songs()["real.mp3"] == "" {
				t.Errorf("got %+v and songs %v, want real.mp3 only", report, h.songs())
			}
		})
	}
	testenv.Report(
		t,
		testenv.Paths,
		testenv.Tally{Inputs: len(layouts), Note: testenv.TriedOf(len(layouts), 8, "layouts of links")},
	)
}

func TestRootCanBeASymbolicLink(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "music")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	h := newFixtureWith(t, link)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	if report := h.run(scan.Options{}); report.Added != 1 {
		t.Errorf("got %+v, want 1 added", report)
	}
}

// A file and its folder are replaced by links to the outside while scans and openings run.
func TestReplacingFilesByLinksReadsNothingOutside(t *testing.T) {
	secret := outside(t)
	h := newFixture(t)
	h.write("dir/a.mp3", titled(1, "Real", "X", "Y"))
	h.run(scan.Options{})
	id := h.songs()["dir/a.mp3"]
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			// Errors are expected: the scans run at the same time.
			switch i % 4 {
			case 0:
				_ = os.Rename(h.path("dir"), h.path("aside"))
				_ = os.Symlink(secret, h.path("dir"))
			case 1:
				_ = os.Remove(h.path("dir"))
				_ = os.Rename(h.path("aside"), h.path("dir"))
			case 2:
				_ = os.Rename(h.path("dir/a.mp3"), h.path("dir/b.txt"))
				_ = os.Symlink(filepath.Join(secret, "secret.mp3"), h.path("dir/a.mp3"))
			case 3:
				_ = os.Remove(h.path("dir/a.mp3"))
				_ = os.Rename(h.path("dir/b.txt"), h.path("dir/a.mp3"))
			}
		}
	})
	opened, scans := 0, 0
	for deadline := time.Now().Add(1500 * time.Millisecond); time.Now().Before(deadline); scans++ {
		h.run(scan.Options{Full: true})
		for range 50 {
			track, err := h.open(id)
			if err != nil {
				continue
			}
			b := make([]byte, track.Size)
			n, err := track.Read(b)
			if err == nil && strings.Contains(string(b[:n]), "SECRET") {
				t.Error("a file outside of the music folder was opened")
			}
			opened++
			if err := track.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	close(stop)
	wg.Wait()
	for _, id := range h.songs() {
		if strings.Contains(h.facts(id).Title, "SECRET") {
			t.Fatal("a file outside of the music folder became a song")
		}
	}
	testenv.Report(t, testenv.Paths, testenv.Tally{
		Inputs: opened, Faults: scans,
		Note: fmt.Sprintf("%d openings and %d scans while files were replaced by links", opened, scans),
	})
}

func TestOpenFileRefusesWhatIsNotARegularFile(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.run(scan.Options{})
	id := h.songs()["a.mp3"]
	h.remove("a.mp3")
	for name, create := range map[string]func() error{
		"nothing": func() error { return nil },
		"folder":  func() error { return os.Mkdir(h.path("a.mp3"), 0o755) },
		"pipe":    func() error { return syscall.Mkfifo(h.path("a.mp3"), 0o644) },
		"link":    func() error { return os.Symlink("/etc/passwd", h.path("a.mp3")) },
	} {
		if err := create(); err != nil {
			t.Fatal(err)
		}
		if track, err := h.open(id); err == nil {
			t.Errorf("%s: opened %+v", name, track)
		}
		_ = os.Remove(h.path("a.mp3")) // it may not exist
	}
}
