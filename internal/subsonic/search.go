package subsonic

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"waxwing/internal/catalog"
)

const (
	initialFound = 20
	// maxFound is how many rows of each kind a search finds.
	maxFound = 500
	// rollAge is how long a client has for the next part of all songs, albums or artists.
	rollAge  = 15 * time.Minute
	maxRolls = 1024 // keys
)

// rolls holds, for each key, the lists that its app reads in parts. The first part takes a new
// list, so that an app that synchronizes during a scan gets every row once.
type rolls struct {
	mu    sync.Mutex
	byKey map[string]*keyRolls
}

type keyRolls struct {
	used  time.Time
	rolls [catalog.ArtistItem + 1]*catalog.Roll
}

// outdated reports whether the app of a key reads lists of another version than the current one.
func (l *rolls) outdated(key string, version int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.byKey[key]
	if k == nil || time.Since(k.used) >= rollAge {
		return false
	}
	return slices.ContainsFunc(k.rolls[:], func(r *catalog.Roll) bool { return r != nil && r.Version() != version })
}

// get returns the list of a kind that the app of a key reads.
func (l *rolls) get(
	ctx context.Context, store *catalog.Store, key string, kind catalog.ItemKind, offset int64,
) (catalog.Roll, error) {
	l.mu.Lock()
	k := l.byKey[key]
	if k != nil && time.Since(k.used) >= rollAge {
		k = nil
	}
	if k != nil && offset > 0 && k.rolls[kind] != nil {
		k.used = time.Now()
		l.mu.Unlock()
		return *k.rolls[kind], nil
	}
	l.mu.Unlock()
	roll, err := store.Roll(ctx, kind)
	if err != nil {
		return roll, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byKey == nil || len(l.byKey) >= maxRolls {
		l.byKey = make(map[string]*keyRolls)
	}
	if k = l.byKey[key]; k == nil {
		k = &keyRolls{}
		l.byKey[key] = k
	}
	k.used = time.Now()
	k.rolls[kind] = &roll
	return roll, nil
}

// parts are the count and offset of the rows of one kind.
type parts struct{ count, offset int64 }

// searchKinds are the kinds of rows in the order of replies, with the beginnings of their
// parameters.
var searchKinds = [...]struct {
	name string
	kind catalog.ItemKind
}{{"artist", catalog.ArtistItem}, {"album", catalog.AlbumItem}, {"song", catalog.SongItem}}

// searched returns the query of a search, "" for everything, and the parts that it wants.
func searched(c *call) (query string, p [len(searchKinds)]parts, err error) {
	for i, k := range searchKinds {
		if p[i].count, err = c.int(k.name+"Count", initialFound, 0, math.MaxInt32); err != nil {
			return "", p, err
		}
		if p[i].offset, err = c.int(k.name+"Offset", 0, 0, math.MaxInt32); err != nil {
			return "", p, err
		}
	}
	if query = strings.TrimSpace(c.get("query")); query == `""` {
		query = ""
	}
	return query, p, nil
}

// prepareSearch begins the lists that a search reads from their start. It reports whether the reply
// is the same for all apps of the user: those that read older lists get replies of their own.
func (s *server) prepareSearch(c *call) (shared bool, err error) {
	query, p, err := searched(c)
	if err != nil || query != "" {
		return err == nil, err
	}
	for i, k := range searchKinds {
		if p[i].count > 0 && p[i].offset == 0 {
			if _, err := s.rolls.get(c.Context(), s.store, c.key.ID, k.kind, 0); err != nil {
				return false, err
			}
		}
	}
	return !s.rolls.outdated(c.key.ID, s.store.View().RollVersion()), nil
}

// found writes the parts of a reply to a search.
type found struct {
	name   string
	artist func(*encoder, *catalog.FullArtist)
	album  func(*encoder, *catalog.FullAlbum)
}

// search returns the endpoint of a search. Without a query it lists everything in the order in
// which it was added. A part that fails fails the reply: an app would delete what it does not see.
func (s *server) search(f found) endpoint {
	return func(ctx context.Context, c *call) error {
		query, p, err := searched(c)
		if err != nil {
			return err
		}
		c.out.object(f.name)
		defer c.out.end()
		if query == "" {
			return s.everything(ctx, c, f, p)
		}
		return s.matches(ctx, c, f, p, query)
	}
}

// everything writes parts of all artists, albums and songs.
func (s *server) everything(ctx context.Context, c *call, f found, p [len(searchKinds)]parts) error {
	e := c.out
	var all [len(searchKinds)]catalog.Roll
	for i, k := range searchKinds {
		if p[i].count > 0 {
			var err error
			if all[i], err = s.rolls.get(ctx, s.store, c.key.ID, k.kind, max(1, p[i].offset)); err != nil {
				return err
			}
		}
	}
	e.list("artist")
	err := c.eachChunk(ctx, p[0].offset, p[0].count, func(ctx context.Context, offset, n int64) (int, error) {
		list, err := s.store.RollArtists(ctx, c.viewer, all[0], offset, n)
		writeItems(e, list, f.artist)
		return len(list), err
	})
	if err != nil {
		return err
	}
	e.endList()
	e.list("album")
	err = c.eachChunk(ctx, p[1].offset, p[1].count, func(ctx context.Context, offset, n int64) (int, error) {
		list, err := s.store.RollAlbums(ctx, c.viewer, all[1], offset, n)
		writeItems(e, list, f.album)
		return len(list), err
	})
	if err != nil {
		return err
	}
	e.endList()
	e.list("song")
	err = c.eachChunk(ctx, p[2].offset, p[2].count, func(ctx context.Context, offset, n int64) (int, error) {
		list, err := s.store.RollSongs(ctx, c.viewer, all[2], offset, n)
		s.songItems(e, list)
		return len(list), err
	})
	if err != nil {
		return err
	}
	e.endList()
	return nil
}

// matches writes what a query finds, the most popular first.
func (s *server) matches(ctx context.Context, c *call, f found, p [len(searchKinds)]parts, query string) error {
	limit := int64(0)
	for _, part := range p {
		if part.count > 0 {
			limit = max(limit, min(maxFound, part.offset+part.count))
		}
	}
	hits, err := s.store.Search(ctx, c.viewer, query, max(1, limit))
	if err != nil {
		return err
	}
	foundArtists, err := s.store.FullArtists(ctx, c.viewer, window(hits.Artists, p[0]))
	if err != nil {
		return err
	}
	foundAlbums, err := s.store.FullAlbums(ctx, c.viewer, window(hits.Albums, p[1]))
	if err != nil {
		return err
	}
	songs, err := s.store.FullSongs(ctx, c.viewer, window(hits.Songs, p[2]))
	if err != nil {
		return err
	}
	items(c.out, "artist", foundArtists, f.artist)
	items(c.out, "album", foundAlbums, f.album)
	s.songs(c.out, "song", songs)
	return nil
}

// window returns a part of a list.
func window[T any](list []T, p parts) []T {
	from := min(p.offset, int64(len(list)))
	return list[from : from+min(p.count, int64(len(list))-from)]
}
