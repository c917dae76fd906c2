package move_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api"
	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// TestBothEnginesGiveEqualResponses serves one catalog from SQLite and from two PostgreSQL
// databases, one with a German collation and one without trigrams, and compares the responses to
// every read of the API.
func TestBothEnginesGiveEqualResponses(t *testing.T) {
	songs := 400
	if testenv.Long() {
		songs = 3000
	}
	first := file(t)
	source := open(t, first)
	k := fillRich(t, source, songs)
	if err := source.Close(); err != nil {
		t.Fatal(err)
	}
	sorted, plain, back := german(t), cluster.Database(t), file(t)
	moveCatalog(t, first, sorted)
	moveCatalog(t, first, plain)
	dropTrigrams(t, plain)
	moveCatalog(t, sorted, back)
	fixtures := map[string]fixture{"PostgreSQL, German": serve(t, sorted),
		"PostgreSQL without pg_trgm": serve(t, plain), "SQLite again": serve(t, back)}
	origin := serve(t, first)
	paths := someOf(everyRead(t, origin.store, k))
	compared, good := 0, 0
	for i, path := range paths {
		users := []string{"ann", "bob", "revoked", "nobody"}
		if i >= 5 { // invalid keys are rate limited
			users = users[:2]
		}
		for _, who := range users {
			want := origin.get(k.keys[who], path)
			if strings.HasPrefix(want, "200\n") {
				good++
			}
			for name, h := range fixtures {
				compared++
				if got := h.get(k.keys[who], path); got != want {
					t.Errorf("%s as %s on %s: got\n%.900s\nwant, as on SQLite,\n%.900s", path, who, name, got, want)
				}
			}
		}
		if t.Failed() {
			break
		}
	}
	if good < len(paths) {
		t.Errorf("responses with status 200: got %d, want at least one for each of %d paths", good, len(paths))
	}
	t.Logf("%d responses of %d paths compared", compared, len(paths))
	document, err := openapi3.NewLoader().LoadFromData(api.CatalogYAML)
	if err != nil {
		t.Fatal(err)
	}
	for template, item := range document.Paths.Map() {
		// Metrics and the last use of a key differ between processes, and an event stream does not end.
		skipped := []string{"/metrics", "/api/keys/current", "/api/events"}
		if item.Get != nil && !slices.Contains(skipped, template) && !tried(template, paths) {
			t.Errorf("requests compared for GET %s: got none, want at least one", template)
		}
	}
}

// someOf returns, in the short form, some paths of every kind, the same in every run.
func someOf(paths []string) []string {
	if testenv.Long() {
		return paths
	}
	counts := make(map[string]int)
	kind := regexp.MustCompile(`(so|al|ar|pl)_[0-9A-Za-z]{22}|covers/[0-9a-f]+|q=[^&]*|artists/[a-z0-9.-]+`)
	return slices.DeleteFunc(paths, func(path string) bool {
		k := kind.ReplaceAllString(path, "")
		counts[k]++
		n := counts[k]
		return n > 2 && n%24 != 0
	})
}

// tried reports whether one of the paths matches the template.
func tried(template string, paths []string) bool {
	parameter := regexp.MustCompile(`\\\{[^}]*\\\}`)
	pattern := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$")
	for _, path := range paths {
		path, _, _ = strings.Cut(path, "?")
		if pattern.MatchString(path) {
			return true
		}
	}
	return false
}

