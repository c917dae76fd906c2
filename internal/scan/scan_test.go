package scan_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
	"waxwing/internal/scan"
)

func pngFile(t testing.TB, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (h *fixture) cover(path string) catalog.Cover {
	h.t.Helper()
	song, err := h.store.Song(h.t.Context(), h.songs()[path])
	if err != nil {
		h.t.Fatal(path, err)
	}
	cover, err := h.store.Cover(h.t.Context(), song.Cover)
	if err != nil {
		h.t.Fatal(err)
	}
	return cover
}

func TestFolderImageIsAddedReplacedAndRemoved(t *testing.T) {
	h := newFixture(t)
	h.write("Album/a.mp3", titled(1, "A", "X", "Album"))
	h.write("Album/b.mp3", titled(2, "B", "X", "Album"))
	h.run(scan.Options{})
	if c := h.cover("Album/a.mp3"); c.Source != catalog.CoverGenerated {
		t.Errorf("without an image: got %+v, want a generated cover", c)
	}
	h.write("Album/Folder.PNG", pngFile(t, 10))
	h.run(scan.Options{})
	first := h.cover("Album/b.mp3")
	if first.Source != catalog.CoverInFile || first.File.Path != "Album/Folder.PNG" {
		t.Errorf("image added: got %+v, want Folder.PNG", first)
	}
	h.write("Album/cover.png", pngFile(t, 20))
	h.run(scan.Options{})
	if c := h.cover("Album/a.mp3"); c.File.Path != "Album/cover.png" || c.Hash == first.Hash {
		t.Errorf("better image added: got %+v, want cover.png", c)
	}
	if report := h.run(scan.Options{}); report.Unchanged != 2 {
		t.Errorf("got %+v, want 2 unchanged", report)
	}
	h.write("Album/cover.png", []byte("<svg onload=alert(1)>"))
	h.run(scan.Options{})
	if _, err := h.scan.FindPicture(t.Context(), h.cover("Album/a.mp3").Hash); err == nil {
		t.Error("FindPicture returned a file that is no longer an image")
	} else if kind, _ := fault.Of(err); kind != fault.NotFound {
		t.Errorf("FindPicture returned %v, want a NotFound fault", err)
	}
}

func TestEmbeddedPictureSurvivesRemovalAndRename(t *testing.T) {
	h := newFixture(t)
	frames := func(title string) map[string]string {
		return map[string]string{
			"TIT2": title, "TPE1": "X", "TALB": "Y", "APIC": "image/png\x00\x03\x00" + string(pngFile(t, 40)),
		}
	}
	h.write("a/1.mp3", mp3(1, frames("One")))
	h.write("a/2.mp3", mp3(2, frames("Two")))
	h.run(scan.Options{})
	cover := h.cover("a/1.mp3")
	if cover.Source != catalog.CoverInAudio || cover.Hash != h.cover("a/2.mp3").Hash {
		t.Fatalf("got covers %+v and %+v, want the same embedded one", cover, h.cover("a/2.mp3"))
	}
	find := func(when string) {
		t.Helper()
		src, err := h.scan.FindPicture(t.Context(), cover.Hash)
		if err != nil || !bytes.Equal(src.Bytes, pngFile(t, 40)) {
			t.Errorf("%s: got %d bytes, %v; want the picture", when, len(src.Bytes), err)
		}
	}
	find("after the scan")
	h.remove(cover.File.Path)
	find("after its file was removed")
	h.run(scan.Options{})
	h.rename("a", "b")
	h.run(scan.Options{})
	find("after the folder was renamed")
}

func TestDiscFoldersAreOneAlbum(t *testing.T) {
	h := newFixture(t)
	h.write("Opera/cover.png", pngFile(t, 30))
	for disc := 1; disc <= 2; disc++ {
		for track := 1; track <= 3; track++ {
			frames := map[string]string{"TIT2": "T", "TPE1": "X", "TALB": "Opera", "TRCK": fmt.Sprint(track)}
			h.write(fmt.Sprintf("Opera/CD%d/%d.mp3", disc, track), mp3(uint64(disc*10+track), frames))
		}
	}
	h.run(scan.Options{})
	albums, total, err := h.store.Albums(t.Context(), catalog.Page{Number: 1, Limit: 10})
	if err != nil || total != 1 {
		t.Fatalf("got %d albums %+v, %v; want 1", total, albums, err)
	}
	for path, id := range h.songs() {
		facts := h.facts(id)
		if want := int(path[len("Opera/CD")] - '0'); value(facts.DiscNumber) != want {
			t.Errorf("%s: disc = %d, want %d", path, value(facts.DiscNumber), want)
		}
		if h.cover(path).File.Path != "Opera/cover.png" {
			t.Errorf("%s: cover = %+v, want Opera/cover.png", path, h.cover(path))
		}
	}
}

func TestFolderOfManyArtistsIsOneCompilation(t *testing.T) {
	h := newFixture(t)
	h.write("Mix/1.mp3", titled(1, "One", "First Artist", "Mix"))
	h.run(scan.Options{})
	alone := value(h.facts(h.songs()["Mix/1.mp3"]).AlbumID)
	h.write("Mix/2.mp3", titled(2, "Two", "Second Artist", "Mix"))
	h.write("Mix/3.mp3", titled(3, "Three", "Third Artist", "Mix"))
	h.run(scan.Options{})
	albums := map[string]int{}
	for _, id := range h.songs() {
		albums[value(h.facts(id).AlbumID)]++
	}
	if len(albums) != 1 || albums[alone] != 0 {
		t.Errorf("got albums %v, want one, other than %s", albums, alone)
	}
	all, _, err := h.store.Albums(t.Context(), catalog.Page{Number: 1, Limit: 10})
	if err != nil || len(all) != 1 || all[0].Artist != "Various Artists" {
		t.Errorf("got %+v, %v; want one album of Various Artists", all, err)
	}
}

func TestVariousArtistsIsNotAnArtist(t *testing.T) {
	h := newFixture(t)
	for i, artist := range []string{"First Artist", "Second Artist"} {
		frames := map[string]string{"TIT2": "T", "TPE1": artist, "TPE2": "Various Artists", "TALB": "Mix"}
		h.write(fmt.Sprintf("Mix/CD%d/1.mp3", i+1), mp3(uint64(i), frames))
	}
	h.run(scan.Options{})
	albums, total, err := h.store.Albums(t.Context(), catalog.Page{Number: 1, Limit: 10})
	if err != nil || total != 1 || albums[0].Artist != "Various Artists" || len(albums[0].Artists) != 0 {
		t.Errorf("got %+v, %v; want one album of Various Artists without artists", albums, err)
	}
	artists, _, err := h.store.Artists(t.Context(), catalog.Page{Number: 1, Limit: 10})
	if err != nil || len(artists) != 2 {
		t.Errorf("got artists %+v, %v; want 2", artists, err)
	}
}

func TestArtistsOfOneNameAreDistinguishedByMusicBrainz(t *testing.T) {
	h := newFixture(t)
	for i, id := range []string{"aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002"} {
		frames := map[string]string{"TIT2": "T", "TPE1": "Nirvana", "TXXX": "MusicBrainz Artist Id\x00" + id}
		h.write(fmt.Sprintf("%d.mp3", i), mp3(uint64(i), frames))
	}
	h.run(scan.Options{})
	ids := h.songs()
	a, b := h.facts(ids["0.mp3"]), h.facts(ids["1.mp3"])
	if value(a.ArtistID) == value(b.ArtistID) || value(a.Artist) != "Nirvana" || value(b.Artist) != "Nirvana" {
		t.Errorf("got %+v and %+v, want two artists named Nirvana", a, b)
	}
}

func TestEmbeddedRootIsScannedAndOpened(t *testing.T) {
	h := newFixture(t)
	h.scan = scan.New(h.store, []library.Root{library.NewEmbedded("demo", fstest.MapFS{
		"Artist/Album/01 Tune.mp3": {Data: titled(1, "Tune", "Artist", "Album")},
		"Artist/Album/cover.png":   {Data: pngFile(t, 12)},
		"Artist/Album/notes.txt":   {Data: []byte("no music")},
	})}, nil, nil)
	if report := h.run(scan.Options{}); report.Added != 1 {
		t.Fatalf("got %+v, want 1 added", report)
	}
	if report := h.run(scan.Options{}); report.Unchanged != 1 {
		t.Errorf("got %+v, want 1 unchanged", report)
	}
	songs, _, err := h.store.Songs(t.Context(), catalog.Page{Number: 1, Limit: 10})
	if err != nil || len(songs) != 1 {
		t.Fatal(songs, err)
	}
	track, err := h.open(songs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	defer track.Close()
	if _, err := track.Seek(10, 0); err != nil || track.Size == 0 {
		t.Errorf("seek in %+v: %v", track, err)
	}
	if src, err := h.scan.FindPicture(t.Context(), songs[0].Cover); err != nil || len(src.Bytes) == 0 {
		t.Error(err)
	}
}

func TestUnreadableFilesAreReportedOnce(t *testing.T) {
	h := newFixture(t)
	h.write("good.mp3", titled(1, "A", "X", "Y"))
	h.write("empty.mp3", nil)
	h.write("text.flac", []byte("this is no music"))
	h.write("cut.flac", []byte("fLaC\x00\x00\x00\x22"))
	if os.Geteuid() != 0 {
		h.write("locked.mp3", titled(2, "B", "X", "Y"))
		if err := os.Chmod(h.path("locked.mp3"), 0); err != nil {
			t.Fatal(err)
		}
	}
	report := h.run(scan.Options{})
	problems, err := h.store.Problems(t.Context())
	if err != nil || report.Added != 1 || len(problems) != report.Problems || report.Problems < 3 {
		t.Fatalf("got %+v, problems %+v, %v; want 1 added and at least 3 problems", report, problems, err)
	}
	for _, p := range problems {
		if p.Sentence == "" || strings.ContainsAny(p.Sentence, "\n\r") {
			t.Errorf("%s: problem = %q, want one line", p.File.Path, p.Sentence)
		}
	}
	if again := h.run(scan.Options{}); again.Problems != 0 || again.Unchanged != report.Files {
		t.Errorf("second scan: got %+v, want no file read again", again)
	}
	h.write("empty.mp3", titled(3, "C", "X", "Y"))
	if repaired := h.run(scan.Options{}); repaired.Added != 1 {
		t.Errorf("repaired file: got %+v, want 1 added", repaired)
	}
	if problems, err = h.store.Problems(t.Context()); err != nil || len(problems) != report.Problems-1 {
		t.Errorf("got problems %+v, %v; want one less", problems, err)
	}
}

func TestScanContinuesAfterACancelledOne(t *testing.T) {
	h := newFixture(t)
	const files = 700
	for i := range files {
		song := titled(uint64(i), fmt.Sprint("T", i), "X", fmt.Sprint("Album ", i/20))
		h.write(fmt.Sprintf("%d/%d.mp3", i/20, i), song)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := h.scan.Scan(ctx, scan.Options{})
		done <- err
	}()
	for deadline := time.Now().Add(20 * time.Second); len(h.songs()) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	err := <-done
	before := h.songs()
	if len(before) == 0 {
		t.Fatal("the cancelled scan wrote nothing")
	}
	if err == nil && len(before) != files {
		t.Fatalf("the cancelled scan returned no error after %d files", len(before))
	}
	report := h.run(scan.Options{})
	after := h.songs()
	if len(after) != files || report.Missing != 0 || report.Added != files-len(before) {
		t.Errorf("got %d songs after %d, want %d; %+v", len(after), len(before), files, report)
	}
	for path, id := range before {
		if after[path] != id {
			t.Errorf("%s: id = %s, want %s", path, after[path], id)
		}
	}
	if p := h.scan.Progress(); p.Phase != scan.Done || p.Running() || p.Rate <= 0 {
		t.Errorf("got progress %+v, want a finished scan with a rate", p)
	}
}

func TestRunScansAfterChanges(t *testing.T) {
	h := newFixture(t)
	h.write("a/a.mp3", titled(1, "A", "X", "Y"))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.scan.Run(ctx, scan.Schedule{Watch: true, Debounce: 20 * time.Millisecond}) }()
	until := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(15 * time.Second); !ok(); {
			if time.Now().After(deadline) {
				t.Fatalf("%s: songs %v", what, h.songs())
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	until("first scan", func() bool { return h.scan.Progress().Phase == scan.Done && len(h.songs()) == 1 })
	h.write("a/touch.txt.mp3", titled(100, "B", "X", "Y"))
	until("new file", func() bool { return len(h.songs()) == 2 })
	h.write("new/deep/c.mp3", titled(3, "C", "X", "Y"))
	until("file in new folders", func() bool { return len(h.songs()) == 3 })
	h.remove("a/a.mp3")
	until("deleted file", func() bool { return len(h.songs()) == 2 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRunScansOnSchedule(t *testing.T) {
	h := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.scan.Run(ctx, scan.Schedule{Every: 10 * time.Millisecond}) }()
	h.write("late.mp3", titled(1, "A", "X", "Y"))
	for deadline := time.Now().Add(15 * time.Second); len(h.songs()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no scheduled scan within 15 s")
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
