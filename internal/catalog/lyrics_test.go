package catalog_test

import (
	"reflect"
	"strings"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/lyrics"
)

func TestLyricsAreStoredWithTheSong(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		inTag := []lyrics.Text{
			{Source: lyrics.SYLT, Lang: "eng", Text: "[00:01.00]One\n"},
			{Source: lyrics.Tag, Text: strings.Repeat("Zeile 行 <&>\n", 500)},
		}
		beside := []lyrics.Text{{Source: lyrics.LRCFile, Text: "[00:02.00]Beside"}}
		batch := songs(120)
		for i := range batch {
			if i%2 == 0 {
				batch[i].Lyrics = inTag
			}
		}
		batch[1].LyricFiles = beside
		ids := ingest(t, s, batch...)
		want := func(when string, song int, texts ...lyrics.Text) {
			t.Helper()
			got, err := s.Lyrics(t.Context(), ids[song])
			if err != nil || len(got)+len(texts) > 0 && !reflect.DeepEqual(got, texts) {
				t.Errorf("%s, song %d: got %.200v, %v; want %.200v", when, song, got, err, texts)
			}
		}
		want("after the scan", 0, inTag...)
		want("after the scan", 1, beside...)
		want("after the scan", 3)

		before := s.View().Revision
		err := s.PutLyricFiles(t.Context(), []catalog.LyricFiles{
			{SongID: ids[0], Texts: beside}, {SongID: ids[1]}, {SongID: ids[3], Texts: beside},
			{SongID: "so_0000000000000000000000", Texts: beside},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.FinishScan(t.Context()); err != nil {
			t.Fatal(err)
		}
		want("after a change of files", 0, append(inTag[:2:2], beside...)...)
		want("after a change of files", 1)
		want("after a change of files", 3, beside...)
		if after := s.View().Revision; after == before {
			t.Errorf("revision %d is unchanged, want a new one", after)
		}

		again := batch[0]
		again.ID, again.Lyrics, again.LyricFiles = ids[0], nil, nil
		ingest(t, s, again)
		want("after the tags were removed", 0)

		for _, id := range []string{"so_0000000000000000000000", "x", ""} {
			_, err := s.Lyrics(t.Context(), id)
			if kind, _ := fault.Of(err); kind != fault.NotFound {
				t.Errorf("lyrics of %q: got %v, want a NotFound fault", id, err)
			}
		}
	})
}