// everyRead lists paths for all routes: pages of every list in several sizes, complete and past the
// end, invalid parameters, and searches.
func everyRead(t *testing.T, s *catalog.Store, k *rich) []string {
	t.Helper()
	ctx, whole := t.Context(), catalog.Page{Number: 1, Limit: 200}
	albums, _, err := s.Albums(ctx, whole)
	if err != nil {
		t.Fatal(err)
	}
	artists, _, err := s.Artists(ctx, whole)
	if err != nil {
		t.Fatal(err)
	}
	lists := []string{"/api/songs", "/api/albums", "/api/artists", "/api/playlists", "/api/users/ann/playlists",
		"/api/users/bob/playlists", "/api/me/likes", "/api/me/history", "/api/me/top"}
	paths := []string{"/health", "/ready", "/docs", "/openapi.yaml", "/api/scan", "/api/keys", "/api/users/ann",
		"/api/users/BOB", "/api/users/none", "/api/nothing", "/media/covers/00", "/api/me", "/docs/console.js",
		"/", "/web/app.js", "/api/folders"}
	for _, query := range []string{"likes?type=album", "likes?type=artist", "likes?type=playlist", "likes?with=me",
		"history?with=me", "top?type=album", "top?type=artist&with=me", "top?range=7d", "top?range=30d&type=album",
		"top?range=1y&type=artist"} {
		paths = append(paths, "/api/me/"+query)
	}
	for i, a := range albums {
		if i%9 == 0 {
			lists = append(lists, "/api/albums/"+a.ID+"/songs")
		}
		paths = append(paths, "/api/albums/"+a.ID)
	}
	for i, a := range artists {
		if i%9 == 0 {
			lists = append(lists, "/api/artists/"+a.ID+"/songs", "/api/artists/"+a.Username+"/songs")
		}
		paths = append(paths, "/api/artists/"+a.ID, "/api/artists/"+a.Username, "/media/covers/"+a.Cover+"?size=64")
	}
	for _, p := range k.playlists {
		lists = append(lists, "/api/playlists/"+p+"/songs")
		paths = append(paths, "/api/playlists/"+p, "/api/playlists/"+p+"?with=rules,me")
	}
	for i := 0; i < len(k.songs); i += 7 {
		paths = append(paths, "/api/songs/"+k.songs[i], "/api/songs/"+k.songs[i]+"/lyrics",
			"/api/songs/"+k.songs[i]+"/similar?limit=40", "/api/songs/"+k.songs[i]+"?with=file,gain,me")
	}
	for _, id := range append([]string{"so_0000000000000000000000", "x", "..", "%00", "%FF"}, k.missing...) {
		paths = append(paths, "/api/songs/"+id, "/api/songs/"+id+"/stream", "/media/songs/"+id, "/api/albums/"+id,
			"/api/artists/"+id, "/api/playlists/"+id, "/api/songs/"+id+"/link?missing")
	}
	paths = append(paths, "/api/songs/"+k.songs[0]+"/stream", "/api/songs/trending")
	for _, n := range []int{1, 2, 20, 99, 100, 101} {
		paths = append(paths, fmt.Sprintf("/api/songs/trending?limit=%d", n))
	}
	paths = append(paths, libraryReads()...)
	for _, list := range lists {
		paths = append(paths, list)
		for _, query := range []string{"page=1&limit=1", "page=2&limit=7", "page=3&limit=50", "page=8&limit=200",
			"page=14&limit=100", "page=1000000", "page=9007199254740991&limit=200", "page=0", "limit=201", "page=-1",
			"page=x&limit=", "limit=1&limit=2", "%zz", "with=me&limit=13"} {
			paths = append(paths, list+"?"+query)
		}
	}
	return append(paths, searches()...)
}

