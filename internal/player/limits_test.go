package player

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"waxwing/api/catalogapi"
)

func TestClipReturnsValidTextWithinTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "text"))
		n := rapid.IntRange(0, 40).Draw(t, "limit")
		got := clip(s, n)
		if len(got) > n || !utf8.ValidString(got) || strings.IndexFunc(got, unicode.IsControl) >= 0 {
			t.Fatalf("clip(%q, %d) = %q: want valid text of at most %d bytes", s, n, got, n)
		}
		if again := clip(got, n); again != got {
			t.Fatalf("clip(%q, %d) = %q, and then %q: want the same", s, n, got, again)
		}
	})
}

func TestTrackOfACatalogIsBounded(t *testing.T) {
	long := strings.Repeat("ß", 100_000)
	got, ok := Track{ID: "so_1", Title: long, Artist: long, Album: long, AlbumID: long, CoverURL: long, ThumbnailURL: long,
		Credits: strings.Repeat(long+"\n", 50), Duration: -time.Hour}.Bounded()
	if size := textSize([]Track{got}); !ok || size > 3*maxText+maxCredits || got.Title == "" || got.Duration != 0 {
		t.Errorf("got %v and %d bytes, duration %v; want at most %d and 0", ok, size, got.Duration, 3*maxText+maxCredits)
	}
	if got.CoverURL != "" || got.AlbumID != "" {
		t.Errorf("got a part of an id or a URL: %.20q, %.20q; want none", got.AlbumID, got.CoverURL)
	}
	if got, ok := (Track{ID: "so_1", Duration: maxDuration + 1}).Bounded(); !ok || got.Duration != 0 {
		t.Errorf("got %v and %v, want an unknown duration", ok, got.Duration)
	}
	plain := Track{ID: "so_1", Title: "Ça", Artist: "a", Credits: "a\nb", CoverURL: "http://x/y", Duration: time.Minute}
	if got, ok := plain.Bounded(); !ok || got != plain {
		t.Errorf("got %+v, want it unchanged", got)
	}
	for _, id := range []string{"", long, "a\x00", "\xff"} {
		if _, ok := (Track{ID: id}).Bounded(); ok {
			t.Errorf("a track with the id %.10q was accepted", id)
		}
	}
}

// TestOversizedJournalIsReplaced: a version without limits may have written gigabytes.
func TestOversizedJournalIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, maxJournal+1); err != nil {
		t.Fatal(err)
	}
	if r, err := readJournal(path); r != nil || err != nil {
		t.Errorf("got %v, %v; want no state", r, err)
	}
	long := []Track{{ID: "t1", Title: strings.Repeat("<", 100_000)}}
	line, err := formatLine(record{Tracks: &long, Order: &[]int{0}, Repeat: RepeatOff})
	if err != nil || len(line) > 101_000 {
		t.Fatalf("got a line of %d bytes, %v; want about one for each byte of the title", len(line), err)
	}
	if err := os.WriteFile(path, line, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := readJournal(path)
	if err != nil || r == nil || len((*r.Tracks)[0].Title) != maxText {
		t.Errorf("got %v, %v; want a title of %d bytes", r != nil, err, maxText)
	}
}

func TestQueueOfLongNamesIsRefused(t *testing.T) {
	tracks := make([]Track, maxQueue)
	for i := range tracks {
		tracks[i] = Track{ID: "so_1", Title: strings.Repeat("x", maxText), Credits: strings.Repeat("y", maxCredits)}
	}
	if fits(tracks) == nil {
		t.Errorf("a queue with %d MB of text was accepted, want at most %d", textSize(tracks)>>20, maxQueueText>>20)
	}
	if err := fits(tracks[:100]); err != nil {
		t.Error(err)
	}
}

func TestFalsePeakDoesNotRaiseTheGainWithoutLimit(t *testing.T) {
	gain, peak := 1e300, 1e-300
	if got := GainTrack.factor(catalogapi.Gain{TrackGain: &gain, TrackPeak: &peak}, false); got > 355 {
		t.Errorf("got a factor of %v, want at most %d dB", got, maxGain)
	}
}
