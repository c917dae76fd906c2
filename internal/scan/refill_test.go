package scan_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
)

// TestNextScanCompletesSongsOfAnOlderRelease checks that files are read once more, and that ids,
// times, covers and the report stay as they were.
func TestNextScanCompletesSongsOfAnOlderRelease(t *testing.T) {
	ctx, dir, db := t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "catalog.db")
	store, err := catalog.Open(ctx, catalog.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	h := &fixture{t, dir, store, scan.New(store, folders(t, []string{dir}), nil, nil)}
	h.write("a/1.mp3", mp3(1, map[string]string{"TIT2": "One", "TPE1": "The A", "TALB": "B",
		"TDRC": "1999-05-06", "TCOM": "Ada",
		"TCON": "Rock\x00Jazz", "TXXX": "MusicBrainz Release Track Id\x000f9a1d54-3b0f-4d4d-9e0f-2f5a3c1b7d66"}))
	h.write("a/2.mp3", mp3(2, map[string]string{"TIT2": "Two", "TPE1": "The A", "TALB": "B", "TCON": "Jazz;Folk",
		"USLT": "engd\x00in the tag"}))
	h.write("a/cover.png", pngFile(t, 8))
	h.run(scan.Options{})
	songs := h.songs()
	read := func() (all []any) {
		for _, path := range []string{"a/1.mp3", "a/2.mp3"} {
			song, err := store.Song(ctx, songs[path])
			if err != nil {
				t.Fatal(err)
			}
			info, err := store.SongFileInfo(ctx, songs[path])
			if err != nil {
				t.Fatal(err)
			}
			texts, err := store.Lyrics(ctx, songs[path])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, song, info, texts)
		}
		genres, _, err := store.Genres(ctx, catalog.Page{Number: 1, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		titles, _, err := store.ListSongs(ctx, catalog.SongQuery{Sort: "title"}, catalog.Page{Number: 1, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		return append(all, genres, titles)
	}
	want := read()
	if info := want[1].(catalog.SongFileInfo); !slices.Equal(info.Genres, []string{"Rock", "Jazz"}) ||
		info.SampleRate != 44100 || info.Channels != 2 || info.MusicBrainz.Track != "0f9a1d54-3b0f-4d4d-9e0f-2f5a3c1b7d66" ||
		info.Released != "1999-05-06" || !slices.Equal(info.Composers, []string{"Ada"}) {
		t.Fatalf("got %+v, want two genres, 44100 Hz, 2 channels, the id of the track, its date and composer", info)
	}

	raw, err := catalog.OpenRaw(ctx, catalog.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, statement := range []string{ // what an older release left
		`UPDATE songs SET title_sort = '', artist_sort = '', album_sort = '', year = 0, tag_version = 0,
			sample_rate = NULL, channels = NULL, mb_track = NULL, released = NULL, composers = NULL,
			mb_album_artists = NULL`,
		`DELETE FROM genres`, `DELETE FROM song_genres`, `DELETE FROM album_genres`,
		`DELETE FROM lyrics`,
		`DELETE FROM settings WHERE name = 'sort_keys'`,
	} {
		if _, err := raw.Write.ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	report := h.run(scan.Options{})
	if changes(report) != 0 || report.Unchanged != 2 {
		t.Errorf("got %+v, want no change", report)
	}
	if got := read(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	left, err := store.OutdatedFiles(ctx, dir, catalog.OutdatedFile{})
	if err != nil || len(left) > 0 {
		t.Errorf("outdated files after the scan: got %v, error %v; want none", left, err)
	}
}
