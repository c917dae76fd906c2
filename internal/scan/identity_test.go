package scan_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
)

// content is the content of one file: its audio and its title.
type content struct {
	audio uint64
	title string
}

func (c content) bytes() []byte { return titled(c.audio, c.title, "Artist", "Album") }

// history is a music folder under random changes, with a model of the expected song ids.
type history struct {
	*fixture
	r            *rand.Rand
	disk         map[string]content // files on disk by path
	deleted      []content          // deleted files, which can be restored
	deletedPaths []string
	lastSongs    map[string]string  // at the last scan: path → song
	lastDisk     map[string]content // at the last scan: path → content
	titleOf      map[string]string  // last title by song
	audioOf      map[string]uint64
	missing      map[string]bool // unavailable songs at the last scan
	log          []string
	serial       uint64
}

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *history) paths() []string {
	return slices.Sorted(maps.Keys(h.disk))
}

func (h *history) newPath() string {
	h.serial++
	return fmt.Sprintf("dir%d/%s %d.mp3", h.r.IntN(3), []string{"song", "Lied", "песня"}[h.r.IntN(3)], h.serial)
}

// act makes one random change to the disk.
func (h *history) act() {
	paths := h.paths()
	if len(paths) == 0 || h.r.IntN(8) == 0 {
		p := h.newPath()
		c := content{h.r.Uint64(), fmt.Sprintf("Title %d", h.r.Uint64())}
		h.disk[p] = c
		h.write(p, c.bytes())
		h.note("add %s %v", p, c)
		return
	}
	p := paths[h.r.IntN(len(paths))]
	c := h.disk[p]
	switch h.r.IntN(7) {
	case 0, 1: // rename or move
		to := h.newPath()
		h.rename(p, to)
		delete(h.disk, p)
		h.disk[to] = c
		h.note("move %s to %s", p, to)
	case 2: // retag
		c.title = fmt.Sprintf("Retitled %d", h.r.IntN(1<<30))
		h.disk[p] = c
		h.write(p, c.bytes())
		h.note("retag %s", p)
	case 3: // move and retag between two scans
		to := h.newPath()
		h.remove(p)
		c.title = fmt.Sprintf("Moved %d", h.r.IntN(1<<30))
		h.write(to, c.bytes())
		delete(h.disk, p)
		h.disk[to] = c
		h.note("move %s to %s with new tags", p, to)
	case 4: // delete
		h.remove(p)
		delete(h.disk, p)
		h.deleted, h.deletedPaths = append(h.deleted, c), append(h.deletedPaths, p)
		h.note("delete %s", p)
	case 5: // restore
		if len(h.deleted) == 0 {
			return
		}
		i := h.r.IntN(len(h.deleted))
		to := h.deletedPaths[i]
		if h.r.IntN(3) == 0 {
			to = h.newPath()
		}
		if _, exists := h.disk[to]; exists {
			return
		}
		h.disk[to] = h.deleted[i]
		h.write(to, h.deleted[i].bytes())
		h.note("restore %s at %s", h.deletedPaths[i], to)
		h.deleted, h.deletedPaths = slices.Delete(h.deleted, i, i+1), slices.Delete(h.deletedPaths, i, i+1)
	case 6: // duplicate
		to := h.newPath()
		h.disk[to] = c
		h.write(to, c.bytes())
		h.note("copy %s to %s", p, to)
	}
}

