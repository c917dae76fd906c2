package subsonic

import (
	"context"
	"slices"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// queueOf returns the queue that a call saves, without the index of the current song.
func queueOf(c *call) (catalog.NewQueue, error) {
	position, err := c.int("position", 0, 0, 1<<40)
	return catalog.NewQueue{
		SongIDs: c.params["id"], Position: time.Duration(position) * time.Millisecond, By: c.app(),
	}, err
}

// app returns the name of the app: what it calls itself, else that of its key.
func (c *call) app() string {
	if name := c.get("c"); name != "" {
		return name
	}
	return c.key.Name
}

// savePlayQueue saves a queue whose current song is given by its id: the first, if it is there more
// than once. savePlayQueueByIndex has no such doubt.
func (s *server) savePlayQueue(ctx context.Context, c *call) error {
	q, err := queueOf(c)
	if err != nil {
		return err
	}
	if current := c.get("current"); current != "" && len(q.SongIDs) > 0 {
		if q.Current = slices.Index(q.SongIDs, current); q.Current < 0 {
			return fault.New(fault.Invalid, "the current song must be one of the queue")
		}
	}
	return s.store.SaveQueue(ctx, c.viewer, q)
}

func (s *server) savePlayQueueByIndex(ctx context.Context, c *call) error {
	q, err := queueOf(c)
	if err != nil {
		return err
	}
	text := c.get("currentIndex")
	index, err := c.int("currentIndex", 0, -1, 1<<31)
	bad := coded(codeMissing, fault.Invalid, "the parameter currentIndex must be the index of a song in the queue")
	switch {
	case len(q.SongIDs) == 0 && text == "":
	case err != nil, text == "", index < 0, index >= int64(len(q.SongIDs)):
		return bad
	}
	q.Current = int(index)
	return s.store.SaveQueue(ctx, c.viewer, q)
}

// getQueues returns the endpoint of the saved queue, with its current song by id or by index.
func (s *server) getQueues(name string, byIndex bool) endpoint {
	return func(ctx context.Context, c *call) error {
		q, err := s.store.SavedQueue(ctx, c.viewer)
		if err != nil {
			return err
		}
		if q.ChangedAt.IsZero() { // the fields are required
			q.ChangedAt, q.ChangedBy = c.key.CreatedAt, c.key.Name
		}
		e := c.out
		e.object(name)
		if q.Current < len(q.Songs) {
			if byIndex {
				e.int("currentIndex", int64(q.Current))
			} else {
				e.str("current", q.Songs[q.Current].ID)
			}
			e.int("position", q.Position.Milliseconds())
		}
		e.str("username", c.key.Owner.Username)
		e.time("changed", q.ChangedAt)
		e.str("changedBy", q.ChangedBy)
		s.songs(e, "entry", q.Songs)
		e.end()
		return nil
	}
}

func (s *server) getBookmarks(ctx context.Context, c *call) error {
	marks, err := s.store.Bookmarks(ctx, c.viewer)
	if err != nil {
		return err
	}
	e := c.out
	e.object("bookmarks")
	e.list("bookmark")
	for i := range marks {
		b := &marks[i]
		e.item()
		e.int("position", b.Position.Milliseconds())
		e.str("username", c.key.Owner.Username)
		e.known("comment", b.Comment)
		e.time("created", b.CreatedAt)
		e.time("changed", b.ChangedAt)
		e.object("entry")
		e.int("bookmarkPosition", b.Position.Milliseconds())
		s.song(e, &b.Song)
		e.end()
		e.end()
	}
	e.endList()
	e.end()
	return nil
}

func (s *server) createBookmark(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	if _, err := c.required("position"); err != nil {
		return err
	}
	position, err := c.int("position", 0, 0, 1<<40)
	if err != nil {
		return err
	}
	return s.store.SetBookmark(ctx, c.viewer, id, time.Duration(position)*time.Millisecond, c.get("comment"))
}

func (s *server) deleteBookmark(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	return s.store.DeleteBookmark(ctx, c.viewer, id)
}
