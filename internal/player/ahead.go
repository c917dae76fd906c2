package player

import "time"

const (
	// lookAheadDelay is how long a change of track is left alone before the one that follows is fetched. To
	// fetch and decode it costs more than the change itself, and at that moment somebody waits to hear it; nobody
	// asks for two changes within this time.
	lookAheadDelay = 50 * time.Millisecond
	// soon is how near the end of a track has to be for what follows to be fetched without delay. It is more
	// than the device and the cue hold, which are filled at once.
	nearEnd = 4 * time.Second
)

// lookAhead sees to it that the track that follows naturally is about to be opened, and no other.
func (p *Player) lookAhead(c *core) {
	c.aheadAt = time.Time{}
	if c.cur == nil || c.cur.cue == nil {
		return
	}
	index := c.queue.upcoming(c.repeat)
	if index >= 0 && c.ahead != nil && c.ahead.track.ID == c.queue.tracks[index].ID {
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

// openAhead opens what lookAhead has put off, when it is time. It returns how long that is from now; 0: nothing waits.
func (p *Player) openAhead(c *core) time.Duration {
	if c.aheadAt.IsZero() {
		return 0
	}
	if wait := time.Until(c.aheadAt); wait > 0 {
		return wait
	}
	c.aheadAt = time.Time{}
	c.ahead = p.open(c, c.queue.upcoming(c.repeat))
	return 0
}
