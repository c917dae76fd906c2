// Package release turns the pieces into a record collection: albums of tagged,
// encoded files with ReplayGain, covers and a playlist.
package release

import (
	"fmt"

	"waxwing/composer/cover"
	"waxwing/composer/pieces"
	"waxwing/composer/studio"
)

// Year is the year of every release.
const Year = 2026

// Album is one record.
type Album struct {
	Title  string
	Artist string // the album artist
	Genre  string
	Cover  cover.Painter
	Sides  []Side
}

// Side is one continuous recording and the tracks it is cut into, without a gap.
type Side struct {
	Session func() studio.Session
	Format  Format
	Tracks  []Track
}

// Track is one file of an album.
type Track struct {
	Title  string
	Artist string
	// Until is the beat at which the track ends and the next of its side begins; 0 for
	// the last one.
	Until float64
}

// File is the track's place in the collection: Artist/Album/NN Title.ext.
func (a Album) File(number int, title string, f Format) string {
	return fmt.Sprintf("%s/%02d %s.%s", a.Folder(), number, title, f.Extension)
}

// Folder is the album's place in the collection.
func (a Album) Folder() string { return a.Artist + "/" + a.Title }

// whole is a recording that is one track.
func whole(title, artist string, session func() studio.Session, f Format) Side {
	return Side{Session: session, Format: f, Tracks: []Track{{Title: title, Artist: artist}}}
}

const (
	trio   = "Trio Halvmåne"
	lumen  = "Lumen Atlas"
	neon   = "Neon Kōen"
	ines   = "Inês Marrow"
	aviary = "The Clockwork Aviary"
)

// Collection is everything Waxwing brings along.
func Collection() []Album {
	return []Album{
		{
			Title: "Lamplight", Artist: trio, Genre: "Jazz", Cover: cover.HalfMoon,
			Sides: []Side{
				whole("Lamplight Waltz", trio, pieces.LamplightWaltz, MP3),
				whole("Blå time", trio, pieces.BlueHour, MP3),
				whole("Last Tram Home", trio, pieces.LastTram, MP3),
			},
		},
		{
			Title: "Slow Weather", Artist: lumen, Genre: "Ambient", Cover: cover.Ridges,
			Sides: []Side{
				whole("Cirrus", lumen, pieces.Cirrus, Vorbis),
				{Session: pieces.Tides, Format: FLAC, Tracks: []Track{
					{Title: "Ebb", Artist: lumen, Until: pieces.TidesBorder},
					{Title: "Flood", Artist: lumen},
				}},
				whole("First Frost", lumen, pieces.FirstFrost, AAC),
			},
		},
		{
			Title: "Insert Moon", Artist: neon, Genre: "Electronic", Cover: cover.NightPark,
			Sides: []Side{
				whole("コイン Garden", neon, pieces.CoinGarden, Vorbis),
				{Session: pieces.NightBus, Format: Opus, Tracks: []Track{
					{Title: "Night Bus 23", Artist: neon, Until: pieces.NightBusBorder},
					{Title: "Terminus", Artist: neon},
				}},
			},
		},
		{
			Title: "Juniper Post", Artist: "Various Artists", Genre: "Folk", Cover: cover.Stamp,
			Sides: []Side{
				whole("Paper Boats", ines, pieces.PaperBoats, Opus),
				whole("Snow Globe", aviary, pieces.SnowGlobe, Opus),
				whole("Añil", ines, pieces.Anil, Vorbis),
				whole("Wren, Unwinding", aviary, pieces.Wren, AAC),
			},
		},
	}
}