// libraryReads returns paths of genres and years, and of songs, albums and artists in every order
// and with every filter. The second pages are not in the order of the rows.
func libraryReads() (paths []string) {
	const songs, albums = "/api/songs", "/api/albums"
	genre := "/api/genres/" + url.PathEscape("ROCK & roll")
	paths = append(paths, "/api/genres", "/api/genres?page=2&limit=1", genre, "/api/genres/none", "/api/years",
		"/api/years?page=2&limit=1", "/api/artists?role=albumartist", "/api/artists?role=albumartist&page=2&limit=30",
		"/api/artists?role=any", "/api/artists?role=x", "/api/artists?liked=true", "/api/playlists?liked=true",
		"/api/artists?role=albumartist&liked=true&with=me", "/api/artists?liked=true&page=2&limit=3", songs+"?sort=x",
		songs+"?year=x", albums+"?sort=random")
	combine := func(list string, sorts []string, filters ...string) {
		for i, sort := range sorts {
			for j, order := range []string{"", "&order=asc", "&order=desc"} {
				for k, filter := range filters {
					if k == 0 || k == (i+j)%len(filters) || testenv.Long() {
						paths = append(paths, list+"?page=2&limit=9&seed=7&sort="+sort+order+filter)
					}
				}
			}
		}
	}
	combine(songs, catalog.SongSorts(), "", "&genre=j-pop", "&year=1999", "&year=1960-1990", "&liked=true", "&format=mp3",
		"&format=mp3&genre=rock+%26+roll&year=1969")
	combine(albums, append(catalog.AlbumSorts(), catalog.PersonalAlbumSorts()...), "", "&genre=j-pop", "&year=1999",
		"&year=1960-1990", "&liked=true")
	combine(genre+"/songs", catalog.SongSorts(), "&with=me")
	combine(genre+"/albums", catalog.AlbumSorts(), "&with=me")
	for _, filter := range []string{"genre=j-pop", "year=1999", "format=opus", "liked=true&with=me"} {
		paths = append(paths, songs+"?"+filter, songs+"?page=2&limit=9&order=desc&"+filter, albums+"?"+filter)
	}
	return paths
}

// searches returns the paths of correct, misspelled and malicious queries.
func searches() (paths []string) {
	r := rand.New(rand.NewPCG(3, 5))
	add := func(q string) {
		if q = strings.ToValidUTF8(q, ""); q != "" && len(q) <= 200 {
			paths = append(paths, fmt.Sprintf("/api/search?q=%s&limit=%d", url.QueryEscape(q), []int{1, 5, 10, 50}[r.IntN(4)]))
		}
	}
	for _, word := range words {
		letters := []rune(word)
		add(word)
		add(string(letters[:1+r.IntN(len(letters))]))
		add(strings.ToUpper(word) + " " + words[r.IntN(len(words))])
		for range 2 {
			add(mistyped(r, letters))
		}
		add(mistyped(r, letters) + " " + mistyped(r, []rune(words[r.IntN(len(words))])))
		add(pick(r, 3))
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		add(string(letter))
		add(string(letter) + string('a'+rune(r.IntN(26))))
	}
	for _, q := range []string{" ", "*", `"`, "'", `\`, "%", "_", "a OR b NOT c", `") OR ("`, "') | ('", "love & !night",
		"love:*", "love:A", "'love':*", "NEAR(a b)", "words:love", "-love", "^love",
		"\x00", "\x01", "\u202e", "\ufeff", "\U0010ffff", "\ue000", "e\u0301clair", "ﬃ", "①", "½", "Ⅷ", "𞤀", "𑊀",
		"\U0001E030", "𛂰", "\U00011F50", "a\U00011F50b", "\u0378", "a\u0378b", strings.Repeat("a", 200),
		strings.Repeat("love ", 39), strings.Repeat("愛", 60), "love\tnight", "love\nnight",
		"⁂", "㎏", "ß", "SS", "ŀ", "ŉ", "ǆ", "K", "Å", "℡", "ﷺ", "\u0300", "\u0300love", "l\u200dove"} {
		add(q)
	}
	return append(paths, "/api/search", "/api/search?q=", "/api/search?q=%FF", "/api/search?q=a&q=b",
		"/api/search?q=love&limit=0", "/api/search?q="+strings.Repeat("a", 201))
}

func mistyped(r *rand.Rand, letters []rune) string {
	out := append([]rune(nil), letters...)
	i := r.IntN(len(out))
	switch r.IntN(4) {
	case 0:
		out[i] = 'a' + rune(r.IntN(26))
	case 1:
		out = append(out[:i], out[i+1:]...)
	case 2:
		out = append(out[:i], append([]rune{'a' + rune(r.IntN(26))}, out[i:]...)...)
	case 3:
		j := (i + 1) % len(out)
		out[i], out[j] = out[j], out[i]
	}
	return string(out)
}
