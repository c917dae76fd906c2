package player

import "time"

const (
	// lookAheadDelay is how long after a change of track the following one is fetched. Fetching and
	// decoding it at once would delay the change that the listener waits for.
	lookAheadDelay = 50 * time.Millisecond
	// nearEnd is the remaining time of a track below which the following one is fetched without
	// delay. It is more than the device and the cue buffer.
	nearEnd = 4 * time.Second
)

// lookAhead opens the track that follows the natural end of the current one, or plans to, and
// cancels any other.
func (p *Player) lookAhead(c *core) {
	c.aheadAt = time.Time{}
	if c.cur == nil || c.cur.cue == nil {
		return
	}
	index := c.upcoming()
	if web := c.web(); web != nil && web.Live {
		index = -1 // it has no end
	}
	if index >= 0 && c.ahead != nil && c.ahead.track.soundsLike(c.queue.tracks[index]) {
		return
	}
	if c.ahead != nil {
		c.cancelLoad(c.ahead)
		c.ahead = nil
		p.deck.Follow(nil)
	}
	switch {
	case index < 0:
	case c.cur.cue.Length()-p.position(c) < nearEnd:
		c.ahead = p.open(c, index)
	default:
		c.aheadAt = time.Now().Add(lookAheadDelay)
	}
}

// openAhead opens the track that lookAhead has planned, when it is due. It returns the time until
// then; 0: nothing is planned.
func (p *Player) openAhead(c *core) time.Duration {
	if c.aheadAt.IsZero() {
		return 0
	}
	if wait := time.Until(c.aheadAt); wait > 0 {
		return wait
	}
	c.aheadAt = time.Time{}
	c.ahead = p.open(c, c.upcoming())
	return 0
}
