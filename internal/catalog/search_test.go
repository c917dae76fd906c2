package catalog_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
)

// searchable ingests songs in several languages and returns their titles by id.
func searchable(t *testing.T, s *catalog.Store) map[string]string {
	t.Helper()
	var tags []catalog.ScannedSong
	for i, line := range []string{
		"Back in Black|AC/DC|Back in Black", "T.N.T.|AC/DC|High Voltage", "Take On Me|a-ha|Hunting High and Low",
		"Jóga|Björk|Homogenic",
		"Yesterday|The Beatles|Help!", "Hey Jude|The Beatles|1", "Don't Stop Me Now|Queen|Jazz", "Halo|Beyoncé|I Am...",
		"上を向いて歩こう|坂本九|九ちゃん",
		"사랑을 했다|iKON|Return", "Группа крови|Кино|Группа крови", "Smells Like Teen Spirit|Nirvana|Nevermind",
		"Bohemian Rhapsody|Queen|A Night at the Opera",
		"Lovely Day|Bill Withers|Menagerie", "Love Me Do|The Beatles|Please Please Me", "Straße|Rammstein|Straße",
		"Ænima|Tool|Ænima",
	} {
		part := strings.Split(line, "|")
		tag := song(i + 1)
		tag.Title, tag.Credits[0].Artist.Name = part[0], part[1]
		tag.Album = &catalog.AlbumTag{Title: part[2], Artists: []catalog.ArtistTag{{Name: part[1]}}}
		tags = append(tags, tag)
	}
	ids := ingest(t, s, tags...)
	titles := map[string]string{}
	for i, id := range ids {
		titles[id] = tags[i].Title
	}
	return titles
}

func TestSearchFindsTypicalQueries(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		titles := searchable(t, s)
		for query, want := range map[string]string{
			"back in black": "Back in Black", "black back": "Back in Black", "acdc": "T.N.T.", "ac/dc": "T.N.T.",
			"AC DC": "T.N.T.", "tnt": "T.N.T.", "T.N.T": "T.N.T.",
			"aha": "Take On Me", "a-ha": "Take On Me", "bjork": "Jóga", "BJÖRK joga": "Jóga", "yester": "Yesterday",
			"y":         "Yesterday",
			"dont stop": "Don't Stop Me Now", "don't": "Don't Stop Me Now", "don’t": "Don't Stop Me Now", "beyonce": "Halo",
			"歩こう": "上を向いて歩こう", "向": "上を向いて歩こう", "う": "上を向いて歩こう", "坂本": "上を向いて歩こう", "랑을": "사랑을 했다", "крови": "Группа крови",
			"группа КРОВИ": "Группа крови",
			"beatels jude": "Hey Jude", "yestrday": "Yesterday", "yesterdya": "Yesterday", "nirvna": "Smells Like Teen Spirit",
			"bohemain rapsody":    "Bohemian Rhapsody",
			"smels lik ten spirt": "Smells Like Teen Spirit", "bohemian rhap": "Bohemian Rhapsody",
			"bohemina rha": "Bohemian Rhapsody", "queen night opera": "Bohemian Rhapsody",
			"strasse": "Straße", "aenima": "Ænima",
		} {
			found, err := s.Search(t.Context(), catalog.Viewer{}, query, 10)
			if err != nil {
				t.Fatalf("%q: %v", query, err)
			}
			var got []string
			for _, song := range found.Songs {
				got = append(got, titles[song.ID])
			}
			if !slices.Contains(got, want) {
				t.Errorf("search %q: got %q, want %q", query, got, want)
			}
		}
		for _, query := range []string{"", " ", "!!!", "xyzzyxyzzy", "*", `"`, "'", "a OR b NOT c", `") OR ("`, "') | ('",
			"\x00", "\xff\xfe", strings.Repeat("a", 5000), "NEAR(a b)", "words:love", "-love", "love AND", "^love"} {
			if _, err := s.Search(t.Context(), catalog.Viewer{}, query, 10); err != nil {
				t.Errorf("search %q: got %v, want no error", query, err)
			}
		}
		found, err := s.Search(t.Context(), catalog.Viewer{}, "xyzzyxyzzy", 10)
		if err != nil || len(found.Songs)+len(found.Artists)+len(found.Albums) > 0 {
			t.Errorf("search of an unknown word: got %+v, error %v; want nothing", found, err)
		}
		found, err = s.Search(t.Context(), catalog.Viewer{}, "beatles", 10)
		if err != nil || len(found.Songs) != 3 || len(found.Artists) != 1 || found.Artists[0].Name != "The Beatles" ||
			len(found.Albums) != 3 {
			t.Errorf("search beatles: got %d songs, artists %+v, %d albums, error %v; want 3, The Beatles, 3",
				len(found.Songs), found.Artists, len(found.Albums), err)
		}
	})
}

