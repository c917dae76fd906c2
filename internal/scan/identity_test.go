package scan_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
)

// content is the content of one file: what it sounds like and what its tags say.
type content struct {
	sound uint64
	title string
}

func (c content) bytes() []byte { return titled(c.sound, c.title, "Artist", "Album") }

// history is a music folder to which things happen, with what a person would expect of the ids.
type history struct {
	*fixture
	r            *rand.Rand
	disk         map[string]content // what lies on the disk now
	deleted      []content          // what was deleted
	deletedPaths []string
	lastSongs    map[string]string  // at the last scan: path → song
	lastDisk     map[string]content // at the last scan: path → content
	titleOf      map[string]string  // the last title of each song
	soundOf      map[string]uint64
	missing      map[string]bool // songs that were unavailable at the last scan
	log          []string
	serial       uint64
}

func (h *history) note(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

func (h *history) paths() []string {
	var out []string
	for p := range h.disk {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func (h *history) newPath() string {
	h.serial++
	return fmt.Sprintf("dir%d/%s %d.mp3", h.r.IntN(3), []string{"song", "Lied", "песня"}[h.r.IntN(3)], h.serial)
}

// act does one random thing to the disk.
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
	case 3: // move and retag in one go
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
		if _, there := h.disk[to]; there {
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

// check scans and holds the result against what a person would expect.
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
		fail("%d songs for %d files", len(now), len(h.disk))
	}
	holder := map[string]string{}
	for p, id := range now {
		if other, twice := holder[id]; twice {
			fail("%s and %s are both %s", p, other, id)
		}
		holder[id] = p
	}
	// Songs that lost their files, by sound: gone just now, and gone before.
	freed, older := map[uint64][]string{}, map[uint64][]string{}
	for p, id := range h.lastSongs {
		if c, there := h.disk[p]; !there || c.sound != h.lastDisk[p].sound {
			freed[h.lastDisk[p].sound] = append(freed[h.lastDisk[p].sound], id)
		}
	}
	for id := range h.missing {
		older[h.soundOf[id]] = append(older[h.soundOf[id]], id)
	}
	reused := map[uint64][]string{}
	arrivals := map[uint64][]string{}
	for p, c := range h.disk {
		if h.lastDisk[p].sound == c.sound && h.lastSongs[p] != "" {
			if now[p] != h.lastSongs[p] {
				fail("%s stayed in its place but is %s now, was %s", p, now[p], h.lastSongs[p])
			}
			continue
		}
		arrivals[c.sound] = append(arrivals[c.sound], p)
		if _, known := h.soundOf[now[p]]; known {
			if h.soundOf[now[p]] != c.sound {
				fail("%s became %s, which sounds different", p, now[p])
			}
			reused[c.sound] = append(reused[c.sound], now[p])
		}
	}
	for sound, paths := range arrivals {
		want := min(len(paths), len(freed[sound])+len(older[sound]))
		if len(reused[sound]) != want {
			fail("%d of %d files that came with one sound were recognised, %d expected (free: %v %v)", len(reused[sound]), len(paths), want, freed[sound], older[sound])
		}
		// A song that went just now comes before one that went long ago, unless that one returns to its
		// own place.
		missed := 0
		for _, id := range freed[sound] {
			if _, held := holder[id]; !held {
				missed++
			}
		}
		for _, id := range reused[sound] {
			if slices.Contains(older[sound], id) && missed > 0 && h.lastPath(id) != holder[id] {
				fail("%s was taken for %s, which went long ago, while %v went just now", holder[id], id, freed[sound])
			}
		}
		h.checkTwins(sound, paths, append(slices.Clone(freed[sound]), older[sound]...), now, fail)
	}
	h.checkPlaylist(fail)
	h.remember(now)
}

// checkTwins: of several free songs with one sound, the one with the file's own tags is meant.
func (h *history) checkTwins(sound uint64, paths, free []string, now map[string]string, fail func(string, ...any)) {
	if len(paths) != 1 || len(free) < 2 {
		return
	}
	p := paths[0]
	var meant []string
	for _, id := range free {
		if h.titleOf[id] == h.disk[p].title && !h.missing[id] {
			meant = append(meant, id)
		}
	}
	if len(meant) == 1 && now[p] != meant[0] && h.lastPath(now[p]) != p {
		fail("%s has the tags of %s but became %s (sound %x)", p, meant[0], now[p], sound)
	}
}

// place is where the catalog last saw a song that is gone; "" when its place was taken.
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

// checkPlaylist: a song that was once put on a playlist stays there, available or not.
func (h *history) checkPlaylist(fail func(string, ...any)) {
	for id := range h.soundOf {
		if _, err := h.store.Song(h.t.Context(), id); err != nil {
			fail("song %s is not even unavailable: %v", id, err)
		}
	}
}

func (h *history) remember(now map[string]string) {
	for p, id := range now {
		h.titleOf[id], h.soundOf[id] = h.disk[p].title, h.disk[p].sound
		delete(h.missing, id)
	}
	for id := range h.soundOf {
		if !slices.Contains(values(now), id) {
			h.missing[id] = true
		}
	}
	h.lastSongs = now
	h.lastDisk = map[string]content{}
	for p, c := range h.disk {
		h.lastDisk[p] = c
	}
}

func values(m map[string]string) []string {
	var out []string
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

func TestIdentityOverRandomHistories(t *testing.T) {
	histories := 30
	if os.Getenv("WAXWING_LONG") != "" {
		histories = 1000
	}
	h, elsewhere := newFixture(t), t.TempDir()
	scans := 0
	for n := range histories {
		run := &history{
			fixture: h, r: rand.New(rand.NewPCG(42, uint64(n))), disk: map[string]content{}, lastSongs: map[string]string{}, lastDisk: map[string]content{},
			titleOf: map[string]string{}, soundOf: map[string]uint64{}, missing: map[string]bool{},
		}
		for range 3 + run.r.IntN(4) {
			for range 1 + run.r.IntN(5) {
				run.act()
			}
			if run.r.IntN(4) == 0 { // somebody scans another folder meanwhile: that says nothing about this one
				before := h.songCount()
				if report := h.scanFolders(scan.Options{}, elsewhere); report.Missing+report.Moved+report.Added > 0 || h.songCount() != before {
					t.Errorf("a scan of another folder: %+v, %d songs of %d", report, h.songCount(), before)
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

func TestPlaylistsKeepSongsThatAreGone(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("b.mp3", titled(2, "B", "X", "Y"))
	h.run(scan.Options{})
	ids := h.songs()
	user, err := h.store.EnsureUser(t.Context(), "listener")
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.store.CreatePlaylist(t.Context(), user.Viewer(), catalog.NewPlaylist{Name: "Mine", SongIDs: []string{ids["a.mp3"], ids["b.mp3"]}})
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
	a, b := ids["a.mp3"], ids["b.mp3"]
	h.remove("a.mp3")
	if report := h.run(scan.Options{}); report.Missing != 1 {
		t.Errorf("%+v", report)
	}
	if got, want := entries(), a+" false "+b+" true "; got != want {
		t.Errorf("after deletion: %s, want %s", got, want)
	}
	h.write("elsewhere/again.mp3", titled(1, "A, retagged", "X", "Z"))
	if report := h.run(scan.Options{}); report.Restored != 1 || report.Added != 0 {
		t.Errorf("%+v", report)
	}
	if got, want := entries(), a+" true "+b+" true "; got != want {
		t.Errorf("after its return: %s, want %s", got, want)
	}
}

func TestChainsAndSwapsOfNames(t *testing.T) {
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
	if after["b.mp3"] != before["a.mp3"] || after["c.mp3"] != before["b.mp3"] || after["d.mp3"] != before["c.mp3"] || len(after) != 3 || report.Missing != 0 {
		t.Errorf("a chain of renames: before %v, after %v, %+v", before, after, report)
	}
	h.rename("b.mp3", "tmp.mp3")
	h.rename("c.mp3", "b.mp3")
	h.rename("tmp.mp3", "c.mp3")
	h.run(scan.Options{})
	if swapped := h.songs(); swapped["b.mp3"] != after["c.mp3"] || swapped["c.mp3"] != after["b.mp3"] {
		t.Errorf("two names swapped: before %v, after %v", after, swapped)
	}
}

func TestBetterEncodingInTheSamePlaceIsTheSameSong(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.run(scan.Options{})
	before := h.songs()["a.mp3"]
	h.write("a.mp3", append(titled(99, "A", "X", "Y"), make([]byte, 417)...))
	if report := h.run(scan.Options{}); report.Changed != 1 || h.songs()["a.mp3"] != before {
		t.Errorf("%+v: %v", report, h.songs())
	}
	// Moved and encoded anew in one go: the tags tell.
	h.remove("a.mp3")
	h.write("new/a.mp3", titled(77, "A", "X", "Y"))
	if report := h.run(scan.Options{}); report.Moved != 1 || h.songs()["new/a.mp3"] != before {
		t.Errorf("%+v: %v", report, h.songs())
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	h := newFixture(t)
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("bad.mp3", []byte("nothing"))
	if report := h.run(scan.Options{DryRun: true}); report.Added != 1 || report.Problems != 1 || len(h.songs()) != 0 {
		t.Errorf("%+v, songs %v", report, h.songs())
	}
	h.run(scan.Options{})
	h.rename("a.mp3", "b.mp3")
	if report := h.run(scan.Options{DryRun: true}); report.Moved != 1 || h.songs()["a.mp3"] == "" {
		t.Errorf("%+v, songs %v", report, h.songs())
	}
}
