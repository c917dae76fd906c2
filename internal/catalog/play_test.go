package catalog_test

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

func TestPlayCountsOncePerHalfHour(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(2)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		noon := time.Now().Add(-24 * time.Hour)
		for i, p := range []struct {
			song    string
			who     catalog.Viewer
			at      time.Duration
			once    string
			counted bool
			kind    fault.Kind
		}{
			{ids[0], ann, 0, "k1", true, 255},
			{ids[0], ann, 0, "k1", true, 255}, // sent again: same reply
			{ids[1], ann, 0, "k1", false, fault.Conflict},
			{ids[0], bob, 0, "k1", true, 255}, // keys of listeners are independent
			{ids[0], ann, 29 * time.Minute, "k2", false, 255},
			{ids[0], ann, 29 * time.Minute, "k2", false, 255},
			{ids[0], ann, -29 * time.Minute, "", false, 255}, // reported late
			{ids[0], ann, 30 * time.Minute, "", true, 255},
			{ids[1], ann, 0, "k3", true, 255},
			{"so_0000000000000000000000", ann, 0, "k4", false, fault.NotFound},
			{"'; DROP TABLE songs", ann, 0, "k5", false, fault.NotFound},
		} {
			counted, err := s.RecordPlay(ctx, catalog.Play{SongID: p.song, Listener: p.who, PlayedAt: noon.Add(p.at),
				Idempotency: p.once})
			if counted != p.counted || kind(err) != p.kind {
				t.Errorf("play %d: got counted %v, error %v; want %v, kind %d", i, counted, err, p.counted, p.kind)
			}
		}
		if a, _ := s.Song(ctx, ids[0]); a.PlayCount != 3 {
			t.Errorf("play count of the song: got %d, want 3", a.PlayCount)
		}
		if a, _ := s.Artist(ctx, "the-examples"); a.PlayCount != 4 {
			t.Errorf("play count of the artist: got %d, want 4", a.PlayCount)
		}
	})
}

// TestTrendingMatchesExactArithmetic compares the order with one computed from all plays in 400-bit
// numbers.
func TestTrendingMatchesExactArithmetic(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ann := createUser(t, s, "Ann").Viewer()
		next := 0
		rapid.Check(t, func(r *rapid.T) {
			tags := songs(6)
			for i := range tags {
				next++
				tags[i] = song(next)
			}
			ids := ingest(t, s, tags...)
			weight := make(map[string]*big.Float)
			for range rapid.IntRange(0, 12).Draw(r, "plays") {
				id := rapid.SampledFrom(ids).Draw(r, "song")
				ago := time.Duration(rapid.Int64Range(0, int64(20*365*24*time.Hour)).Draw(r, "ago")).Truncate(time.Hour)
				at := time.Now().Add(-ago)
				counted, err := s.RecordPlay(ctx, catalog.Play{SongID: id, Listener: ann, PlayedAt: at})
				if err != nil {
					r.Fatal(err)
				}
				if !counted {
					continue
				}
				if weight[id] == nil {
					weight[id] = new(big.Float).SetPrec(400)
				}
				weight[id].Add(weight[id], exp2(float64(at.UnixMilli())/float64((72*time.Hour).Milliseconds())))
			}
			trending, err := s.Trending(ctx, 100)
			if err != nil {
				r.Fatal(err)
			}
			var got []string
			for _, song := range trending {
				if weight[song.ID] != nil {
					got = append(got, song.ID)
				}
			}
			want := slices.Clone(got)
			slices.SortStableFunc(want, func(a, b string) int { return weight[b].Cmp(weight[a]) })
			if !slices.Equal(got, want) {
				r.Fatalf("order of played songs:\n got %v\nwant %v", got, want)
			}
			if len(trending) < 100 && len(got) != len(weight) {
				r.Fatalf("played songs in trending: got %d, want %d", len(got), len(weight))
			}
			// Remove the played songs of this round.
			var refs []catalog.FileRef
			for _, tag := range tags {
				refs = append(refs, tag.File.FileRef)
			}
			if err := s.MarkMissing(ctx, refs); err != nil {
				r.Fatal(err)
			}
		})
	})
}

// exp2 returns 2^x with the precision of a millisecond.
func exp2(x float64) *big.Float {
	whole := int(x)
	fraction := x - float64(whole)
	term, sum := big.NewFloat(1).SetPrec(400), big.NewFloat(1).SetPrec(400)
	const digits = "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687"
	ln2, _ := new(big.Float).SetPrec(400).SetString(digits)
	z := new(big.Float).SetPrec(400).Mul(ln2, big.NewFloat(fraction))
	for i := 1; i < 80; i++ {
		term.Mul(term, z).Quo(term, big.NewFloat(float64(i)))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, whole)
}

func TestTrendingIsFilledWithNewestSongs(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		old := ingest(t, s, songs(5)...)
		late := song(6)
		newest := ingest(t, s, late)[0]
		ann := createUser(t, s, "Ann").Viewer()
		if _, err := s.RecordPlay(ctx, catalog.Play{SongID: old[2], Listener: ann, PlayedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Trending(ctx, 3)
		if err != nil || len(got) != 3 || got[0].ID != old[2] || got[1].ID != newest {
			t.Errorf("trending: got %+v, error %v; want the played song, then the newest", got, err)
		}
		if err := s.MarkMissing(ctx, []catalog.FileRef{song(3).File.FileRef, late.File.FileRef}); err != nil {
			t.Fatal(err)
		}
		if got, err = s.Trending(ctx, 100); err != nil || len(got) != 4 {
			t.Errorf("trending without unavailable songs: got %d, error %v; want 4", len(got), err)
		}
	})
}

func TestPlaysAreAddedToOwnCountsWhenTheyAreRead(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		ids := ingest(t, s, songs(2)...)
		ann, bob := createUser(t, s, "Ann").Viewer(), createUser(t, s, "Bob").Viewer()
		waiting := func() (n int) {
			if err := catalog.Reader(s).QueryRow(`SELECT count(*) FROM new_plays`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		hear(t, s, ann, ids[0], time.Now().Add(-48*time.Hour), 3)
		if n := waiting(); n == 0 {
			t.Error("plays that wait for a reader: got 0, want some")
		}
		before := s.View()
		for range 2 {
			if got, err := s.PersonalOf(ctx, ann, ids[0]); err != nil || got.PlayCount != 3 {
				t.Errorf("own plays: got %d, error %v; want 3", got.PlayCount, err)
			}
		}
		if n := waiting(); n != 0 {
			t.Errorf("plays that wait after a reader: got %d, want 0", n)
		}
		if got := s.View().PersonalVersion(ann); got != before.PersonalVersion(ann) {
			t.Errorf("version after reading: got %d, want %d", got, before.PersonalVersion(ann))
		}
		hear(t, s, ann, ids[1], time.Now().Add(-48*time.Hour), 1)
		hear(t, s, bob, ids[1], time.Now().Add(-48*time.Hour), 1)
		if err := s.ForgetPlays(ctx, ann); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[catalog.Viewer]int64{ann: 0, bob: 1} {
			if got, err := s.PersonalOf(ctx, who, ids[1]); err != nil || got.PlayCount != want {
				t.Errorf("own plays after Ann deleted her history: got %d, error %v; want %d", got.PlayCount, err, want)
			}
		}
	})
}
