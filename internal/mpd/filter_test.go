package mpd

import (
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// testSongs are songs by their titles.
func testSongs() []*song {
	make := func(title, artist, album, path string, modified int64, format audioFormat) *song {
		x := newSongText(path)
		x.tag(tagTitle, title)
		x.tag(tagArtist, artist)
		x.tag(tagAlbum, album)
		s := x.song(path, time.Minute, 50)
		s.modified, s.format = modified, format
		return s
	}
	return []*song{
		make("One", "Ada", "First", "a/one.flac", 100, audioFormat{44100, 16, 2}),
		make("Two", "Ada", "", "a/two.flac", 200, audioFormat{48000, 24, 2}),
		make("Straße", "Ärger", "First", "b/three.ogg", 300, audioFormat{44100, 0, 2}),
		make("", "", "", "b/four.wav", 400, audioFormat{}),
	}
}

func TestFiltersSelectSongs(t *testing.T) {
	all := testSongs()
	for expression, want := range map[string][]string{
		`(artist == 'Ada')`:                               {"one", "two"},
		`(artist == 'ada')`:                               nil,
		`(artist != 'Ada')`:                               {"three", "four"},
		`(!(artist == 'Ada'))`:                            {"three", "four"},
		`((artist == 'Ada') AND (album == 'First'))`:      {"one"},
		`((artist == 'Ada') AND (!(album == 'First')))`:   {"two"},
		`(album == '')`:                                   {"two", "four"},
		`(title contains 'n')`:                            {"one"},
		`(title contains_ci 'O')`:                         {"one", "two"},
		`(title starts_with 'T')`:                         {"two"},
		`(title starts_with_ci 't')`:                      {"two"},
		`(title !starts_with 'T')`:                        {"one", "three", "four"},
		`(title !contains 'n')`:                           {"two", "three", "four"},
		`(title eq_ci 'STRAßE')`:                          {"three"},
		`(title eq_cs 'one')`:                             nil,
		`(title =~ '^(One|Two)$')`:                        {"one", "two"},
		`(title !~ 'o')`:                                  {"one", "three", "four"},
		`(any == 'First')`:                                {"one", "three"},
		`(albumartist == 'Ada')`:                          {"one", "two"},
		`(base 'a')`:                                      {"one", "two"},
		`(file == 'b/four.wav')`:                          {"four"},
		`(file starts_with 'b/')`:                         {"three", "four"},
		`(modified-since '300')`:                          {"three", "four"},
		`(modified-since '1970-01-01T00:05:00Z')`:         {"three", "four"},
		`(added-since '51')`:                              nil,
		`(AudioFormat == '44100:16:2')`:                   {"one"},
		`(AudioFormat =~ '44100:*:*')`:                    {"one", "three"},
		`(AudioFormat =~ '*:f:*')`:                        {"three"},
		`(prio >= 0)`:                                     {"one", "two", "three", "four"},
		`(prio >= 1)`:                                     nil,
		`(MUSICBRAINZ_ARTISTID == '')`:                    {"one", "two", "three", "four"},
		`( artist   ==  "Ada" )`:                          {"one", "two"},
		`(title == 'it\'s')`:                              nil,
		`((( artist == 'Ada' )) AND ((title == 'Two') ))`: {"two"},
	} {
		f, err := parseFilter([]string{expression}, false)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		var got []string
		for _, s := range all {
			if f.match(s, 0) {
				name, _, _ := strings.Cut(s.uri()[2:], ".")
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
}

func TestInvalidFiltersAreRefused(t *testing.T) {
	for _, args := range [][]string{
		nil, {"artist"}, {"foo", "bar"}, {"(foo == 'x')"}, {"(artist == x)"}, {"(artist == 'x'"}, {"(artist == 'x') y"},
		{"(artist =~ '(')"}, {"()"}, {"("}, {"(artist eq 'x')"}, {"(prio >= 300)"}, {"(prio == 1)"},
		{"(AudioFormat == '1:2')"},
		{"(AudioFormat == '*:*:*')"}, {"(modified-since 'x')"}, {"(artist == 'x' AND title == 'y')"},
		{"((artist == 'x') OR (title == 'y'))"}, {strings.Repeat("(", 100)},
		{"(" + strings.Repeat("(artist == 'x') AND ", 300) + "(artist == 'x'))"},
		{"(artist =~ '" + strings.Repeat("a", 2000) + "')"},
	} {
		if f, err := parseFilter(args, false); err == nil {
			t.Errorf("%.100q: got %v, want an error", args, f)
		}
	}
}

// A regular expression that takes exponential time elsewhere.
func TestRegularExpressionsTakeLinearTime(t *testing.T) {
	f, err := parseFilter([]string{`(title =~ '^(a+)+(a+)+(a+)+$')`}, true)
	if err != nil {
		t.Fatal(err)
	}
	x := newSongText("x")
	x.tag(tagTitle, strings.Repeat("a", 3000)+"b")
	began := time.Now()
	if f.match(x.song("x", 0, 0), 0) {
		t.Error("got a match, want none")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("got %v, want far less than 5 s", took)
	}
}

func TestLongValuesStayBelowTheLineLimit(t *testing.T) {
	x := newSongText("x")
	x.tag(tagTitle, strings.Repeat("ä", 5000))
	x.tag(tagArtist, "a\nOK\r\x00\xff")
	s := x.song("x", time.Second, 1)
	for line := range strings.SplitSeq(strings.TrimSuffix(s.text, "\n"), "\n") {
		if len(line) >= 4096 || !strings.Contains(line, ": ") {
			t.Errorf("got a line of %d bytes: %.50q", len(line), line)
		}
	}
	if got := s.value(tagArtist); got != "a OK  \uFFFD" {
		t.Errorf("artist: got %q, want one line of valid text", got)
	}
}

func FuzzFilter(f *testing.F) {
	for _, seed := range []string{`((artist == 'Ada') AND (!(title contains "x")))`, `(AudioFormat =~ '1:*:2')`,
		`(prio >= 3)`, `(modified-since '2020-01-01')`, `(title =~ 'a|b')`} {
		f.Add(seed)
	}
	songs := testSongs()
	f.Fuzz(func(t *testing.T, expression string) {
		if len(expression) > maxLine {
			return
		}
		testenv.CheckCost(t, func() {
			parsed, err := parseFilter([]string{"(" + expression}, true)
			if err != nil {
				return
			}
			for _, s := range songs {
				parsed.match(s, 3)
			}
		})
	})
}
