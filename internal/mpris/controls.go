package mpris

import (
	"context"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

// root implements org.mpris.MediaPlayer2.
type root struct{}

// Raise does nothing: CanRaise is false.
func (root) Raise() *dbus.Error { return nil }

// Quit does nothing: CanQuit is false.
func (root) Quit() *dbus.Error { return nil }

// transport implements org.mpris.MediaPlayer2.Player.
type transport struct{ *session }

// Play resumes or starts playback.
func (t transport) Play(msg dbus.Message) *dbus.Error {
	return t.set(&t.playing, msg, func(ctx context.Context) error { _, err := t.player.Play(ctx); return err })
}

// Pause pauses playback.
func (t transport) Pause(msg dbus.Message) *dbus.Error {
	return t.set(&t.playing, msg, t.player.Pause)
}

// PlayPause pauses or resumes playback.
func (t transport) PlayPause() *dbus.Error {
	return t.command(func(ctx context.Context) error { _, err := t.player.Toggle(ctx); return err })
}

// Stop stops playback; the next Play starts the track from its beginning.
func (t transport) Stop(msg dbus.Message) *dbus.Error {
	return t.set(&t.playing, msg, t.player.Stop)
}

// Next moves by one in play order.
func (t transport) Next() *dbus.Error { return t.command(t.player.Next) }

// Previous moves back by one in play order.
func (t transport) Previous() *dbus.Error { return t.command(t.player.Previous) }

// Seek moves the playhead by an offset in microseconds; past the end it acts like Next, as MPRIS
// requires. Each call starts at the result of the previous one.
func (t transport) Seek(_ dbus.Message, offset int64) *dbus.Error {
	t.position.mu.Lock()
	defer t.position.mu.Unlock()
	return t.command(func(ctx context.Context) error {
		to := t.player.Position() + duration(offset)
		if cur, ok := t.player.Status().Current(); ok && cur.Duration > 0 && to > cur.Duration {
			return t.player.Next(ctx)
		}
		_, err := t.player.Seek(ctx, max(to, 0))
		return err
	})
}

// SetPosition moves the playhead to a position in microseconds. It does nothing if the track is not
// the current one or is shorter.
func (t transport) SetPosition(msg dbus.Message, track dbus.ObjectPath, position int64) *dbus.Error {
	return t.set(&t.position, msg, func(ctx context.Context) error {
		st, to := t.player.Status(), duration(position)
		cur, ok := st.Current()
		if !ok || track != currentPath(st) || position < 0 || cur.Duration > 0 && to > cur.Duration {
			return nil
		}
		_, err := t.player.Seek(ctx, to)
		return err
	})
}

// OpenUri plays a song of the catalog: waxwing:ID.
func (t transport) OpenUri(msg dbus.Message, uri string) *dbus.Error {
	return t.set(&t.current, msg, func(ctx context.Context) error {
		id, err := idOf(uri)
		if err != nil {
			return err
		}
		return t.player.PlayTrack(ctx, id)
	})
}

// trackLister implements org.mpris.MediaPlayer2.TrackList.
type trackLister struct{ *session }

// GetTracksMetadata describes tracks, in the given order; it omits unknown ones.
func (t trackLister) GetTracksMetadata(paths []dbus.ObjectPath) ([]map[string]dbus.Variant, *dbus.Error) {
	st := t.player.Status()
	all := make([]map[string]dbus.Variant, 0, min(len(paths), listSize))
	for _, path := range paths[:min(len(paths), listSize)] {
		if i := locate(st, path); i >= 0 {
			all = append(all, metadata(st.Queue[i], path))
		}
	}
	return all, nil
}

// AddTrack queues a song after the given track: first if that is NoTrack, last if it is unknown.
func (t trackLister) AddTrack(uri string, after dbus.ObjectPath, play bool) *dbus.Error {
	return t.command(func(ctx context.Context) error {
		id, err := idOf(uri)
		if err != nil {
			return err
		}
		st := t.player.Status()
		before := locate(st, after)
		_, err = t.player.Insert(ctx, player.Selection{TrackIDs: []string{id}},
			func(q *player.Edit, tracks []player.Track) ([]int, error) {
				index := len(q.Items())
				if after == noTrack {
					index = 0
				} else if before >= 0 {
					if i, err := q.Find(st.Items[before].ID); err == nil {
						index = i + 1
					}
				}
				items, err := q.Insert(index, tracks)
				if err == nil && play {
					err = q.Play(index, 0)
				}
				return items, err
			})
		return err
	})
}

// RemoveTrack removes a track from the queue, if it is there.
func (t trackLister) RemoveTrack(path dbus.ObjectPath) *dbus.Error {
	return t.command(func(ctx context.Context) error {
		return t.on(ctx, path, func(q *player.Edit, index int) error { return q.Remove(index, index+1) })
	})
}

// GoTo plays a track of the queue, if it is there.
func (t trackLister) GoTo(msg dbus.Message, path dbus.ObjectPath) *dbus.Error {
	return t.set(&t.current, msg, func(ctx context.Context) error {
		return t.on(ctx, path, func(q *player.Edit, index int) error { return q.Play(index, 0) })
	})
}

// on runs edit on the item of path, if there is one.
func (t trackLister) on(ctx context.Context, path dbus.ObjectPath, edit func(q *player.Edit, index int) error) error {
	st := t.player.Status()
	i := locate(st, path)
	if i < 0 {
		return nil
	}
	return t.player.Edit(ctx, func(q *player.Edit) error {
		index, err := q.Find(st.Items[i].ID)
		if err != nil {
			return err
		}
		return edit(q, index)
	})
}
