package subsonic

import (
	"context"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/lyrics"
)

const (
	initialSimilar = 50
	similarArtists = 20
)

// artistOf returns the artist of an id: of an artist itself, or the first of an album or song. The
// zero Artist stands for an object without an artist.
func (s *server) artistOf(ctx context.Context, c *call, id string) (catalog.Artist, error) {
	switch {
	case id == various.ID:
		return catalog.Artist{}, nil
	case strings.HasPrefix(id, "so_"):
		song, err := s.store.FullSong(ctx, c.viewer, id)
		if err != nil || text(song.ArtistID) == "" {
			return catalog.Artist{}, err
		}
		return s.store.Artist(ctx, *song.ArtistID)
	case strings.HasPrefix(id, "al_"):
		album, err := s.store.Album(ctx, id)
		if err != nil || len(album.Artists) == 0 {
			return catalog.Artist{}, err
		}
		return s.store.Artist(ctx, album.Artists[0].ID)
	}
	return s.artistByID(ctx, id)
}

// getArtistInfos returns the endpoint that describes an artist, with the given form of artists.
// Nothing is looked up elsewhere: similar artists are those of similar songs.
func (s *server) getArtistInfos(name string, write func(*encoder, *catalog.FullArtist)) endpoint {
	return func(ctx context.Context, c *call) error {
		id, err := c.required("id")
		if err != nil {
			return err
		}
		count, err := c.int("count", similarArtists, 0, 100)
		if err != nil {
			return err
		}
		artist, err := s.artistOf(ctx, c, id)
		if err != nil {
			return err
		}
		var similar []catalog.FullArtist
		if artist.ID != "" && count > 0 {
			if similar, err = s.similarArtists(ctx, c, artist, int(count)); err != nil {
				return err
			}
		}
		full, err := s.store.FullArtists(ctx, c.viewer, []catalog.Artist{artist})
		if err != nil {
			return err
		}
		e := c.out
		e.object(name)
		if artist.ID != "" {
			e.text("biography", artist.Bio)
			e.text("musicBrainzId", full[0].MusicBrainz)
		}
		items(e, "similarArtist", similar, write)
		e.end()
		return nil
	}
}

// similarArtists returns the artists of the songs that are similar to those of an artist.
func (s *server) similarArtists(
	ctx context.Context, c *call, artist catalog.Artist, count int,
) ([]catalog.FullArtist, error) {
	songs, err := s.similarTo(ctx, c, artist, 10*int64(count))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{artist.ID: true}
	var found []catalog.Artist
	for _, song := range songs {
		id := text(song.ArtistID)
		if id == "" || seen[id] || len(found) == count {
			continue
		}
		seen[id] = true
		similar, err := s.store.Artist(ctx, id)
		if err != nil {
			return nil, err
		}
		found = append(found, similar)
	}
	return s.store.FullArtists(ctx, c.viewer, found)
}

// similarTo returns songs that are similar to the most played one of an artist.
func (s *server) similarTo(
	ctx context.Context, c *call, artist catalog.Artist, count int64,
) ([]catalog.FullSong, error) {
	top, err := s.store.ArtistTopSongs(ctx, c.viewer, artist, 1)
	if err != nil || len(top) == 0 {
		return nil, err
	}
	songs, err := s.store.Similar(ctx, c.viewer, top[0].ID, count)
	if err != nil {
		return nil, err
	}
	return s.store.FullSongs(ctx, c.viewer, songs)
}

// getAlbumInfo describes an album. Nothing is looked up elsewhere.
func (s *server) getAlbumInfo(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	if strings.HasPrefix(id, "so_") {
		_, err = s.store.Song(ctx, id)
	} else {
		_, err = s.store.Album(ctx, id)
	}
	if err != nil {
		return err
	}
	e := c.out
	e.object("albumInfo")
	e.text("notes", "")
	e.end()
	return nil
}

// getSimilar returns the endpoint of songs that are similar to a song, album or artist.
func (s *server) getSimilar(name string) endpoint {
	return func(ctx context.Context, c *call) error {
		id, err := c.required("id")
		if err != nil {
			return err
		}
		count, err := c.int("count", initialSimilar, 0, maxSize)
		if err != nil {
			return err
		}
		songs, err := s.similarByID(ctx, c, id, count)
		if err != nil {
			return err
		}
		c.out.object(name)
		s.songs(c.out, "song", cut(songs, count))
		c.out.end()
		return nil
	}
}

