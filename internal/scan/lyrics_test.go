package scan_test

import (
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/library"
	"waxwing/internal/lyrics"
	"waxwing/internal/scan"
)

// countingFS records the files that a scan opens, without folders.
type countingFS struct {
	fs.FS
	mu     sync.Mutex
	opened []string
}

func (c *countingFS) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		c.mu.Lock()
		c.opened = append(c.opened, name)
		c.mu.Unlock()
	}
	return f, nil
}

func (c *countingFS) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := strings.Join(slices.Sorted(slices.Values(c.opened)), " ")
	c.opened = nil
	return out
}

// lyricsFixture is a fixture that records the files that a scan opens.
func lyricsFixture(t *testing.T) (*fixture, *countingFS) {
	h := newFixture(t)
	counting := &countingFS{FS: os.DirFS(h.dir)}
	roots := []library.Root{library.NewEmbedded("counted", counting)}
	h.scan = scan.New(h.store, roots, nil, slog.New(slog.DiscardHandler))
	return h, counting
}

// lyrics returns the lyrics of the song at a path, one line each.
func (h *fixture) lyrics(root, name string) string {
	h.t.Helper()
	for known, err := range h.store.Files(h.t.Context(), root) {
		if err != nil {
			h.t.Fatal(err)
		}
		if known.Path != name {
			continue
		}
		texts, err := h.store.Lyrics(h.t.Context(), known.SongID)
		if err != nil {
			h.t.Fatal(err)
		}
		var lines []string
		for _, l := range lyrics.ParseAll(texts) {
			for _, line := range l.Lines {
				lines = append(lines, line.Text)
			}
		}
		return strings.Join(lines, "|")
	}
	h.t.Fatalf("no file %s", name)
	return ""
}

func TestChangedLyricsAreNoticedWithoutReadingTheSong(t *testing.T) {
	h, opened := lyricsFixture(t)
	frames := map[string]string{"TIT2": "A", "TPE1": "X", "TALB": "Y", "USLT": "engd\x00in the tag"}
	h.write("Album/One.mp3", mp3(1, frames))
	h.write("Album/two.mp3", titled(2, "B", "X", "Y"))
	h.write("Album/readme.txt", []byte("not of a song"))
	step := func(what, want string, wantOpened string, wantReport int) {
		t.Helper()
		report := h.run(scan.Options{})
		if got := opened.take(); got != wantOpened {
			t.Errorf("%s: opened %q, want %q", what, got, wantOpened)
		}
		if got := h.lyrics("counted:", "Album/One.mp3"); got != want {
			t.Errorf("%s: got lyrics %q, want %q", what, got, want)
		}
		if report.Lyrics != wantReport {
			t.Errorf("%s: reported %d songs with other lyrics, want %d", what, report.Lyrics, wantReport)
		}
		if report := h.run(scan.Options{}); report.Lyrics != 0 || changes(report) != 0 {
			t.Errorf("%s: the next scan reported %+v, want no change", what, report)
		}
		if got := opened.take(); got != "" {
			t.Errorf("%s: the next scan opened %q, want nothing", what, got)
		}
	}
	step("first scan", "in the tag", "Album/One.mp3 Album/two.mp3", 0)
	h.write("Album/ONE.LRC", []byte("\xef\xbb\xbf[00:01.00]beside\r\n"))
	step("added", "beside|in the tag", "Album/ONE.LRC", 1)
	h.write("Album/one.txt", []byte("in a text"))
	step("second file", "beside|in the tag|in a text", "Album/ONE.LRC Album/one.txt", 1)
	h.write("Album/ONE.LRC", []byte("[00:01.00]changed\n"))
	step("changed", "changed|in the tag|in a text", "Album/ONE.LRC Album/one.txt", 1)
	h.remove("Album/one.txt")
	step("removed", "changed|in the tag", "Album/ONE.LRC", 1)
	delete(frames, "USLT")
	h.write("Album/One.mp3", mp3(1, frames))
	step("tag changed", "changed", "Album/ONE.LRC Album/One.mp3 Album/two.mp3", 0) // the album needs both
	h.rename("Album/ONE.LRC", "Album/two.lrc")
	step("renamed", "", "Album/two.lrc", 2)
	if got := h.lyrics("counted:", "Album/two.mp3"); got != "changed" {
		t.Errorf("renamed: got lyrics %q of the other song, want %q", got, "changed")
	}
	h.rename("Album", "Moved")
	h.run(scan.Options{})
	if got := h.lyrics("counted:", "Moved/two.mp3"); got != "changed" {
		t.Errorf("moved with its song: got %q, want %q", got, "changed")
	}
}

func TestFirstScanReadsLyricsOfEverySong(t *testing.T) {
	h, opened := lyricsFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("a.flac.mp3", titled(2, "B", "X", "Y"))
	h.write("a.lrc", []byte("[00:01.00]A"))
	h.write("a.flac.lrc", []byte("\xff\xfe[\x000\x00:\x000\x00]\x00B\x00"))
	h.write("b.lrc", []byte("[00:01.00]of no song"))
	h.write("c.mp3", titled(3, "C", "X", "Y"))
	h.write("c.lrc/x.jpg", nil)
	h.run(scan.Options{})
	for name, want := range map[string]string{"a.mp3": "A", "a.flac.mp3": "B", "c.mp3": ""} {
		if got := h.lyrics("counted:", name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	opened.take()
	h.run(scan.Options{})
	if got := opened.take(); got != "" {
		t.Errorf("a scan without changes opened %q, want nothing", got)
	}
	if report := h.run(scan.Options{Full: true}); report.Lyrics != 0 || h.lyrics("counted:", "a.mp3") != "A" {
		t.Errorf("full scan: got %+v, lyrics %q", report, h.lyrics("counted:", "a.mp3"))
	}
	h.write("c.lrc.txt", []byte("of no song"))
	h.write("c.txt", []byte(strings.Repeat("x", 1<<20)))
	h.run(scan.Options{})
	if got := h.lyrics("counted:", "c.mp3"); len(got) > lyrics.MaxBytes {
		t.Errorf("a huge file became %d bytes, want at most %d", len(got), lyrics.MaxBytes)
	}
}

func TestWatcherNoticesChangedLyrics(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("a.lrc", []byte("[00:01.00]old"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = h.scan.Run(t.Context(), scan.Schedule{Watch: true, Debounce: 20 * time.Millisecond}) // ends with the test
	}()
	t.Cleanup(func() { <-done })
	wait := func(want string) {
		t.Helper()
		var got string
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if len(h.songs()) > 0 {
				if got = h.lyrics(h.dir, "a.mp3"); got == want {
					return
				}
			}
		}
		t.Fatalf("got lyrics %q, want %q", got, want)
	}
	wait("old")
	h.write("a.lrc", []byte("[00:01.00]newer"))
	wait("newer")
}
