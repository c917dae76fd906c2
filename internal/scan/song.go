package scan

import (
	"encoding/hex"
	"path"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/lyrics"
	"waxwing/internal/tags"
	"waxwing/internal/words"
)

// readFile is a file whose tags were read.
type taggedFile struct {
	foundFile
	tags  tags.Tags
	cover *catalog.Cover
	texts []lyrics.Text // in files beside it
}

// newSong returns the catalog's form of a file. groupAlbums completes the album from the whole
// folder.
func newSong(f taggedFile) catalog.ScannedSong {
	t := f.tags
	name := parseFileName(f.Path)
	if t.Title == "" && t.Artist == "" && t.Album == "" {
		// Without tags, use the names of the file and its folders.
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
		Duration: t.Duration.Round(time.Millisecond), Year: t.Year, Explicit: t.Explicit,
		Genres: t.Genres, Format: string(t.Format), Bitrate: t.Bitrate, Cover: f.cover, Lyrics: t.Lyrics,
		LyricFiles: f.texts, Details: details(t),
		Gain: catalog.ReplayGain{
			TrackGain: t.Gain.Track, TrackPeak: t.Gain.TrackPeak,
			AlbumGain: t.Gain.Album, AlbumPeak: t.Gain.AlbumPeak,
		},
	}
	song.Credits = artistTags{t.Artists, t.ArtistList, t.ArtistSorts, t.MusicBrainz.Artists}.credits()
	for _, guest := range titleGuests(t.Title) {
		if !credited(song.Credits, guest) {
			credit := catalog.Credit{Artist: catalog.ArtistTag{Name: guest}, Role: catalog.FeaturedArtist}
			song.Credits = append(song.Credits, credit)
		}
	}
	if t.Album != "" {
		song.Album = &catalog.AlbumTag{
			Title: t.Album, MusicBrainz: t.MusicBrainz.Release, Year: t.Year, Compilation: t.Compilation,
		}
		album := artistTags{t.AlbumArtists, t.AlbumArtistList, t.AlbumArtistSorts, t.MusicBrainz.AlbumArtists}
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

func details(t tags.Tags) catalog.Details {
	return catalog.Details{
		SampleRate: t.SampleRate, Channels: t.Channels, BitDepth: t.BitDepth, Released: t.Date, Composers: t.Composers,
		MusicBrainz: catalog.MusicBrainzIDs{
			Recording: t.MusicBrainz.Recording, Track: t.MusicBrainz.Track, Album: t.MusicBrainz.Release,
			Artists: t.MusicBrainz.Artists, AlbumArtists: t.MusicBrainz.AlbumArtists,
		},
	}
}

// identities are the keys by which a song is recognised after its file has moved.
func identities(t tags.Tags) []catalog.Identity {
	keys := []catalog.Identity{{Kind: catalog.ByAudio, Value: hex.EncodeToString(t.AudioID[:])}}
	if id := t.MusicBrainz.Recording; id != "" {
		keys = append(keys, catalog.Identity{Kind: catalog.ByMusicBrainz, Value: id + "/" + t.MusicBrainz.Release})
	}
	if t.Title != "" && t.Artist != "" && t.Album != "" {
		keys = append(keys, catalog.TagIdentity(t.Artist, t.Album, t.Title, t.Disc, t.Track))
	}
	return keys
}

// groupAlbums completes the albums of the songs of one folder. Without an album artist, songs with
// the same album title and the same first artist are an album of that artist. With different
// artists they are a compilation; the name of the folder distinguishes compilations with the same
// title.
func groupAlbums(dir string, songs []catalog.ScannedSong) {
	mainArtists := map[string]map[string]bool{}
	for _, s := range songs {
		if s.Album == nil || len(s.Album.Artists) > 0 {
			continue
		}
		title := words.Key(s.Album.Title)
		if mainArtists[title] == nil {
			mainArtists[title] = map[string]bool{}
		}
		mainArtists[title][firstMainArtist(s)] = true
	}
	for _, s := range songs {
		if s.Album == nil || len(s.Album.Artists) > 0 {
			continue
		}
		title := words.Key(s.Album.Title)
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
			s.Album.Key = catalog.CompilationKey(albumFolder(dir), s.Album.Title)
		}
	}
}

// firstMainArtist returns the folded name of the first main artist of a song.
func firstMainArtist(s catalog.ScannedSong) string {
	for _, c := range s.Credits {
		if c.Role == catalog.MainArtist {
			return words.Key(c.Artist.Name)
		}
	}
	return ""
}

// albumFolder returns the name of the folder of a whole album: dir, or its parent if dir is a
// disc.
func albumFolder(dir string) string {
	if discFolder(path.Base(dir)) > 0 {
		dir = path.Dir(dir)
	}
	return tags.Clean(path.Base(dir))
}

// isVariousArtists reports whether name stands for many artists.
func isVariousArtists(name string) bool {
	switch words.Key(name) {
	case "various artists", "various", "va", "v.a.", "varios artistas", "verschiedene interpreten":
		return true
	}
	return false
}

// needsNeighbours reports whether the album of a song depends on the other files of its folder.
func needsNeighbours(s catalog.ScannedSong) bool {
	return s.Album != nil && len(s.Album.Artists) == 0 && s.Album.MusicBrainz == "" && !s.Album.Compilation
}
