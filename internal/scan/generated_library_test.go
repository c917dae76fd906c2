package scan_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"waxwing/bench/genlib/library"
	"waxwing/internal/scan"
	"waxwing/internal/testenv"
)

func TestCatalogHoldsTheTagsOfAGeneratedLibrary(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	files := 120
	if os.Getenv("WAXWING_LONG") != "" {
		files = 5000
	}
	dir := t.TempDir()
	songs, err := library.Generate(t.Context(), library.Config{
		Dir: dir, Files: files, Seed: 7, Length: 1500 * time.Millisecond, Sounds: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := newFixtureWith(t, dir)
	report := h.run(scan.Options{})
	if report.Added != files || report.Problems != 0 {
		t.Fatalf("got %+v, want %d added", report, files)
	}
	ids := h.songs()
	albums := map[string]string{}
	for _, want := range songs {
		id := ids[want.Path]
		got := h.facts(id)
		song, err := h.store.Song(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var artists []string
		for _, a := range got.Artists {
			artists = append(artists, a.Name)
		}
		for _, c := range []struct {
			field     string
			got, want any
		}{
			{"title", got.Title, want.Title},
			{"artist", value(got.Artist), strings.Join(want.Artists, ", ")},
			{"artists", strings.Join(artists, "|"), strings.Join(want.Artists, "|")},
			{"album", value(got.Album), want.Album},
			{"track", value(got.TrackNumber), want.Track},
			{"disc", value(got.DiscNumber), want.Disc},
			{"year", value(got.Year), want.Year},
			{"genre", value(got.Genre), want.Genre},
			{"explicit known", got.Explicit != nil, want.Explicit != nil},
			{"explicit", value(got.Explicit), value(want.Explicit)},
			{"format", song.Format, want.Format},
			{"available", song.Available, true},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s = %v, want %v", want.Path, c.field, c.got, c.want)
			}
		}
		tolerance := int64(1) // ms
		if want.Format == "aac" || want.Format == "mp3" {
			tolerance = 60
		}
		if d := got.Duration - 1500; d < -tolerance || d > tolerance {
			t.Errorf("%s: duration = %d ms, want 1500", want.Path, got.Duration)
		}
		if id := value(got.AlbumID); albums[want.Album] == "" {
			albums[want.Album] = id
		} else if albums[want.Album] != id {
			t.Errorf("%s: album %q has two ids", want.Path, want.Album)
		}
		cover, err := h.store.Cover(t.Context(), song.Cover)
		if err != nil {
			t.Fatal(err)
		}
		if drawn := cover.Source == "generated"; drawn != (!want.Embedded && !want.FolderCover) {
			t.Errorf("%s: cover source = %q, embedded %v, in folder %v",
				want.Path, cover.Source, want.Embedded, want.FolderCover)
		}
		src, err := h.scan.FindPicture(t.Context(), song.Cover)
		if err != nil || (src.Bytes == nil) != (cover.Source == "generated") {
			t.Errorf("%s: FindPicture returned %d bytes, %v", want.Path, len(src.Bytes), err)
		}
	}
	byID := map[string]string{}
	for title, id := range albums {
		if byID[id] != "" {
			t.Errorf("albums %q and %q have the same id", title, byID[id])
		}
		byID[id] = title
	}
	if report = h.run(scan.Options{}); report.Unchanged != files || changes(report) != 0 {
		t.Errorf("second scan: got %+v, want no change", report)
	}
	if report = h.run(scan.Options{Full: true}); report.Unchanged != files || changes(report) != 0 {
		t.Errorf("full scan: got %+v, want no change", report)
	}
	for path, id := range h.songs() {
		if ids[path] != id {
			t.Errorf("%s: id = %s after a full scan, want %s", path, id, ids[path])
		}
	}
}
