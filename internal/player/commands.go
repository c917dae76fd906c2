package player

import (
	"context"
	"time"

	"waxwing/internal/fault"
)

// defaultTracksLimit is how many songs Play queues when the queue is empty.
const defaultTracksLimit = 100

// Play resumes playback and returns the id of the track that plays. An empty queue is filled from
// the catalog; an empty catalog is a Conflict.
func (p *Player) Play(ctx context.Context) (id string, err error) {
	tracks, err := p.defaultTracks(ctx)
	if err != nil {
		return "", err
	}
	err = p.transport(ctx, func(c *core) error {
		if c.queue.empty() { // it may have been filled during the request
			c.queue.replace(tracks, 0)
		}
		if err := p.resume(c); err != nil {
			return err
		}
		id = c.queue.current().ID
		return nil
	})
	return id, err
}

// defaultTracks fetches tracks to play if the queue is empty.
func (p *Player) defaultTracks(ctx context.Context) ([]Track, error) {
	if len(p.Status().Queue) > 0 {
		return nil, nil
	}
	return p.cfg.Library.DefaultTracks(ctx, defaultTracksLimit)
}

// resume plays from the current position of the queue.
func (p *Player) resume(c *core) error {
	if c.queue.empty() {
		return fault.WithCode(fault.Conflict, fault.QueueEmpty, "nothing to play: the queue and the catalog are empty")
	}
	if c.playing {
		return nil
	}
	c.err = ""
	c.fails = 0
	switch {
	case c.ended:
		c.queue.at = 0
		p.loadCurrent(c, 0)
	case c.cur == nil:
		p.loadCurrent(c, c.resume)
	}
	p.startPlayback(c)
	return nil
}

func (p *Player) startPlayback(c *core) {
	c.playing, c.stopped = true, false
	p.deck.Play()
}

// PlayTrack jumps to the track if it is queued, else inserts it after the
// current one and plays it. Unknown ids are NotFound and change nothing.
func (p *Player) PlayTrack(ctx context.Context, id string) error {
	found := false
	err := p.transport(ctx, func(c *core) error {
		index := c.queue.find(id)
		if found = index >= 0; found {
			p.playAt(c, index, 0)
		}
		return nil
	})
	if found || err != nil {
		return err
	}
	t, err := p.cfg.Library.Track(ctx, id)
	if err != nil {
		return err
	}
	return p.transport(ctx, func(c *core) error {
		index := c.queue.find(t.ID) // it may have been queued during the request; the catalog may return another id
		if index < 0 {
			if err := fits(c.queue.tracks, []Track{t}); err != nil {
				return err
			}
			index = c.queue.index() + 1
			c.queue.insert(index, []Track{t}, true)
		}
		p.playAt(c, index, 0)
		return nil
	})
}

// playAt plays the track at index from a position, at most its end.
func (p *Player) playAt(c *core, index int, from time.Duration) {
	c.err, c.fails = "", 0
	if index != c.queue.index() {
		c.queue.jump(index)
		c.restartListen()
	}
	p.loadCurrent(c, c.queue.current().clamp(from))
	p.startPlayback(c)
}

// Pause pauses playback. It does nothing when the player is not playing.
func (p *Player) Pause(ctx context.Context) error {
	return p.transport(ctx, func(c *core) error {
		if c.playing {
			p.stopPlayback(c)
			c.jumps++ // so that the exact position is saved
		}
		return nil
	})
}

// Toggle pauses or resumes playback and returns the resulting state.
func (p *Player) Toggle(ctx context.Context) (playing bool, err error) {
	tracks, err := p.defaultTracks(ctx)
	if err != nil {
		return false, err
	}
	err = p.transport(ctx, func(c *core) error {
		if c.playing {
			p.stopPlayback(c)
			c.jumps++
			return nil
		}
		if c.queue.empty() {
			c.queue.replace(tracks, 0)
		}
		err := p.resume(c)
		playing = err == nil
		return err
	})
	return playing, err
}

// Next moves by one in play order and wraps at the end. An empty queue is a Conflict. With consume
// the item that it leaves is removed, unless the player is stopped.
func (p *Player) Next(ctx context.Context) error { return p.skip(ctx, +1) }

