package subsonic

import (
	"context"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

const (
	initialSize = 10
	maxSize     = 500 // of lists of albums and of random songs
)

// albumList returns the albums of a list. total is −1 if it has none.
func (s *server) albumList(ctx context.Context, c *call) (list []catalog.FullAlbum, total int64, err error) {
	kind, err := c.required("type")
	if err != nil {
		return nil, 0, err
	}
	offset, size, err := c.span(initialSize, maxSize, "offset", "size", "limit") // some apps send limit
	if err != nil {
		return nil, 0, err
	}
	q := catalog.AlbumQuery{Viewer: c.viewer}
	switch kind {
	case "random":
		list, err = s.store.RandomAlbums(ctx, c.viewer, size)
		return list, -1, err
	case "newest":
		q.Sort = "newest"
	case "highest":
		q.Sort = "rating"
	case "frequent", "recent":
		q.Sort = kind
	case "alphabeticalByName":
		q.Sort = "title"
	case "alphabeticalByArtist":
		q.Sort = "artist"
	case "starred":
		return s.starredAlbums(ctx, c, offset, size)
	case "byYear":
		if err := years(c, &q); err != nil {
			return nil, 0, err
		}
	case "byGenre":
		q.Sort = "title"
		if q.Genre, err = c.required("genre"); err != nil {
			return nil, 0, err
		}
	default:
		return nil, 0, fault.New(fault.Invalid, "there is no list of the type %.40q", kind)
	}
	return s.store.ListFullAlbums(ctx, q, offset, size)
}

// cut shortens a list: a page has at least one row.
func cut[T any](list []T, size int64) []T { return list[:min(int64(len(list)), size)] }

// years selects albums by year, from the last to the first if fromYear is later than toYear. Albums
// without a year are left out.
func years(c *call, q *catalog.AlbumQuery) error {
	for _, name := range []string{"fromYear", "toYear"} {
		if _, err := c.required(name); err != nil {
			return err
		}
	}
	from, err := c.int("fromYear", 0, 1, 1<<20)
	if err != nil {
		return err
	}
	to, err := c.int("toYear", 0, 1, 1<<20)
	if err != nil {
		return err
	}
	q.Sort, q.Order = "year", catalog.Ascending
	if from > to {
		from, to, q.Order = to, from, catalog.Descending
	}
	q.Years = catalog.Range{From: int(from), To: int(to)}
	return nil
}

func (s *server) starredAlbums(
	ctx context.Context, c *call, offset, size int64,
) (list []catalog.FullAlbum, total int64, err error) {
	rated, total, err := s.store.LikedAlbums(ctx, c.viewer, catalog.Span(offset, size))
	if err != nil {
		return nil, 0, err
	}
	rows := make([]catalog.Album, len(rated))
	for i, r := range rated {
		rows[i] = r.Row
	}
	list, err = s.store.FullAlbums(ctx, c.viewer, cut(rows, size))
	return list, total, err
}

// getAlbumLists returns the endpoint of a list of albums, with the given name and form of albums.
func (s *server) getAlbumLists(name string, write func(*encoder, *catalog.FullAlbum)) endpoint {
	return func(ctx context.Context, c *call) error {
		list, total, err := s.albumList(ctx, c)
		if err != nil {
			return err
		}
		c.total = total
		c.out.object(name)
		items(c.out, "album", list, write)
		c.out.end()
		return nil
	}
}

func (s *server) getRandomSongs(ctx context.Context, c *call) error {
	_, size, err := c.span(initialSize, maxSize, "", "size")
	if err != nil {
		return err
	}
	q := catalog.SongQuery{Genre: c.get("genre")}
	from, err := c.int("fromYear", 0, 1, 1<<20)
	if err != nil {
		return err
	}
	to, err := c.int("toYear", 0, 1, 1<<20)
	if err != nil {
		return err
	}
	if from != 0 || to != 0 {
		if to == 0 {
			to = 1 << 20
		}
		q.Years = catalog.Range{From: int(max(1, min(from, to))), To: int(max(from, to))}
	}
	songs, err := s.store.RandomSongs(ctx, c.viewer, q, size)
	if err != nil {
		return err
	}
	c.out.object("randomSongs")
	s.songs(c.out, "song", songs)
	c.out.end()
	return nil
}

func (s *server) getSongsByGenre(ctx context.Context, c *call) error {
	genre, err := c.required("genre")
	if err != nil {
		return err
	}
	offset, size, err := c.span(initialSize, maxSize, "offset", "count")
	if err != nil {
		return err
	}
	songs, err := s.store.SongsByGenre(ctx, c.viewer, genre, offset, size)
	if err != nil {
		return err
	}
	c.out.object("songsByGenre")
	s.songs(c.out, "song", songs)
	c.out.end()
	return nil
}

// getStarredLists returns the endpoint of what a user likes, with the given forms of artists and
// albums.
func (s *server) getStarredLists(
	name string, artist func(*encoder, *catalog.FullArtist), album func(*encoder, *catalog.FullAlbum),
) endpoint {
	return func(ctx context.Context, c *call) error {
		likedArtists, likedAlbums, songs, err := s.store.LikedAll(ctx, c.viewer)
		if err != nil {
			return err
		}
		e := c.out
		e.object(name)
		items(e, "artist", likedArtists, artist)
		items(e, "album", likedAlbums, album)
		s.songs(e, "song", songs)
		e.end()
		return nil
	}
}
