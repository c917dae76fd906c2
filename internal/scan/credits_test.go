package scan

import (
	"reflect"
	"strings"
	"testing"

	"waxwing/internal/catalog"
)

func TestSplitArtistsKeepsCompoundNames(t *testing.T) {
	for in, want := range map[string]string{
		"Björk":                                         "Björk",
		"AC/DC":                                         "AC/DC",
		"ac/dc; Queen":                                  "ac/dc|Queen",
		"Simon & Garfunkel":                             "Simon & Garfunkel",
		"Tyler, the Creator":                            "Tyler, the Creator",
		"Tyler, The Creator feat. Frank Ocean":          "Tyler, The Creator+Frank Ocean",
		"Earth, Wind & Fire":                            "Earth, Wind & Fire",
		"Crosby, Stills, Nash & Young":                  "Crosby, Stills, Nash & Young",
		"Peter, Paul & Mary":                            "Peter, Paul & Mary",
		"Nick Cave & The Bad Seeds":                     "Nick Cave & The Bad Seeds",
		"Anna Nalick & the Somebodies":                  "Anna Nalick & the Somebodies",
		"10,000 Maniacs":                                "10,000 Maniacs",
		"M/A/R/R/S":                                     "M/A/R/R/S",
		"Queen & David Bowie":                           "Queen|David Bowie",
		"A Guy; B Guy;C Guy":                            "A Guy|B Guy|C Guy",
		"First One / Second One":                        "First One|Second One",
		"First One/Second One":                          "First One|Second One",
		"Jay-Z, Kanye West":                             "Jay-Z|Kanye West",
		"Jay-Z ft. Alicia Keys":                         "Jay-Z+Alicia Keys",
		"Calvin Harris (feat. Rihanna)":                 "Calvin Harris+Rihanna",
		"Calvin Harris Featuring Dua Lipa & Young Thug": "Calvin Harris+Dua Lipa|Young Thug",
		"Simon & Garfunkel feat. AC/DC & Some Body":     "Simon & Garfunkel+AC/DC|Some Body",
		"Run-D.M.C. vs. Jason Nevins":                   "Run-D.M.C.|Jason Nevins",
		"椎名林檎、宇多田ヒカル":                                   "椎名林檎|宇多田ヒカル",
		"Featherweight":                                 "Featherweight",
		"Daft Punk":                                     "Daft Punk",
		"":                                              "",
		" ; ; ":                                         "",
		"& & &":                                         "& & &",
	} {
		main, guests := splitArtists(in)
		got := strings.Join(main, "|")
		if len(guests) > 0 {
			got += "+" + strings.Join(guests, "|")
		}
		if got != want {
			t.Errorf("splitArtists(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCreditsAssignIdentifiersToArtists(t *testing.T) {
	const one, two = "87c5dedd-371d-4a53-9f7f-80522fb7f3cb", "f6f2326f-6b25-4170-b89d-e235b25508e8"
	credit := func(name, id string) catalog.Credit {
		return catalog.Credit{Artist: catalog.ArtistTag{Name: name, MusicBrainz: id}, Role: catalog.MainArtist}
	}
	for _, c := range []struct {
		name string
		in   artistTags
		want []catalog.Credit
	}{
		{
			"one identifier keeps a name whole", artistTags{values: []string{"Some & Thing Else"}, ids: []string{one}},
			[]catalog.Credit{credit("Some & Thing Else", one)},
		},
		{
			"listed values are not split", artistTags{values: []string{"Some & Thing Else", "Other"}, listed: true},
			[]catalog.Credit{credit("Some & Thing Else", ""), credit("Other", "")},
		},
		{
			"one identifier per artist", artistTags{values: []string{"Queen & David Bowie"}, ids: []string{one, two}},
			[]catalog.Credit{credit("Queen", one), credit("David Bowie", two)},
		},
		{
			"too few identifiers are ignored", artistTags{values: []string{"A Aa; B Bb; C Cc"}, ids: []string{one, two}},
			[]catalog.Credit{credit("A Aa", ""), credit("B Bb", ""), credit("C Cc", "")},
		},
		{"no artist twice", artistTags{values: []string{"A Aa feat. a aa"}}, []catalog.Credit{credit("A Aa", "")}},
	} {
		if got := c.in.credits(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestTitleGuestsAreFound(t *testing.T) {
	for in, want := range map[string]string{
		"Song (feat. B Side)":                        "B Side",
		"Song [ft. B Side & C Side]":                 "B Side|C Side",
		"Song (Featuring Tyler, the Creator) [Live]": "Tyler, the Creator",
		"Song (for you)":                             "",
		"Fever":                                      "",
		"(feat. Nobody":                              "",
	} {
		if got := strings.Join(titleGuests(in), "|"); got != want {
			t.Errorf("titleGuests(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseFileName(t *testing.T) {
	for in, want := range map[string]nameParts{
		"01 - Title.mp3":                          {title: "Title", track: 1},
		"01. Title.mp3":                           {title: "Title", track: 1},
		"1-02 Title.flac":                         {title: "Title", disc: 1, track: 2},
		"203 Title.flac":                          {title: "Title", disc: 2, track: 3},
		"Artist - Title.ogg":                      {title: "Title", artist: "Artist"},
		"07 - Artist - Title.ogg":                 {title: "Title", artist: "Artist", track: 7},
		"Artist/Album (1999)/01 Title.mp3":        {title: "Title", artist: "Artist", album: "Album", track: 1},
		"Artist/1999 - Album/CD2/03 Title.mp3":    {title: "Title", artist: "Artist", album: "Album", disc: 2, track: 3},
		"Artist/[1999] Album/03_under_scores.mp3": {title: "under scores", artist: "Artist", album: "Album", track: 3},
		"99 Luftballons.mp3":                      {title: "Luftballons", track: 99},
		"1979.mp3":                                {title: "1979"},
		"1999 - Prince.mp3":                       {title: "Prince", artist: "1999"},
		"07.mp3":                                  {title: "07"},
		"4'33.mp3":                                {title: "4'33"},
		"Ti\x1bt\xf6l.mp3":                        {title: "Titöl"},
	} {
		if got := parseFileName(in); got != want {
			t.Errorf("parseFileName(%q) = %+v, want %+v", in, got, want)
		}
	}
}

func TestDiscFolder(t *testing.T) {
	for in, want := range map[string]int{
		"CD1": 1, "CD 2": 2, "Disc 03": 3, "disk_4": 4, "CD 1 - The Hits": 1,
		"Discovery": 0, "CD": 0, "CD2000": 0, "Disc One": 0, "Album": 0, "cd1x": 0,
	} {
		if got := discFolder(in); got != want {
			t.Errorf("discFolder(%q) = %d, want %d", in, got, want)
		}
	}
}
