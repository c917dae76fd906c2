package library

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// Syllables in several scripts, so that every name tests the encoding.
var syllables = strings.Fields("ka lo mi ra ten sor vel dra ny que sta bri om fel zu ha per tin gra wo " +
	"ö ñu ção žel ła тон бер リン 海 서울 αλ")

var genres = []string{"Rock", "Jazz", "Folk", "Electronic", "Ambient", "Hip-Hop", "Classical"}

// compose generates the songs of the library, album by album.
func compose(cfg Config) []Song {
	r := rand.New(rand.NewPCG(cfg.Seed, 0))
	songs := make([]Song, 0, cfg.Files)
	for album := 0; len(songs) < cfg.Files; album++ {
		songs = append(songs, oneAlbum(r, cfg, album, cfg.Files-len(songs))...)
	}
	return songs
}

// oneAlbum generates an album of at most most songs. Every fifth has two discs, every seventh is a
// compilation.
func oneAlbum(r *rand.Rand, cfg Config, number, most int) []Song {
	artist := fmt.Sprintf("%s %s %d", word(r), word(r), number/5)
	title := fmt.Sprintf("%s %s %d", word(r), word(r), number)
	compilation, discs := number%7 == 3, 1
	if number%5 == 4 {
		discs = 2
	}
	format := cfg.Formats[number%len(cfg.Formats)]
	year := 1960 + r.IntN(65)
	release := uuid(r)
	folder := path.Join(artist, fmt.Sprintf("%s (%d)", title, year))
	if compilation {
		folder = path.Join("Compilations", title)
	}
	var out []Song
	for disc := 1; disc <= discs; disc++ {
		for track := 1; track <= 10 && len(out) < most; track++ {
			s := Song{
				Format: format, Title: word(r) + " " + word(r), Artists: []string{artist},
				Album: title, AlbumArtist: artist, Compilation: compilation,
				Track: track, Disc: disc, Year: year, Genre: genres[r.IntN(len(genres))],
				TrackGain: float64(r.IntN(2400)-1600) / 100, Embedded: number%3 == 0, FolderCover: number%2 == 0,
			}
			switch {
			case compilation:
				s.Artists, s.AlbumArtist = []string{fmt.Sprintf("%s %s", word(r), word(r))}, ""
			case r.IntN(8) == 0:
				s.Artists = append(s.Artists, word(r)+" Guest")
			}
			if number%4 == 1 {
				s.Recording, s.Release = uuid(r), release
			}
			if r.IntN(6) == 0 {
				explicit := r.IntN(2) == 0
				s.Explicit = &explicit
			}
			name := fmt.Sprintf("%02d %s.%s", track, s.Title, encoders[format].ext)
			if discs > 1 {
				name = path.Join(fmt.Sprintf("CD%d", disc), name)
			}
			s.Path = path.Join(folder, name)
			out = append(out, s)
		}
	}
	return out
}

func word(r *rand.Rand) string {
	w := ""
	for range 2 + r.IntN(2) {
		w += syllables[r.IntN(len(syllables))]
	}
	runes := []rune(w)
	return strings.ToUpper(string(runes[:1])) + string(runes[1:])
}

func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(a>>32), uint16(a>>16), a&0xfff, b>>52, b&0xffffffffffff)
}
