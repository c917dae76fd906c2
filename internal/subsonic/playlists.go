package subsonic

import (
	"context"
	"strconv"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// playlist writes a playlist without its entries.
func (s *server) playlist(e *encoder, c *call, p catalog.Playlist) {
	e.str("id", p.ID)
	e.str("name", p.Name)
	e.known("comment", p.Description)
	e.str("owner", p.Owner.Username)
	e.bool("public", p.Public)
	e.int("songCount", p.SongCount)
	e.int("duration", seconds(p.Duration))
	e.time("created", p.CreatedAt)
	e.time("changed", p.UpdatedAt)
	e.str("coverArt", s.cover(p.Cover))
	if e.open {
		e.bool("readonly", p.Rules != nil || p.Owner.ID != c.key.Owner.ID)
	}
}

func (s *server) getPlaylists(ctx context.Context, c *call) error {
	of := c.get("username")
	e := c.out
	e.object("playlists")
	e.list("playlist")
	err := c.eachChunk(ctx, 0, 1<<31, func(ctx context.Context, offset, n int64) (int, error) {
		list, _, err := s.playlists(ctx, c, of, catalog.Span(offset, n))
		for _, p := range list {
			e.item()
			s.playlist(e, c, p)
			e.end()
		}
		return len(list), err
	})
	e.endList()
	e.end()
	return err
}

func (s *server) playlists(
	ctx context.Context, c *call, of string, page catalog.Page,
) ([]catalog.Playlist, int64, error) {
	if of == "" {
		return s.store.Playlists(ctx, c.viewer, page)
	}
	return s.store.UserPlaylists(ctx, c.viewer, of, page)
}

func (s *server) getPlaylist(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	p, err := s.store.Playlist(ctx, c.viewer, id)
	if err != nil {
		return err
	}
	return s.writePlaylist(ctx, c, p)
}

// writePlaylist writes a playlist with its entries. A long one is sent while it is read.
func (s *server) writePlaylist(ctx context.Context, c *call, p catalog.Playlist) error {
	entries, err := s.store.PlaylistEntries(ctx, p)
	if err != nil {
		return err
	}
	p.SongCount = int64(entries.Len())
	e := c.out
	e.object("playlist")
	s.playlist(e, c, p)
	e.list("entry")
	err = c.eachChunk(ctx, 0, int64(entries.Len()), func(ctx context.Context, offset, n int64) (int, error) {
		songs, err := s.store.EntrySongs(ctx, c.viewer, entries, int(offset), int(n))
		s.songItems(e, songs)
		return len(songs), err
	})
	e.endList()
	e.end()
	return err
}

// createPlaylist creates a playlist, or replaces the entries of one.
func (s *server) createPlaylist(ctx context.Context, c *call) error {
	songs := c.params["songId"]
	id := c.get("playlistId")
	var p catalog.Playlist
	var err error
	if id == "" {
		var name string
		if name, err = c.required("name"); err != nil {
			return err
		}
		p, err = s.store.CreatePlaylist(ctx, c.viewer, catalog.NewPlaylist{Name: name, SongIDs: songs})
	} else {
		edit := catalog.PlaylistEdit{Add: songs, RemoveAll: true}
		if name := c.get("name"); name != "" {
			edit.Name = &name
		}
		p, err = s.store.EditPlaylist(ctx, c.viewer, id, edit)
	}
	if err != nil {
		return err
	}
	return s.writePlaylist(ctx, c, p)
}

func (s *server) updatePlaylist(ctx context.Context, c *call) error {
	id, err := c.required("playlistId")
	if err != nil {
		return err
	}
	edit := catalog.PlaylistEdit{Add: c.params["songIdToAdd"]}
	if name := c.get("name"); name != "" {
		edit.Name = &name
	}
	if _, given := c.params["comment"]; given {
		comment := c.get("comment")
		edit.Description = &comment
	}
	if c.get("public") != "" {
		public := c.bool("public", false)
		edit.Public = &public
	}
	for _, text := range c.params["songIndexToRemove"] {
		index, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fault.New(fault.Invalid, "the parameter songIndexToRemove must be a whole number")
		}
		edit.Remove = append(edit.Remove, index)
	}
	_, err = s.store.EditPlaylist(ctx, c.viewer, id, edit)
	return err
}

func (s *server) deletePlaylist(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	return s.store.DeletePlaylist(ctx, c.viewer, id)
}