// check scans and compares the songs with the model.
func (h *history) check() {
	h.t.Helper()
	h.note("scan")
	h.run(scan.Options{})
	now := h.fixture.songs()
	fail := func(format string, args ...any) {
		h.t.Helper()
		h.t.Fatalf("%s\nhistory:\n  %s", fmt.Sprintf(format, args...), strings.Join(h.log, "\n  "))
	}
	if len(now) != len(h.disk) {
		fail("got %d songs, want %d", len(now), len(h.disk))
	}
	holder := map[string]string{}
	for p, id := range now {
		if other, twice := holder[id]; twice {
			fail("%s and %s are the same song %s", p, other, id)
		}
		holder[id] = p
	}
	// Unavailable songs by audio: since this scan, and since an earlier one.
	freed, older := map[uint64][]string{}, map[uint64][]string{}
	for p, id := range h.lastSongs {
		if c, exists := h.disk[p]; !exists || c.audio != h.lastDisk[p].audio {
			freed[h.lastDisk[p].audio] = append(freed[h.lastDisk[p].audio], id)
		}
	}
	for id := range h.missing {
		older[h.audioOf[id]] = append(older[h.audioOf[id]], id)
	}
	reused := map[uint64][]string{}
	arrivals := map[uint64][]string{}
	for p, c := range h.disk {
		if h.lastDisk[p].audio == c.audio && h.lastSongs[p] != "" {
			if now[p] != h.lastSongs[p] {
				fail("%s did not move: got song %s, want %s", p, now[p], h.lastSongs[p])
			}
			continue
		}
		arrivals[c.audio] = append(arrivals[c.audio], p)
		if _, known := h.audioOf[now[p]]; known {
			if h.audioOf[now[p]] != c.audio {
				fail("%s became %s, which has other audio", p, now[p])
			}
			reused[c.audio] = append(reused[c.audio], now[p])
		}
	}
	for audio, paths := range arrivals {
		want := min(len(paths), len(freed[audio])+len(older[audio]))
		if len(reused[audio]) != want {
			fail("recognised %d of %d new files with the same audio, want %d (unavailable: %v %v)",
				len(reused[audio]), len(paths), want, freed[audio], older[audio])
		}
		// Songs missing since this scan are preferred to older ones, unless an older one returns to its
		// path.
		missed := 0
		for _, id := range freed[audio] {
			if _, held := holder[id]; !held {
				missed++
			}
		}
		for _, id := range reused[audio] {
			if slices.Contains(older[audio], id) && missed > 0 && h.lastPath(id) != holder[id] {
				fail("%s became %s, missing for longer than %v", holder[id], id, freed[audio])
			}
		}
		h.checkTwins(audio, paths, append(slices.Clone(freed[audio]), older[audio]...), now, fail)
	}
	h.checkNoSongIsDeleted(fail)
	h.remember(now)
}

// checkTwins checks that, of several unavailable songs with the same audio, a file becomes the one
// with the same tags.
func (h *history) checkTwins(
	audio uint64, paths, free []string, now map[string]string, fail func(string, ...any),
) {
	if len(paths) != 1 || len(free) < 2 {
		return
	}
	p := paths[0]
	var same []string
	for _, id := range free {
		if h.titleOf[id] == h.disk[p].title && !h.missing[id] {
			same = append(same, id)
		}
	}
	if len(same) == 1 && now[p] != same[0] && h.lastPath(now[p]) != p {
		fail("%s has the tags of %s but became %s (audio %x)", p, same[0], now[p], audio)
	}
}

// lastPath returns the catalog's path of an unavailable song; "" if another song has it.
func (h *history) lastPath(id string) string {
	for known, err := range h.store.Files(h.t.Context(), h.dir) {
		if err != nil {
			h.t.Fatal(err)
		}
		if known.SongID == id {
			return known.Path
		}
	}
	return ""
}

// checkNoSongIsDeleted checks that every song stays in the catalog, available or not.
func (h *history) checkNoSongIsDeleted(fail func(string, ...any)) {
	for id := range h.audioOf {
		if _, err := h.store.Song(h.t.Context(), id); err != nil {
			fail("song %s was deleted: %v", id, err)
		}
	}
}

func (h *history) remember(now map[string]string) {
	for p, id := range now {
		h.titleOf[id], h.audioOf[id] = h.disk[p].title, h.disk[p].audio
		delete(h.missing, id)
	}
	for id := range h.audioOf {
		if !slices.Contains(slices.Collect(maps.Values(now)), id) {
			h.missing[id] = true
		}
	}
	h.lastSongs = now
	h.lastDisk = maps.Clone(h.disk)
}

func TestRandomHistoriesKeepSongIDs(t *testing.T) {
	histories := 30
	if os.Getenv("WAXWING_LONG") != "" {
		histories = 1000
	}
	h, elsewhere := newFixture(t), t.TempDir()
	scans := 0
	for n := range histories {
		run := &history{
			fixture: h, r: rand.New(rand.NewPCG(42, uint64(n))), disk: map[string]content{},
			lastSongs: map[string]string{}, lastDisk: map[string]content{},
			titleOf: map[string]string{}, audioOf: map[string]uint64{}, missing: map[string]bool{},
		}
		for range 3 + run.r.IntN(4) {
			for range 1 + run.r.IntN(5) {
				run.act()
			}
			if run.r.IntN(4) == 0 { // a scan of another folder must change nothing here
				before := h.songCount()
				report := h.scanFolders(scan.Options{}, elsewhere)
				if changes(report) > 0 || h.songCount() != before {
					t.Errorf("scan of another folder: got %+v and %d songs, want %d", report, h.songCount(), before)
				}
			}
			run.check()
			scans++
		}
		for _, p := range run.paths() {
			h.remove(p)
		}
		h.run(scan.Options{})
	}
	t.Logf("%d histories, %d scans", histories, scans)
}

