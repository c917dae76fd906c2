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

// Stop pauses playback at the beginning of the track, where MPRIS requires the next Play to start.
// The seek is always a change, so that the new status is announced.
func (t transport) Stop(msg dbus.Message) *dbus.Error {
	return t.set(&t.playing, msg, func(ctx context.Context) error {
		if err := t.player.Pause(ctx); err != nil {
			return err
		}
		st := t.player.Status()
		if _, loaded := st.Current(); !loaded {
			return nil
		}
		t.stopped.Store(st.Version + 1)
		_, err := t.player.Seek(ctx, 0)
		return err
	})
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
		if _, err := t.player.Add(ctx, player.Selection{TrackIDs: []string{id}}, player.AtEnd); err != nil {
			return err
		}
		st := t.player.Status()
		last := len(st.Queue) - 1
		to := last
		if i := locate(st, after); i >= 0 || after == noTrack {
			to = min(i+1, last)
		}
		if to != last {
			if err := t.player.Move(ctx, last, to, id); err != nil {
				return err
			}
		}
		if !play {
			return nil
		}
		return t.player.Jump(ctx, to, id)
	})
}

// RemoveTrack removes a track from the queue, if it is there.
func (t trackLister) RemoveTrack(path dbus.ObjectPath) *dbus.Error {
	return t.command(func(ctx context.Context) error { return t.on(ctx, path, t.player.Remove) })
}

// GoTo plays a track of the queue, if it is there.
func (t trackLister) GoTo(msg dbus.Message, path dbus.ObjectPath) *dbus.Error {
	return t.set(&t.current, msg, func(ctx context.Context) error { return t.on(ctx, path, t.player.Jump) })
}

// on runs edit on the item of path; the player returns an error if the queue has changed since.
func (t trackLister) on(ctx context.Context, path dbus.ObjectPath,
	edit func(context.Context, int, string) error) error {
	st := t.player.Status()
	i := locate(st, path)
	if i < 0 {
		return nil
	}
	return edit(ctx, i, st.Queue[i].ID)
}
