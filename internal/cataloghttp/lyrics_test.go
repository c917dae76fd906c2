package cataloghttp_test

import (
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/lyrics"
)

func TestLyricsOfASong(t *testing.T) {
	onBoth(t, 1, func(t *testing.T, h *fixture) {
		ids, err := h.store.IngestSongs(t.Context(), []catalog.ScannedSong{{
			File:  catalog.File{FileRef: catalog.FileRef{Root: h.music, Path: "sung.flac"}, Size: 1, ModTime: time.Now()},
			Title: "Sung", Duration: time.Minute, Format: "flac",
			Lyrics: []lyrics.Text{{Source: lyrics.Tag, Lang: "deu", Text: "Erste <Zeile>\n\nZweite"}},
			LyricFiles: []lyrics.Text{
				{Source: lyrics.LRCFile, Text: "[offset:-20]\n[00:01.5]<00:01.50>One <00:02.00>two\n[00:03]"},
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/songs/" + ids[0] + "/lyrics"
		const want = `{"lyrics":[{"lang":null,"synced":true,"offset":-20,"lines":[` +
			`{"start":1500,"text":"One two","words":[{"start":1500,"text":"One "},{"start":2000,"text":"two"}]},` +
			`{"start":3000,"text":""}]},` +
			`{"lang":"deu","synced":false,"offset":0,"lines":[{"start":null,"text":"Erste <Zeile>"},` +
			`{"start":null,"text":""},{"start":null,"text":"Zweite"}]}]}` + "\n"
		for range 3 { // the second is stored in the cache, the third comes from there
			got := h.get(t, path).is(t, 200, nil)
			if got.body != want {
				t.Errorf("got  %s\nwant %s", got.body, want)
			}
			h.get(t, path, "If-None-Match", got.header.Get("ETag")).is(t, 304, nil)
		}
		if got := h.get(t, "/api/songs/"+h.ids[0]+"/lyrics").is(t, 200, nil); got.body != `{"lyrics":[]}`+"\n" {
			t.Errorf("a song without lyrics: got %s, want an empty list", got.body)
		}
		before := h.get(t, path).header.Get("ETag")
		if err := h.store.PutLyricFiles(t.Context(), []catalog.LyricFiles{{SongID: ids[0]}}); err != nil {
			t.Fatal(err)
		}
		if err := h.store.FinishScan(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := h.get(t, path, "If-None-Match", before).is(t, 200, nil)
		if got.body == want {
			t.Errorf("after the file was removed: got %s, want the text of the tag alone", got.body)
		}
		h.get(t, "/api/songs/so_0000000000000000000000/lyrics").is(t, 404, nil)
	})
}
