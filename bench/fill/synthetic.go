package main

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"waxwing/internal/catalog"
)

const (
	vocabulary = 80_000 // words; a few are frequent, most are rare
	perAlbum   = 12
)

// music generates songs. The n-th song is the same for the same seed and size.
type music struct {
	size   size
	random *rand.Rand
	words  []string
}

func newMusic(seed uint64, n size) *music {
	m := &music{size: n, random: rand.New(rand.NewPCG(seed, 1))}
	m.words = make([]string, vocabulary)
	copy(m.words, strings.Fields("the of love you me in my a night to day i it on heart for blue dance time all light "+
		"rain song down one over fire world home girl little red sun black moon"))
	for i := range m.words {
		if m.words[i] == "" {
			m.words[i] = m.invent()
		}
	}
	return m
}

// invent generates a pronounceable word.
func (m *music) invent() string {
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	var b strings.Builder
	for range 2 + m.random.IntN(3) {
		b.WriteByte(consonants[m.random.IntN(len(consonants))])
		b.WriteByte(vowels[m.random.IntN(len(vowels))])
		if m.random.IntN(3) == 0 {
			b.WriteByte(consonants[m.random.IntN(len(consonants))])
		}
	}
	return b.String()
}

// skewed returns a random number below n; small numbers are more likely.
func (m *music) skewed(n int) int {
	return int(math.Pow(float64(n), m.random.Float64())) - 1
}

func (m *music) word() string { return title(m.words[m.skewed(len(m.words))]) }

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// artist returns the name of the n-th artist.
func (m *music) artist(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 2))
	name := title(m.words[r.IntN(len(m.words))]) + " " + title(m.words[r.IntN(len(m.words))])
	if n%4 == 0 {
		name = "The " + name
	}
	return name
}

func (m *music) song(n int) catalog.ScannedSong {
	words := make([]string, 1+m.random.IntN(4))
	for i := range words {
		words[i] = m.word()
	}
	album, track := n/perAlbum, n%perAlbum+1
	if n < m.size.oneAlbum {
		album, track = 0, n+1
	}
	artist := catalog.ArtistTag{Name: m.artist(album % m.size.artists)}
	credits := []catalog.Credit{{Artist: artist, Role: catalog.MainArtist}}
	if n%9 == 0 {
		guest := catalog.ArtistTag{Name: m.artist(m.random.IntN(m.size.artists))}
		credits = append(credits, catalog.Credit{Artist: guest, Role: catalog.FeaturedArtist})
	}
	if n < m.size.oneArtist {
		guest := catalog.ArtistTag{Name: "Everybody's Guest"}
		credits = append(credits, catalog.Credit{Artist: guest, Role: catalog.FeaturedArtist})
	}
	r := rand.New(rand.NewPCG(uint64(album), 3))
	name := title(m.words[r.IntN(len(m.words))]) + " " + title(m.words[r.IntN(1000)])
	year := 1960 + r.IntN(66)
	var mark [16]byte
	binary.BigEndian.PutUint64(mark[:], m.random.Uint64())
	binary.BigEndian.PutUint64(mark[8:], uint64(n))
	text := strings.Join(words, " ")
	return catalog.ScannedSong{
		File: catalog.File{
			FileRef: catalog.FileRef{
				Root: catalog.SyntheticRoot + "fill",
				Path: fmt.Sprintf("%s/%s/%02d %s.flac", artist.Name, name, track, text),
			},
			Size: int64(20_000_000 + n), ModTime: time.UnixMicro(1_700_000_000_000_000 + int64(n)),
		},
		Title: text, Credits: credits,
		Album: &catalog.AlbumTag{
			Title:   name,
			Artists: []catalog.ArtistTag{artist},
			Year:    year,
			Key:     fmt.Sprintf("fill %d", album),
		},
		Track: track, Disc: 1, Year: year, Genres: []string{m.words[r.IntN(200)]},
		Duration: time.Duration(120_000+m.random.IntN(240_000)) * time.Millisecond,
		Format:   []string{"flac", "mp3", "opus", "aac"}[n%4], Bitrate: []int{900, 320, 160, 256}[n%4],
		Identities: []catalog.Identity{
			{Kind: catalog.ByAudio, Value: hex.EncodeToString(mark[:])},
			{Kind: catalog.ByTags, Value: fmt.Sprintf("%s|%s|%d", artist.Name, text, n)},
		},
	}
}