func (s *server) similarByID(ctx context.Context, c *call, id string, count int64) ([]catalog.FullSong, error) {
	if strings.HasPrefix(id, "so_") {
		songs, err := s.store.Similar(ctx, c.viewer, id, max(1, count))
		if err != nil {
			return nil, err
		}
		return s.store.FullSongs(ctx, c.viewer, songs)
	}
	artist, err := s.artistOf(ctx, c, id)
	if err != nil || artist.ID == "" {
		return nil, err
	}
	return s.similarTo(ctx, c, artist, max(1, count))
}

// getTopSongs lists the songs of an artist that this user played most, then those that all did.
func (s *server) getTopSongs(ctx context.Context, c *call) error {
	count, err := c.int("count", initialSimilar, 0, maxSize)
	if err != nil {
		return err
	}
	var artist catalog.Artist
	if id := c.get("id"); id != "" {
		artist, err = s.artistByID(ctx, id)
	} else if _, err = c.required("artist"); err == nil {
		artist, err = s.store.ArtistByName(ctx, c.get("artist"))
	}
	if kind, _ := fault.Of(err); kind == fault.NotFound && c.get("id") == "" {
		err = nil // an unknown name has no songs
	}
	if err != nil {
		return err
	}
	var songs []catalog.FullSong
	if artist.ID != "" {
		if songs, err = s.store.ArtistTopSongs(ctx, c.viewer, artist, count); err != nil {
			return err
		}
	}
	c.out.object("topSongs")
	s.songs(c.out, "song", songs)
	c.out.end()
	return nil
}

// getLyrics returns the text of a song by artist and title.
func (s *server) getLyrics(ctx context.Context, c *call) error {
	artist, title := c.get("artist"), c.get("title")
	e := c.out
	e.object("lyrics")
	defer e.end()
	song, err := s.store.SongByTitle(ctx, artist, title)
	if kind, _ := fault.Of(err); kind == fault.NotFound {
		e.known("artist", artist)
		e.known("title", title)
		e.value("")
		return nil
	}
	if err != nil {
		return err
	}
	texts, err := s.store.Lyrics(ctx, song)
	if err != nil {
		return err
	}
	e.known("artist", artist)
	e.known("title", title)
	var lines []string
	if all := lyrics.ParseAll(texts); len(all) > 0 {
		for _, line := range all[0].Lines {
			lines = append(lines, line.Text)
		}
	}
	e.value(strings.Join(lines, "\n"))
	return nil
}

// getLyricsBySongID returns all texts of a song, with the times of lines, and with those of words
// if the app wants them.
func (s *server) getLyricsBySongID(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	song, err := s.store.FullSong(ctx, c.viewer, id)
	if err != nil {
		return err
	}
	texts, err := s.store.Lyrics(ctx, id)
	if err != nil {
		return err
	}
	enhanced := c.bool("enhanced", false)
	e := c.out
	e.object("lyricsList")
	e.list("structuredLyrics")
	for _, l := range lyrics.ParseAll(texts) {
		e.item()
		e.lyrics(l, &song, enhanced)
		e.end()
	}
	e.endList()
	e.end()
	return nil
}

// lyrics writes one text of a song.
func (e *encoder) lyrics(l lyrics.Lyrics, song *catalog.FullSong, enhanced bool) {
	lang := l.Lang
	if lang == "" {
		lang = "und"
	}
	e.str("displayArtist", text(song.Artist))
	e.str("displayTitle", song.Title)
	e.str("lang", lang)
	e.int("offset", l.Offset.Milliseconds())
	e.bool("synced", l.Synced)
	if enhanced {
		e.str("kind", "main")
	}
	e.list("line")
	for _, line := range l.Lines {
		e.item()
		if l.Synced {
			e.int("start", line.Start.Milliseconds())
		}
		e.value(line.Text)
		e.end()
	}
	e.endList()
	if enhanced {
		e.cueLines(l)
	}
}

// cueLines writes the lines that have times of words.
func (e *encoder) cueLines(l lyrics.Lyrics) {
	e.list("cueLine")
	for i, line := range l.Lines {
		if !l.Synced || len(line.Words) == 0 {
			continue
		}
		e.item()
		e.int("index", int64(i))
		e.int("start", line.Start.Milliseconds())
		e.str("value", line.Text)
		e.list("cue")
		at := 0
		for _, word := range line.Words {
			if word.Text == "" {
				continue
			}
			e.item()
			e.int("start", word.Start.Milliseconds())
			e.int("byteStart", int64(at))
			at += len(word.Text)
			e.int("byteEnd", int64(at-1)) // the last byte
			e.value(word.Text)
			e.end()
		}
		e.endList()
		e.end()
	}
	e.endList()
}
