package subsonic_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// An app that reads everything in parts while songs come, change and go gets every song that stays
// once, and ids do not change.
func TestSyncDuringAScanHasNoGapAndNoDuplicate(t *testing.T) {
	page := testenv.Size(50, 500, 500)
	size, inputs := page/50, 0
	onBoth(t, 300*size, func(t *testing.T, h *fixture) {
		read := func(kind string, between func(part int)) (ids []string) {
			for offset := 0; ; offset += page {
				values := []string{"query", `""`, "artistCount", "0", "albumCount", "0", "songCount", "0"}
				q := h.query("app", values...)
				q.Set(kind+"Count", strconv.Itoa(page))
				q.Set(kind+"Offset", strconv.Itoa(offset))
				q.Set("f", "json")
				got := ok(t, "search3", decodeJSON(t, "search3", h.send(t, "search3", q).body))
				part := texts(list(in(got, "searchResult3", kind), "id"))
				ids = append(ids, part...)
				if len(part) < page {
					return ids
				}
				between(offset / page)
			}
		}
		next := 300 * size
		var gone []string
		churn := func(part int) {
			h.add(t, next, 30*size)
			next += 30 * size
			if part > 8 {
				return // the list would grow for ever
			}
			var missing []catalog.FileRef
			for n := part * 25 * size; n < (part*25+12)*size; n++ {
				missing = append(missing, h.File(n).FileRef)
				gone = append(gone, h.ids[n])
			}
			if err := h.store.MarkMissing(t.Context(), missing); err != nil {
				t.Fatal(err)
			}
			at := 280*size + part
			changed := h.song(at)
			changed.ID, changed.Title = h.ids[at], "changed"
			if _, err := h.store.IngestSongs(t.Context(), []catalog.ScannedSong{changed}); err != nil {
				t.Fatal(err)
			}
			if err := h.store.FinishScan(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		before := slices.Clone(h.ids)
		stop := func(part int) {
			if part < 14 {
				churn(part)
			}
		}
		songs := read("song", stop)
		seen := map[string]int{}
		for _, id := range songs {
			seen[id]++
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("song %s: got it %d times, want once", id, n)
			}
		}
		holes := 0
		for _, id := range before {
			if seen[id] == 0 && !slices.Contains(gone, id) {
				holes++
			}
		}
		if holes > 0 {
			t.Errorf("songs that stayed: %d are missing in the sync", holes)
		}
		for _, kind := range []string{"album", "artist"} {
			ids := read(kind, func(int) {})
			if unique := slices.Compact(slices.Sorted(slices.Values(ids))); len(unique) != len(ids) || len(ids) == 0 {
				t.Errorf("%ss: got %d, %d different; want each once", kind, len(ids), len(unique))
			}
		}
		again := read("song", func(int) {})
		kept := slices.DeleteFunc(slices.Clone(songs), func(id string) bool { return slices.Contains(gone, id) })
		if len(again) < len(kept) || !reflect.DeepEqual(again[:len(kept)], kept) {
			t.Errorf("the next sync: got %d songs, want the same %d ids first", len(again), len(kept))
		}
		inputs += len(songs)
	})
	testenv.Report(t, testenv.Load, testenv.Tally{Inputs: inputs, Note: fmt.Sprintf(
		"songs that an app read by pages of %d while a scan added, changed and removed others: each once", page)})
}

// A long playlist is sent while it is read.
func TestLongPlaylistsAreStreamed(t *testing.T) {
	h := start(t, 1000)
	entries := testenv.Size(5_000, 20_000, 200_000)
	ids := make([]string, entries)
	for i := range ids {
		ids[i] = h.ids[i*7%len(h.ids)]
	}
	viewer := h.keys["app"].Viewer()
	p, err := h.store.CreatePlaylist(t.Context(), viewer, catalog.NewPlaylist{Name: "long", SongIDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	got := h.send(t, "getPlaylist", h.query("app", "id", p.ID, "f", "json"))
	if got.header.Get("Content-Length") != "" {
		t.Errorf("headers: got %v, want a reply without a length", got.header)
	}
	reply := ok(t, "getPlaylist", decodeJSON(t, "getPlaylist", got.body))
	read := texts(list(in(reply, "playlist", "entry"), "id"))
	if !slices.Equal(read, ids) {
		t.Errorf("entries: got %d, want %d in their order", len(read), len(ids))
	}
	t.Logf("%d entries, %d bytes in %s", entries, len(got.body), time.Since(begun))
	testenv.Report(t, testenv.Load, testenv.Tally{Inputs: entries, Note: testenv.TriedOf(entries, 200_000,
		"entries of a playlist streamed to an app")})
}