// TestSearchByLanguage checks each language with spellings that listeners type.
func TestSearchByLanguage(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		rows := []struct {
			title, artist string
			finds, misses []string
		}{
			{"がんばれ", "ガガガ", []string{"がん", "ばれ", "ｶﾞｶﾞ", "がんばれ"}, []string{"かん", "カカ", "はれ"}},
			{"ज़िन्दगी", "लता मंगेशकर", []string{"लता", "मंगेश", "ज़िन्दगी", "\u095bिन्दगी"}, []string{"ली"}},
			{"إنت عمري", "أم كلثوم", []string{"ام كلثوم", "أم كلثوم", "انت عمرى", "كُلثوم", "كلثـــوم"}, nil},
			{"Işık", "Barış İlhan", []string{"isik", "IŞIK", "ışık", "ISIK", "baris", "BARIŞ", "ilhan", "İLHAN"}, nil},
			{"Größe", "Müller", []string{"grosse", "GRÖSSE", "große", "muller", "mueller", "MÜLLER"}, nil},
			{"Đường về", "Nguyễn Ánh", []string{"duong ve", "ĐƯỜNG VỀ", "nguyen anh", "nguyễn"}, nil},
		}
		var tags []catalog.ScannedSong
		for i, row := range rows {
			tag := song(i + 1)
			tag.Title, tag.Credits[0].Artist.Name, tag.Album = row.title, row.artist, nil
			tags = append(tags, tag)
		}
		ids := ingest(t, s, tags...)
		for i, row := range rows {
			for query, want := range expect(row.finds, row.misses) {
				found, err := s.Search(t.Context(), catalog.Viewer{}, query, 10)
				got := slices.ContainsFunc(found.Songs, func(song catalog.Song) bool { return song.ID == ids[i] })
				if err != nil || got != want {
					t.Errorf("search %q finds %q by %q: got %t, error %v; want %t", query, row.title, row.artist, got, err, want)
				}
			}
		}
	})
}

func expect(finds, misses []string) map[string]bool {
	expected := make(map[string]bool)
	for _, query := range finds {
		expected[query] = true
	}
	for _, query := range misses {
		expected[query] = false
	}
	return expected
}

func TestSearchOrdersByPopularity(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		titles := searchable(t, s)
		ann := createUser(t, s, "Ann").Viewer()
		for id, title := range titles {
			if title == "Lovely Day" {
				if _, err := s.RecordPlay(ctx, catalog.Play{SongID: id, Listener: ann, PlayedAt: time.Now()}); err != nil {
					t.Fatal(err)
				}
			}
		}
		found, err := s.Search(ctx, catalog.Viewer{}, "love", 10)
		if err != nil || len(found.Songs) != 2 || titles[found.Songs[0].ID] != "Lovely Day" {
			t.Errorf("search love: got %v, error %v; want 2, Lovely Day first", found.Songs, err)
		}
		// A retagged song is found only by its new title, a missing one not at all.
		for id, title := range titles {
			if title != "Halo" {
				continue
			}
			tag := song(8)
			tag.ID, tag.Title, tag.Album = id, "Irreplaceable", nil
			ingest(t, s, tag)
		}
		if found, _ := s.Search(ctx, catalog.Viewer{}, "halo", 10); len(found.Songs) != 0 {
			t.Errorf("search of the old title: got %v, want nothing", found.Songs)
		}
		if found, _ := s.Search(ctx, catalog.Viewer{}, "irreplacable", 10); len(found.Songs) != 1 {
			t.Errorf("search of the new title: got %v, want 1 song", found.Songs)
		}
		if err := s.MarkMissing(ctx, []catalog.FileRef{song(8).File.FileRef}); err != nil {
			t.Fatal(err)
		}
		if found, _ := s.Search(ctx, catalog.Viewer{}, "irreplaceable", 10); len(found.Songs) != 0 {
			t.Errorf("search of a missing song: got %v, want nothing", found.Songs)
		}
	})
}
