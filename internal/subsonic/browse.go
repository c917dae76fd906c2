package subsonic

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// ignoredArticles are the words that sort keys leave out.
const ignoredArticles = "The A An"

// musicFolder is the one folder that apps see: the catalog as a whole.
const musicFolder = 1

func (s *server) getMusicFolders(_ context.Context, c *call) error {
	e := c.out
	e.object("musicFolders")
	e.list("musicFolder")
	e.item()
	e.int("id", musicFolder)
	e.str("name", "Music")
	e.end()
	e.endList()
	e.end()
	return nil
}

// index is the artists with one initial.
type index struct {
	name    string
	artists []catalog.FullArtist
}

// indexes groups artists, which are sorted, by their initials. What begins with no letter comes
// first.
func indexes(artists []catalog.FullArtist) []index {
	var found []index
	at := make(map[string]int)
	for _, a := range artists {
		name := initial(a.SortKey)
		if _, known := at[name]; !known {
			at[name] = len(found)
			found = append(found, index{name: name})
		}
		group := &found[at[name]]
		group.artists = append(group.artists, a)
	}
	slices.SortStableFunc(found, func(a, b index) int { return strings.Compare(a.name, b.name) })
	return found
}

func initial(sortKey string) string {
	r, _ := utf8.DecodeRuneInString(sortKey)
	if r == utf8.RuneError || !unicode.IsLetter(r) {
		return "#"
	}
	return string(unicode.ToUpper(r))
}

// indexed returns the artists of the index, with the one for albums that name none.
func (s *server) indexed(ctx context.Context, c *call) ([]index, error) {
	list, err := s.store.IndexedArtists(ctx, c.viewer)
	if err != nil {
		return nil, err
	}
	loose, total, err := s.store.AlbumsWithoutArtist(ctx, 1)
	if err != nil {
		return nil, err
	}
	if total > 0 {
		a := variousArtist(loose, total)
		at, _ := slices.BinarySearchFunc(list, a.SortKey, func(a catalog.FullArtist, key string) int {
			return strings.Compare(a.SortKey, key)
		})
		list = slices.Insert(list, at, a)
	}
	return indexes(list), nil
}

func (s *server) getArtists(ctx context.Context, c *call) error {
	groups, err := s.indexed(ctx, c)
	if err != nil {
		return err
	}
	e := c.out
	e.object("artists")
	e.str("ignoredArticles", ignoredArticles)
	s.indexList(e, groups, s.artist)
	e.end()
	return nil
}

func (s *server) indexList(e *encoder, groups []index, write func(*encoder, *catalog.FullArtist)) {
	e.list("index")
	for _, group := range groups {
		e.item()
		e.str("name", group.name)
		items(e, "artist", group.artists, write)
		e.end()
	}
	e.endList()
}

// changes records when the lists of artists, albums and songs changed last, as far as this process
// knows.
type changes struct {
	mu      sync.Mutex
	version int64
	at      time.Time
}

func (l *changes) last(view catalog.View) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if version := view.RollVersion(); l.at.IsZero() || l.version != version {
		l.version, l.at = version, time.Now()
	}
	return l.at
}

func (s *server) getIndexes(ctx context.Context, c *call) error {
	changed := s.changes.last(s.store.View())
	since, err := c.int("ifModifiedSince", 0, 0, 1<<62)
	if err != nil {
		return err
	}
	var groups []index
	if since == 0 || changed.UnixMilli() > since {
		if groups, err = s.indexed(ctx, c); err != nil {
			return err
		}
	}
	e := c.out
	e.object("indexes")
	e.int("lastModified", changed.UnixMilli())
	e.str("ignoredArticles", ignoredArticles)
	s.indexList(e, groups, s.artistFolder)
	e.end()
	return nil
}

// artistAlbums returns an artist with all of its albums.
func (s *server) artistAlbums(
	ctx context.Context, c *call, id string,
) (artist catalog.FullArtist, albums []catalog.FullAlbum, err error) {
	var list []catalog.Album
	if id == various.ID {
		var total int64
		if list, total, err = s.store.AlbumsWithoutArtist(ctx, math.MaxInt64); err != nil {
			return artist, nil, err
		}
		if total == 0 {
			return artist, nil, fault.New(fault.NotFound, "there is no album without an artist")
		}
		artist = variousArtist(list, total)
	} else {
		row, err := s.artistByID(ctx, id)
		if err != nil {
			return artist, nil, err
		}
		full, err := s.store.FullArtists(ctx, c.viewer, []catalog.Artist{row})
		if err != nil {
			return artist, nil, err
		}
		artist = full[0]
		if list, err = s.store.ArtistAlbums(ctx, row); err != nil {
			return artist, nil, err
		}
	}
	albums, err = s.store.FullAlbums(ctx, c.viewer, list)
	return artist, albums, err
}

