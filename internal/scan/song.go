package scan

import (
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/tags"
)

// readFile is a file whose tags were read.
type taggedFile struct {
	foundFile
	tags  tags.Tags
	cover *catalog.Cover
}

// newSong makes what the catalog takes of a file, but for its album, which is seen from the whole folder.
func newSong(f taggedFile) catalog.ScannedSong {
	t := f.tags
	name := parseFileName(f.Path)
	if t.Title == "" && t.Artist == "" && t.Album == "" {
		// Nothing but the name tells: it may tell everything.
		t.Title, t.Artist, t.Album = name.title, name.artist, name.album
		if t.Artist != "" {
			t.Artists = []string{t.Artist}
		}
	}
	if t.Title == "" {
		t.Title = name.title
	}
	if t.Track == 0 {
		t.Track = name.track
	}
	if t.Disc == 0 {
		t.Disc = name.disc
	}
	if t.Artist == "" && t.AlbumArtist != "" {
		t.Artist, t.Artists, t.ArtistList = t.AlbumArtist, t.AlbumArtists, t.AlbumArtistList
		t.MusicBrainz.Artists, t.ArtistSorts = t.MusicBrainz.AlbumArtists, t.AlbumArtistSorts
	}
	song := catalog.ScannedSong{
		File: f.File, Title: t.Title, Artist: t.Artist, Track: t.Track, Disc: t.Disc,
		Duration: t.Duration.Round(time.Millisecond), Year: t.Year, Explicit: t.Explicit, Format: string(t.Format), Bitrate: t.Bitrate,
		Gain:  catalog.ReplayGain{TrackGain: t.Gain.Track, TrackPeak: t.Gain.TrackPeak, AlbumGain: t.Gain.Album, AlbumPeak: t.Gain.AlbumPeak},
		Cover: f.cover,
	}
	if len(t.Genres) > 0 {
		song.Genre = strings.Join(t.Genres, ", ")
	}
	song.Credits = artistTags{t.Artist, t.Artists, t.ArtistList, t.ArtistSorts, t.MusicBrainz.Artists}.credits()
	for _, guest := range titleGuests(t.Title) {
		if !credited(song.Credits, guest) {
			song.Credits = append(song.Credits, catalog.Credit{Artist: catalog.ArtistTag{Name: guest}, Role: catalog.FeaturedArtist})
		}
	}
	if t.Album != "" {
		song.Album = &catalog.AlbumTag{Title: t.Album, MusicBrainz: t.MusicBrainz.Release, Year: t.Year, Compilation: t.Compilation}
		album := artistTags{t.AlbumArtist, t.AlbumArtists, t.AlbumArtistList, t.AlbumArtistSorts, t.MusicBrainz.AlbumArtists}
		for _, c := range album.credits() {
			if isVariousArtists(c.Artist.Name) {
				song.Album.Compilation = true
				continue
			}
			song.Album.Artists = append(song.Album.Artists, c.Artist)
		}
	}
	song.Identities = identities(t)
	return song
}

// identities are the marks by which the song is known again when its file has moved.
func identities(t tags.Tags) []catalog.Identity {
	marks := []catalog.Identity{{Kind: catalog.ByAudio, Value: hex.EncodeToString(t.AudioID[:])}}
	if id := t.MusicBrainz.Recording; id != "" {
		marks = append(marks, catalog.Identity{Kind: catalog.ByMusicBrainz, Value: id + "/" + t.MusicBrainz.Release})
	}
	if t.Title != "" && t.Artist != "" && t.Album != "" {
		key := strings.Join([]string{fold(t.Artist), fold(t.Album), fold(t.Title), strconv.Itoa(t.Disc), strconv.Itoa(t.Track)}, "\x1f")
		marks = append(marks, catalog.Identity{Kind: catalog.ByTags, Value: key})
	}
	return marks
}

// groupAlbums completes the albums of the songs of one folder. Where no album artist is named, the songs of one title
// that share their first artist are an album of that artist; else they are a compilation, which is kept
// apart from others of its title by the name of its folder.
func groupAlbums(dir string, songs []catalog.ScannedSong) {
	mainArtists := map[string]map[string]bool{}
	for _, s := range songs {
		if s.Album == nil || len(s.Album.Artists) > 0 {
			continue
		}
		title := fold(s.Album.Title)
		if mainArtists[title] == nil {
			mainArtists[title] = map[string]bool{}
		}
		mainArtists[title][firstMainArtist(s)] = true
	}
	for _, s := range songs {
		if s.Album == nil || len(s.Album.Artists) > 0 {
			continue
		}
		title := fold(s.Album.Title)
		if !s.Album.Compilation && len(mainArtists[title]) == 1 {
			for _, c := range s.Credits {
				if c.Role == catalog.MainArtist {
					s.Album.Artists = append(s.Album.Artists, c.Artist)
					break
				}
			}
			continue
		}
		s.Album.Compilation = true
		if s.Album.MusicBrainz == "" {
			s.Album.Key = "compilation\x1f" + fold(albumFolder(dir)) + "\x1f" + title
		}
	}
}

// leader is the first main artist of a song, folded.
func firstMainArtist(s catalog.ScannedSong) string {
	for _, c := range s.Credits {
		if c.Role == catalog.MainArtist {
			return fold(c.Artist.Name)
		}
	}
	return ""
}

// albumFolder is the name of the folder that holds a whole album, whose discs may have folders of their own.
func albumFolder(dir string) string {
	if discFolder(path.Base(dir)) > 0 {
		dir = path.Dir(dir)
	}
	return tags.Clean(path.Base(dir))
}

// isVariousArtists tells the names that stand for many artists.
func isVariousArtists(name string) bool {
	switch fold(name) {
	case "various artists", "various", "va", "v.a.", "varios artistas", "verschiedene interpreten":
		return true
	}
	return false
}

// needsNeighbours reports whether the album of a song can only be told from the other files of its folder.
func needsNeighbours(s catalog.ScannedSong) bool {
	return s.Album != nil && len(s.Album.Artists) == 0 && s.Album.MusicBrainz == "" && !s.Album.Compilation
}
