package cataloghttp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
)

// addGenres adds songs with several genres and details to the fixture.
func addGenres(t *testing.T, h *fixture) (ids []string) {
	t.Helper()
	var tags []catalog.ScannedSong
	for i, genres := range [][]string{{"Pop/Funk"}, {"Rock", "Jazz"}, {"rock"}} {
		tags = append(tags, catalog.ScannedSong{
			File: catalog.File{FileRef: catalog.FileRef{Root: h.music, Path: fmt.Sprintf("g/%d\xff.flac", i)}, Size: 1000,
				ModTime: time.Now()},
			Title: fmt.Sprintf("Genre %d", i), Genres: genres, Year: 1960 + i, Format: "flac", Duration: time.Minute,
			Album:   &catalog.AlbumTag{Title: "Genres", Key: fmt.Sprint("genres ", i), Year: 1960 + i},
			Details: catalog.Details{SampleRate: 44100, Channels: 2, BitDepth: 16},
		})
	}
	ids, err := h.store.IngestSongs(t.Context(), tags)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.store.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestGenresAndYearsOverHTTP(t *testing.T) {
	onBoth(t, 12, func(t *testing.T, h *fixture) {
		ids := addGenres(t, h)
		var genres catalogapi.GenreList
		h.get(t, "/api/genres").is(t, 200, &genres)
		want := []catalogapi.Genre{{Name: "Jazz", SongCount: 1, AlbumCount: 1}, {Name: "Pop", SongCount: 12, AlbumCount: 4},
			{Name: "Pop/Funk", SongCount: 1, AlbumCount: 1}, {Name: "Rock", SongCount: 2, AlbumCount: 2}}
		if genres.Total != 4 || !slices.Equal(genres.Genres, want) {
			t.Errorf("got %+v, want %+v", genres, want)
		}
		var genre catalogapi.GenreReply
		if h.get(t, "/api/genres/ROCK").is(t, 200, &genre); genre.Genre != want[3] {
			t.Errorf("got %+v, want %+v", genre, want[3])
		}
		var songs catalogapi.SongList
		h.get(t, "/api/genres/rock/songs?order=desc").is(t, 200, &songs)
		if songs.Total != 2 || songs.Songs[0].ID != ids[2] || *songs.Songs[1].Genre != "Rock" {
			t.Errorf("got %+v, want the two songs, newest first", songs)
		}
		h.get(t, "/api/genres/Pop%2FFunk/songs").is(t, 200, &songs)
		if songs.Total != 1 || songs.Songs[0].ID != ids[0] {
			t.Errorf("genre with a slash: got %+v, want %s", songs, ids[0])
		}
		var albums catalogapi.AlbumList
		if h.get(t, "/api/genres/pop/albums?sort=random&seed=1").is(t, 200, &albums); albums.Total != 4 {
			t.Errorf("got %d albums, want 4", albums.Total)
		}
		for _, path := range []string{"/api/genres/none", "/api/genres/none/songs", "/api/genres/none/albums"} {
			h.get(t, path).is(t, 404, nil)
		}
		var years catalogapi.YearList
		h.get(t, "/api/years?limit=2").is(t, 200, &years)
		if years.Total != 13 || len(years.Years) != 2 ||
			years.Years[0] != (catalogapi.Year{Year: 1960, SongCount: 1, AlbumCount: 1}) {
			t.Errorf("got %+v, want 1960 and 1961 of 13", years)
		}
		var artists catalogapi.ArtistList
		h.get(t, "/api/artists?role=albumartist").is(t, 200, &artists)
		if artists.Total != 1 || artists.Artists[0].Name != "Artist 0" {
			t.Errorf("album artists: got %+v, want Artist 0", artists)
		}
		var all, anyRole catalogapi.ArtistList
		h.get(t, "/api/artists").is(t, 200, &all)
		if h.get(t, "/api/artists?role=any").is(t, 200, &anyRole); all.Total != 4 || anyRole.Total != 4 {
			t.Errorf("artists: got %d and %d, want 4", all.Total, anyRole.Total)
		}
	})
}

func TestSongFileIsSentOnRequestOnly(t *testing.T) {
	onBoth(t, 1, func(t *testing.T, h *fixture) {
		ids := addGenres(t, h)
		path := "/api/songs/" + ids[1]
		plain := h.get(t, path).is(t, 200, nil)
		with := h.get(t, path+"?with=file").is(t, 200, nil)
		var song catalogapi.SongReply
		h.get(t, path+"?with=file").is(t, 200, &song)
		changed := song.File.ModifiedAt
		if changed == nil {
			t.Fatal("modified_at: got null, want a time")
		}
		at, err := json.Marshal(changed)
		if err != nil {
			t.Fatal(err)
		}
		want := `,"file":{"path":"g/1` + "\uFFFD" + `.flac","size":1000,"modified_at":` + string(at) +
			`,"sample_rate":44100,"channels":2,"bit_depth":16,"album_artist":null,"picture":false,` +
			`"genres":["Rock","Jazz"],"composers":[],"released":null,"musicbrainz":{"recording_id":null,"track_id":null,` +
			`"album_id":null,"artist_ids":[],"album_artist_ids":[]}}}` + "\n"
		if with.body != strings.TrimSuffix(plain.body, "}\n")+want {
			t.Errorf("got %s, want the song and %s", with.body, want)
		}
		var list catalogapi.SongList
		h.get(t, "/api/songs?limit=200&with=file,me").is(t, 200, &list)
		for i, listed := range list.Songs {
			if listed.File == nil || listed.Me == nil {
				t.Fatalf("song %d of the list: got %+v, want file and me", i, listed)
			}
			if listed.ID == ids[1] && !reflect.DeepEqual(listed.File, song.File) {
				t.Errorf("file in the list: got %+v, want %+v", listed.File, song.File)
			}
		}
		if strings.Contains(h.get(t, "/api/songs").is(t, 200, nil).body, `"file":`) {
			t.Error("a list without with=file has files")
		}
		if strings.Contains(with.body, h.music) {
			t.Errorf("got %s, want no absolute path", with.body)
		}
		both := h.get(t, path+"?with=file,gain").is(t, 200, nil)
		if !strings.Contains(both.body, `"gain":{`) || !strings.Contains(both.body, `"file":{`) ||
			both.body != h.get(t, path+"?with=gain,file").is(t, 200, nil).body {
			t.Errorf("with=file,gain: got %s, want both, in one order", both.body)
		}
		if plain.header.Get("ETag") == with.header.Get("ETag") || both.header.Get("ETag") == with.header.Get("ETag") {
			t.Error("ETags are equal with and without data")
		}
	})
}

func TestListParametersAreChecked(t *testing.T) {
	h := start(t, 30)
	for query, want := range map[string]string{
		"songs?sort=":                      "one of: title, artist, album, year, added, duration, plays",
		"songs?sort=size":                  "one of: title, artist, album, year, added, duration, plays",
		"songs?sort=title&sort=title":      "sort must be given once",
		"songs?order=up":                   "one of: asc, desc",
		"songs?genre=":                     "the name of a genre",
		"songs?year=new":                   "1999 or 1990-1999",
		"songs?year=1999-1990":             "1999 or 1990-1999",
		"songs?year=-1990":                 "1999 or 1990-1999",
		"songs?year=10000":                 "1999 or 1990-1999",
		"songs?format=exe":                 "one of: mp3, flac",
		"albums?sort=plays":                "one of: title, artist, year, newest, random",
		"albums?sort=random":               "needs a seed",
		"albums?sort=random&seed=":         "1 to 64 bytes",
		"artists?role=guest":               "one of: any, albumartist",
		"genres/pop/songs?sort=x":          "one of: title",
		"genres/pop/albums?order=sideways": "one of: asc, desc",
	} {
		if got := h.get(t, "/api/"+query); got.status != 400 || !strings.Contains(got.body, want) {
			t.Errorf("/api/%s: got %d %s, want 400 with %q", query, got.status, got.body, want)
		}
	}
	plain := h.get(t, "/api/songs").is(t, 200, nil)
	for _, query := range []string{"role=x", "seed=", "unknown=1"} { // not parameters of this list
		if got := h.get(t, "/api/songs?"+query).is(t, 200, nil); got.body != plain.body {
			t.Errorf("?%s: got another list", query)
		}
	}
}

func TestLinksKeepOrderAndFilters(t *testing.T) {
	h := start(t, 30)
	first := h.get(t, "/api/songs?limit=2&genre=p%6fp&year=1990-1999&sort=title&order=desc&x=1").is(t, 200, nil)
	want := "/api/songs?page=2&limit=2&sort=title&order=desc&genre=pop&year=1990-1999>; rel=\"next\""
	if got := first.header.Get("Link"); !strings.Contains(got, want) {
		t.Errorf("Link: got %s, want %s", got, want)
	}
	var a, b catalogapi.SongList
	first.is(t, 200, &a)
	h.get(t, "/api/songs?page=2&limit=2&sort=title&order=desc&genre=pop&year=1990-1999").is(t, 200, &b)
	if a.Total != 30 || b.Total != 30 || a.Songs[0].Title <= b.Songs[0].Title {
		t.Errorf("got %q then %q of %d, want descending titles of 30", a.Songs[0].Title, b.Songs[0].Title, a.Total)
	}
	for range 3 { // the second is stored in the cache, the third comes from there
		other := h.get(t, "/api/songs?limit=2&genre=pop&year=1990-1999&sort=title&order=asc").is(t, 200, nil)
		if other.header.Get("ETag") == first.header.Get("ETag") || other.body == first.body {
			t.Error("another order has the same ETag or body")
		}
	}
}

// TestListsThatAnOlderReleaseLeftWithoutAnIndexAreUnavailable checks the reply until the catalog is
// completed.
func TestListsThatAnOlderReleaseLeftWithoutAnIndexAreUnavailable(t *testing.T) {
	db := filepath.Join(t.TempDir(), "catalog.db")
	h := startOn(t, db, 3)
	raw, err := catalog.OpenRaw(t.Context(), catalog.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	_, err = raw.Write.ExecContext(t.Context(), `DELETE FROM settings WHERE name = 'sort_keys'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/songs?sort=title", "/api/songs?sort=plays", "/api/songs?year=1990-1999"} {
		got := h.get(t, path)
		if got.status != 503 || got.header.Get("Retry-After") == "" || !strings.Contains(got.body, "try again") {
			t.Errorf("%s: got %d %v %s; want 503 with Retry-After and what to do", path, got.status, got.header, got.body)
		}
	}
	for _, path := range []string{"/api/songs", "/api/songs?sort=added", "/api/albums?sort=artist", "/api/genres"} {
		h.get(t, path).is(t, 200, nil)
	}
	if err := h.store.Derive(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.get(t, "/api/songs?sort=title").is(t, 200, nil)
}

// TestNewCatalogHasEveryList checks that a catalog without songs lists them in every order.
func TestNewCatalogHasEveryList(t *testing.T) {
	onBoth(t, 0, func(t *testing.T, h *fixture) {
		paths := []string{"/api/songs?year=1990-1999", "/api/years", "/api/genres"}
		for _, sort := range catalog.SongSorts() {
			paths = append(paths, "/api/songs?sort="+sort)
		}
		for _, path := range paths {
			h.get(t, path).is(t, 200, nil)
		}
		h.add(t, 1, 1)
		var songs catalogapi.SongList
		if h.get(t, "/api/songs?sort=title").is(t, 200, &songs); songs.Total != 1 {
			t.Errorf("songs by title after the first scan: got %d, want 1", songs.Total)
		}
	})
}