// artistByID returns an artist by id only: a name that looks like one is not an id.
func (s *server) artistByID(ctx context.Context, id string) (catalog.Artist, error) {
	if !strings.HasPrefix(id, "ar_") {
		return catalog.Artist{}, fault.New(fault.NotFound, "there is no artist %.64q", id)
	}
	return s.store.Artist(ctx, id)
}

func (s *server) getArtist(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	artist, list, err := s.artistAlbums(ctx, c, id)
	if err != nil {
		return err
	}
	artist.AlbumCount = int64(len(list))
	e := c.out
	e.object("artist")
	s.artist(e, &artist)
	items(e, "album", list, s.album)
	e.end()
	return nil
}

// albumSongs returns an album with its songs.
func (s *server) albumSongs(
	ctx context.Context, c *call, id string,
) (album catalog.FullAlbum, songs []catalog.FullSong, err error) {
	row, err := s.store.Album(ctx, id)
	if err != nil {
		return album, nil, err
	}
	full, err := s.store.FullAlbums(ctx, c.viewer, []catalog.Album{row})
	if err != nil {
		return album, nil, err
	}
	songs, err = s.store.FullAlbumSongs(ctx, c.viewer, row)
	return full[0], songs, err
}

func (s *server) getAlbum(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	album, songs, err := s.albumSongs(ctx, c, id)
	if err != nil {
		return err
	}
	e := c.out
	e.object("album")
	s.album(e, &album)
	s.songs(e, "song", songs)
	e.end()
	return nil
}

func (s *server) getSong(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	song, err := s.store.FullSong(ctx, c.viewer, id)
	if err != nil {
		return err
	}
	c.out.object("song")
	s.song(c.out, &song)
	c.out.end()
	return nil
}

// getMusicDirectory lists the catalog as folders: artists contain albums, albums songs. A song
// without an album is in the folder of its artist.
func (s *server) getMusicDirectory(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	e := c.out
	switch {
	case id == strconv.Itoa(musicFolder):
		return s.rootDirectory(ctx, c)
	case strings.HasPrefix(id, "al_"):
		album, songs, err := s.albumSongs(ctx, c, id)
		if err != nil {
			return err
		}
		e.object("directory")
		e.str("id", album.ID)
		e.str("parent", albumArtist(album.Album).ID)
		e.str("name", album.Title)
		e.mine(album.Personal)
		s.songs(e, "child", songs)
		e.end()
		return nil
	}
	artist, list, err := s.artistAlbums(ctx, c, id)
	if err != nil {
		return err
	}
	loose, err := s.store.ArtistLooseSongs(ctx, c.viewer, artist.Artist)
	if err != nil {
		return err
	}
	e.object("directory")
	e.str("id", artist.ID)
	e.str("parent", strconv.Itoa(musicFolder))
	e.str("name", artist.Name)
	e.mine(artist.Personal)
	e.list("child")
	for i := range list {
		e.item()
		s.albumFolder(e, &list[i])
		e.end()
	}
	s.songItems(e, loose)
	e.endList()
	e.end()
	return nil
}

// rootDirectory lists all artists as folders.
func (s *server) rootDirectory(ctx context.Context, c *call) error {
	groups, err := s.indexed(ctx, c)
	if err != nil {
		return err
	}
	e := c.out
	e.object("directory")
	e.str("id", strconv.Itoa(musicFolder))
	e.str("name", "Music")
	e.list("child")
	for _, group := range groups {
		for _, a := range group.artists {
			e.item()
			e.str("id", a.ID)
			e.str("parent", strconv.Itoa(musicFolder))
			e.bool("isDir", true)
			e.str("title", a.Name)
			e.str("artist", a.Name)
			e.str("coverArt", s.cover(a.Cover))
			e.mine(a.Personal)
			e.end()
		}
	}
	e.endList()
	e.end()
	return nil
}

func (s *server) getGenres(ctx context.Context, c *call) error {
	e := c.out
	e.object("genres")
	e.list("genre")
	err := c.eachChunk(ctx, 0, 1<<31, func(ctx context.Context, offset, n int64) (int, error) {
		genres, _, err := s.store.Genres(ctx, catalog.Span(offset, n))
		for _, g := range genres {
			e.item()
			e.int("songCount", g.SongCount)
			e.int("albumCount", g.AlbumCount)
			e.value(g.Name)
			e.end()
		}
		return len(genres), err
	})
	e.endList()
	e.end()
	return err
}