func TestPlaylistsKeepUnavailableSongs(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("b.mp3", titled(2, "B", "X", "Y"))
	h.run(scan.Options{})
	ids := h.songs()
	user, err := h.store.EnsureUser(t.Context(), "listener")
	if err != nil {
		t.Fatal(err)
	}
	a, b := ids["a.mp3"], ids["b.mp3"]
	mine := catalog.NewPlaylist{Name: "Mine", SongIDs: []string{a, b}}
	list, err := h.store.CreatePlaylist(t.Context(), user.Viewer(), mine)
	if err != nil {
		t.Fatal(err)
	}
	entries := func() string {
		songs, _, err := h.store.PlaylistSongs(t.Context(), user.Viewer(), list.ID, catalog.Page{Number: 1, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, s := range songs {
			out += fmt.Sprintf("%s %v ", s.ID, s.Available)
		}
		return out
	}
	h.remove("a.mp3")
	if report := h.run(scan.Options{}); report.Missing != 1 {
		t.Errorf("after deletion: got %+v, want 1 missing", report)
	}
	if got, want := entries(), a+" false "+b+" true "; got != want {
		t.Errorf("after deletion: got %s, want %s", got, want)
	}
	h.write("elsewhere/again.mp3", titled(1, "A, retagged", "X", "Z"))
	if report := h.run(scan.Options{}); report.Restored != 1 || report.Added != 0 {
		t.Errorf("after restoring: got %+v, want 1 restored", report)
	}
	if got, want := entries(), a+" true "+b+" true "; got != want {
		t.Errorf("after restoring: got %s, want %s", got, want)
	}
}

func TestChainedAndSwappedRenamesKeepSongIDs(t *testing.T) {
	h := newFixture(t)
	for i, name := range []string{"a.mp3", "b.mp3", "c.mp3"} {
		h.write(name, titled(uint64(i+10), name, "X", "Y"))
	}
	h.run(scan.Options{})
	before := h.songs()
	h.rename("c.mp3", "d.mp3")
	h.rename("b.mp3", "c.mp3")
	h.rename("a.mp3", "b.mp3")
	report := h.run(scan.Options{})
	after := h.songs()
	want := map[string]string{"b.mp3": before["a.mp3"], "c.mp3": before["b.mp3"], "d.mp3": before["c.mp3"]}
	if !maps.Equal(after, want) || report.Missing != 0 {
		t.Errorf("chain of renames: got %v, want %v; %+v", after, want, report)
	}
	h.rename("b.mp3", "tmp.mp3")
	h.rename("c.mp3", "b.mp3")
	h.rename("tmp.mp3", "c.mp3")
	h.run(scan.Options{})
	if swapped := h.songs(); swapped["b.mp3"] != after["c.mp3"] || swapped["c.mp3"] != after["b.mp3"] {
		t.Errorf("swapped names: before %v, after %v", after, swapped)
	}
}

func TestReencodedFileKeepsItsSongID(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.run(scan.Options{})
	before := h.songs()["a.mp3"]
	h.write("a.mp3", append(titled(99, "A", "X", "Y"), make([]byte, 417)...))
	if report := h.run(scan.Options{}); report.Changed != 1 || h.songs()["a.mp3"] != before {
		t.Errorf("same path: got %+v and %v, want song %s changed", report, h.songs(), before)
	}
	// Moved and re-encoded between two scans: the tags identify it.
	h.remove("a.mp3")
	h.write("new/a.mp3", titled(77, "A", "X", "Y"))
	if report := h.run(scan.Options{}); report.Moved != 1 || h.songs()["new/a.mp3"] != before {
		t.Errorf("moved: got %+v and %v, want song %s moved", report, h.songs(), before)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("bad.mp3", []byte("nothing"))
	if report := h.run(scan.Options{DryRun: true}); report.Added != 1 || report.Problems != 1 || len(h.songs()) != 0 {
		t.Errorf("got %+v and songs %v; want 1 added, 1 problem, no songs", report, h.songs())
	}
	h.run(scan.Options{})
	h.rename("a.mp3", "b.mp3")
	if report := h.run(scan.Options{DryRun: true}); report.Moved != 1 || h.songs()["a.mp3"] == "" {
		t.Errorf("got %+v and songs %v; want 1 moved, a.mp3 still listed", report, h.songs())
	}
}
