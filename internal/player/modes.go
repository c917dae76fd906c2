package player

import (
	"context"
	"strings"

	"waxwing/internal/fault"
)

// Mode is a setting that can also be on for one track only.
type Mode string

const (
	ModeOff  Mode = "off"
	ModeOn   Mode = "on"
	ModeOnce Mode = "once" // becomes ModeOff when it has taken effect
)

// ParseMode normalizes the words that other players use for the same three settings.
func ParseMode(word string) (Mode, error) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "off", "false", "0":
		return ModeOff, nil
	case "on", "true", "1":
		return ModeOn, nil
	case "once", "oneshot":
		return ModeOnce, nil
	}
	return "", fault.New(fault.Invalid, "the mode must be one of off, on, once")
}

// used returns the mode after it has taken effect.
func (m Mode) used() Mode {
	if m == ModeOnce {
		return ModeOff
	}
	return m
}

// SetModes sets what happens to a track that has ended; nil leaves a mode unchanged. With stopAfter
// the player pauses at the beginning of the following track. With consume the item leaves the
// queue; it also does on Next, and repeating one track then means repeating the queue.
func (p *Player) SetModes(ctx context.Context, stopAfter, consume *Mode) error {
	return p.edit(ctx, func(c *core) error {
		if stopAfter != nil {
			c.stopAfter = *stopAfter
		}
		if consume != nil {
			c.consume = *consume
		}
		p.lookAhead(c)
		return nil
	})
}

// Stop ends playback: the position is 0, the output is released, and Play starts the current track
// from its beginning. It does nothing else when the player is stopped already.
func (p *Player) Stop(ctx context.Context) error {
	return p.transport(ctx, func(c *core) error {
		p.unload(c)
		p.deck.Release()
		return nil
	})
}

// follow is the repeat mode for the end of the current track. An item that is consumed cannot be
// repeated.
func (c *core) follow() Repeat {
	switch {
	case c.consume == ModeOff:
		return c.repeat
	case len(c.queue.items) == 1:
		return RepeatOff
	case c.repeat == RepeatOne:
		return RepeatAll
	}
	return c.repeat
}

// upcoming returns the index of the track that is to join the current one at its end, or -1.
func (c *core) upcoming() int {
	if c.stopAfter != ModeOff {
		return -1
	}
	return c.queue.upcoming(c.follow())
}

// advance moves on from a track that has ended. It reports false at the end of the queue.
func (c *core) advance() bool {
	ended := c.queue.currentItem()
	if !c.queue.advance(c.follow()) {
		return false
	}
	c.consumeItem(ended)
	return true
}

// consumeItem removes a played item from the queue if consume is on.
func (c *core) consumeItem(item int) {
	if c.consume == ModeOff {
		return
	}
	c.consume = c.consume.used()
	i := c.queue.indexOf(item)
	c.queue.remove(i, i+1)
}

// trackEnded plays what follows the natural end of the current track, if anything does.
func (p *Player) trackEnded(c *core) {
	if c.stopAfter != ModeOff {
		c.stopAfter = c.stopAfter.used()
		p.stopPlayback(c)
	}
	if c.advance() {
		p.loadCurrent(c, 0)
		return
	}
	c.ended = true
	c.jumps++
	p.stopPlayback(c)
	if c.consume == ModeOff {
		return
	}
	c.consumeItem(c.queue.currentItem())
	p.unload(c) // the current track is another now
	c.ended = !c.queue.empty()
}
