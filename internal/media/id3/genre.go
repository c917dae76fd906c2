package id3

import (
	"slices"
	"strconv"
	"strings"
)

// genreNames is the numbered list of ID3v1 with Winamp's additions.
var genreNames = strings.Split(""+
	"Blues|Classic Rock|Country|Dance|Disco|Funk|Grunge|Hip-Hop|Jazz|Metal|New Age|Oldies|Other|Pop|"+
	"R&B|Rap|Reggae|Rock|Techno|Industrial|Alternative|Ska|Death Metal|Pranks|Soundtrack|Euro-Techno|"+
	"Ambient|Trip-Hop|Vocal|Jazz+Funk|Fusion|Trance|Classical|Instrumental|Acid|House|Game|"+
	"Sound Clip|Gospel|Noise|Alternative Rock|Bass|Soul|Punk|Space|Meditative|Instrumental Pop|"+
	"Instrumental Rock|Ethnic|Gothic|Darkwave|Techno-Industrial|Electronic|Pop-Folk|Eurodance|Dream|"+
	"Southern Rock|Comedy|Cult|Gangsta|Top 40|Christian Rap|Pop/Funk|Jungle|Native American|Cabaret|"+
	"New Wave|Psychedelic|Rave|Showtunes|Trailer|Lo-Fi|Tribal|Acid Punk|Acid Jazz|Polka|Retro|"+
	"Musical|Rock & Roll|Hard Rock|Folk|Folk-Rock|National Folk|Swing|Fast Fusion|Bebop|Latin|"+
	"Revival|Celtic|Bluegrass|Avantgarde|Gothic Rock|Progressive Rock|Psychedelic Rock|"+
	"Symphonic Rock|Slow Rock|Big Band|Chorus|Easy Listening|Acoustic|Humour|Speech|Chanson|Opera|"+
	"Chamber Music|Sonata|Symphony|Booty Bass|Primus|Porn Groove|Satire|Slow Jam|Club|Tango|Samba|"+
	"Folklore|Ballad|Power Ballad|Rhythmic Soul|Freestyle|Duet|Punk Rock|Drum Solo|A Cappella|"+
	"Euro-House|Dance Hall|Goa|Drum & Bass|Club-House|Hardcore|Terror|Indie|BritPop|Worldbeat|"+
	"Polsk Punk|Beat|Christian Gangsta Rap|Heavy Metal|Black Metal|Crossover|Contemporary Christian|"+
	"Christian Rock|Merengue|Salsa|Thrash Metal|Anime|JPop|Synthpop|Abstract|Art Rock|Baroque|"+
	"Bhangra|Big Beat|Breakbeat|Chillout|Downtempo|Dub|EBM|Eclectic|Electro|Electroclash|Emo|"+
	"Experimental|Garage|Global|IDM|Illbient|Industro-Goth|Jam Band|Krautrock|Leftfield|Lounge|"+
	"Math Rock|New Romantic|Nu-Breakz|Post-Punk|Post-Rock|Psytrance|Shoegaze|Space Rock|Trop Rock|"+
	"World Music|Neoclassical|Audiobook|Audio Theatre|Neue Deutsche Welle|Podcast|Indie Rock|G-Funk|"+
	"Dubstep|Garage Rock|Psybient", "|")

// GenreName returns the genre of a number, "" if there is none.
func GenreName(n int) string {
	if n < 0 || n >= len(genreNames) {
		return ""
	}
	return genreNames[n]
}

// Genres parses the value of a TCON frame: "Jazz", "8", "(8)", "(8)(17)" or "(8)Acid Jazz".
func Genres(s string) (genres []string) {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "((") {
		end := strings.IndexByte(s, ')')
		if end < 0 {
			break
		}
		name := genreCode(s[1:end])
		if name == "" {
			break
		}
		s = s[end+1:]
		if s == "" || s[0] == '(' {
			genres = append(genres, name)
		}
	}
	if s = strings.TrimPrefix(s, "("); s == "" {
		return genres
	}
	if name := genreCode(s); name != "" {
		s = name
	}
	return append(genres, s)
}

func genreCode(s string) string {
	switch s {
	case "RX":
		return "Remix"
	case "CR":
		return "Cover"
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return ""
	}
	return GenreName(n)
}

// IsGenre reports whether a name is in the numbered list, in any case.
func IsGenre(name string) bool {
	return slices.ContainsFunc(genreNames, func(known string) bool { return strings.EqualFold(known, name) })
}