// Previous is Next backwards.
func (p *Player) Previous(ctx context.Context) error { return p.skip(ctx, -1) }

func (p *Player) skip(ctx context.Context, by int) error {
	return p.transport(ctx, func(c *core) error {
		if c.queue.empty() {
			return fault.WithCode(fault.Conflict, fault.QueueEmpty, "the queue is empty: nothing to skip to")
		}
		c.err, c.fails = "", 0
		left := c.queue.currentItem()
		c.queue.step(by)
		if by > 0 && !c.stopped {
			c.consumeItem(left)
		}
		if c.queue.empty() {
			p.unloadEmpty(c)
		} else {
			p.changeTrack(c, 0)
		}
		return nil
	})
}

// changeTrack loads the queue's current track. A player that has not opened anything yet, as after
// a restart, opens nothing now either.
func (p *Player) changeTrack(c *core, from time.Duration) {
	if c.cur != nil || c.playing {
		p.loadCurrent(c, from)
		return
	}
	c.resume, c.ended = from, false
	c.restartListen()
	c.jumps++
}

// Seek moves the playhead, at most to the end of the track, and returns the new position. An empty
// queue is a Conflict.
func (p *Player) Seek(ctx context.Context, to time.Duration) (at time.Duration, err error) {
	err = p.transport(ctx, func(c *core) error {
		if c.queue.empty() {
			return fault.WithCode(fault.Conflict, fault.QueueEmpty, "the queue is empty: nothing to seek in")
		}
		web := c.web()
		if web != nil && web.Live {
			return fault.New(fault.Conflict, "a live stream cannot seek")
		}
		at = described(c.queue.current(), web).clamp(to)
		c.ended, c.stopped = false, false
		c.jumps++
		if c.cur != nil && c.cur.cue != nil {
			p.deck.Seek(at)
			p.lookAhead(c) // the end may be near now
		}
		c.resume = at
		return nil
	})
	return at, err
}

// SetShuffle turns shuffling on or off. The current track keeps playing.
func (p *Player) SetShuffle(ctx context.Context, on bool) error {
	return p.edit(ctx, func(c *core) error {
		if c.queue.shuffle != on {
			c.queue.setShuffle(on)
			p.lookAhead(c)
		}
		return nil
	})
}

// SetRepeat sets what follows the end of a track.
func (p *Player) SetRepeat(ctx context.Context, r Repeat) error {
	return p.edit(ctx, func(c *core) error {
		c.repeat = r
		p.lookAhead(c)
		return nil
	})
}

// SetVolume sets the volume (0 to 100) and mutes or unmutes; nil leaves a value unchanged.
func (p *Player) SetVolume(ctx context.Context, volume *int, muted *bool) error {
	if volume != nil && (*volume < 0 || *volume > 100) {
		return fault.New(fault.Invalid, "volume must be a whole number from 0 to 100")
	}
	return p.edit(ctx, func(c *core) error {
		if volume != nil {
			c.volume = *volume
		}
		if muted != nil {
			c.muted = *muted
		}
		p.deck.SetVolume(c.volumeFactor())
		return nil
	})
}

// OutputDevice is a device that the player can play on.
type OutputDevice struct {
	ID, Name string
	Active   bool
}

// Outputs lists the devices; the first is the default.
func (p *Player) Outputs(ctx context.Context) ([]OutputDevice, error) {
	devices, err := p.cfg.Output.Devices(ctx)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "cannot list the sound outputs: the sound server is unreachable")
	}
	active := p.Status().Output
	all := make([]OutputDevice, len(devices))
	for i, d := range devices {
		all[i] = OutputDevice{ID: d.ID, Name: d.Name, Active: d.ID == active || active == "" && i == 0}
	}
	return all, nil
}

// SetOutput moves playback to another device and keeps the position.
func (p *Player) SetOutput(ctx context.Context, id string) error {
	devices, err := p.Outputs(ctx)
	if err != nil {
		return err
	}
	for _, d := range devices {
		if d.ID == id {
			return p.edit(ctx, func(*core) error { p.deck.SetDevice(id); return nil })
		}
	}
	return fault.New(fault.NotFound, "there is no output %q; GET /outputs lists them", id)
}
