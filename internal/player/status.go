package player

import (
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/stream"
)

// Status is an immutable snapshot of what clients see. Version increases with each change.
type Status struct {
	Version   uint64
	UpdatedAt time.Time

	Queue        []Track // never modified once published
	Items        []Item  // of the tracks in Queue; never modified once published
	QueueVersion uint64  // increases with each change of Queue and Items, also across restarts
	Index        int     // of the current track in Queue; -1 when nothing is loaded
	Playing      bool    // as requested; true also while a track is loading
	Stopped      bool    // not started, stopped, or at the end of the queue; else paused or playing

	Shuffle   bool
	Repeat    Repeat
	StopAfter Mode // whether to pause after each track
	Consume   Mode // whether played items leave the queue
	Volume    int  // 0..100
	Muted     bool

	Position  time.Duration // the playhead when the snapshot was taken, at SampledAt
	SampledAt time.Time
	Running   bool // samples are being played: Position advances

	Output string // id of the requested device; "" is the default
	Error  string // why nothing plays, or which track was skipped last; "": no error

	Web      *stream.Info // what is known of the current track, if that is one of the web and open
	Personal *Personal    // what the user thinks of the current track; nil: unknown

	// Jumps counts changes of position other than by playing.
	Jumps uint64
	// Next is the index of the track that follows the natural end of the current one; -1 if there is
	// none.
	Next int

	cue *audio.Cue // for reading the live position; nil while loading
}

// Current returns the current track, if there is one. That of a radio has the title of what it
// plays, and the name of the radio as artist.
func (s *Status) Current() (Track, bool) {
	if s.Index < 0 || s.Index >= len(s.Queue) {
		return Track{}, false
	}
	return described(s.Queue[s.Index], s.Web), true
}

// CurrentItem returns the id of the current item; 0 when nothing is loaded.
func (s *Status) CurrentItem() int {
	if s.Index < 0 || s.Index >= len(s.Items) {
		return 0
	}
	return s.Items[s.Index].ID
}

// sameAs reports whether clients see no difference apart from the advancing position.
func (s *Status) sameAs(o *Status) bool {
	return s.QueueVersion == o.QueueVersion && s.Index == o.Index && s.Playing == o.Playing &&
		s.Stopped == o.Stopped && s.StopAfter == o.StopAfter && s.Consume == o.Consume &&
		s.Shuffle == o.Shuffle && s.Repeat == o.Repeat && s.Volume == o.Volume && s.Muted == o.Muted &&
		s.Running == o.Running && s.Output == o.Output && s.Error == o.Error &&
		s.Jumps == o.Jumps && s.cue == o.cue && samePersonal(s.Personal, o.Personal) &&
		sameWeb(s.Web, o.Web)
}

// position is the position in the current track.
func (p *Player) position(c *core) time.Duration {
	if c.cur != nil && c.cur.cue != nil {
		if at, _, ok := p.deck.Position(c.cur.cue); ok {
			return at
		}
	}
	return c.resume
}

// publish publishes a new Status if it differs for clients, and sends it to the watchers. It
// returns the ticket of a state that has to be saved, or nil.
func (p *Player) publish(c *core) *ticket {
	old := p.status.Load()
	now := time.Now()
	s := &Status{
		Version: old.Version, UpdatedAt: old.UpdatedAt,
		Queue: c.queue.tracks, Items: c.queue.items, QueueVersion: c.queue.version, Index: c.queue.index(),
		Playing: c.playing, Stopped: c.stopped || c.ended || c.queue.empty(),
		Shuffle: c.queue.shuffle, Repeat: c.repeat, StopAfter: c.stopAfter, Consume: c.consume,
		Volume: c.volume, Muted: c.muted,
		SampledAt: now, Running: c.running && c.playing,
		Output: p.deck.Device(), Error: c.err, Jumps: c.jumps, Next: c.upcoming(), Personal: c.currentPersonal(),
		Web: c.web(),
	}
	if c.cur != nil {
		s.cue = c.cur.cue
	}
	s.Position = p.position(c)
	if !s.sameAs(old) {
		s.Version++
		s.UpdatedAt = now
		p.status.Store(s)
		for ch := range c.watchers {
			select { // drop the older one; only the owner sends, so the send cannot block
			case <-ch:
			default:
			}
			ch <- s
		}
	}
	return p.save(c)
}

// record returns the state for the journal.
func (p *Player) record(c *core) record {
	// Copied headers: the queue replaces its slices.
	tracks, items, order := c.queue.tracks, c.queue.items, c.queue.order
	if len(tracks) == 0 {
		tracks, items, order = []Track{}, []Item{}, []int{} // nil would read as "unchanged"
	}
	return record{
		Tracks: &tracks, Items: &items, Order: &order, At: c.queue.at,
		Version: c.queue.version, LastItem: c.queue.lastID,
		Position: p.position(c), Play: c.play, Stopped: c.stopped, Ended: c.ended,
		Shuffle: c.queue.shuffle, Repeat: c.repeat, StopAfter: c.stopAfter, Consume: c.consume,
		Volume: c.volume, Muted: c.muted, Device: p.deck.Device(),
	}
}

// save submits the state if more than the advancing position has changed since the last time.
func (p *Player) save(c *core) *ticket {
	if c.saved.Tracks != nil && c.savedJumps == c.jumps &&
		c.saved.Version == c.queue.version && sameSlice(*c.saved.Order, c.queue.order) &&
		c.saved.At == c.queue.at && c.saved.Stopped == c.stopped && c.saved.Ended == c.ended &&
		c.saved.Shuffle == c.queue.shuffle && c.saved.Repeat == c.repeat &&
		c.saved.StopAfter == c.stopAfter && c.saved.Consume == c.consume &&
		c.saved.Volume == c.volume && c.saved.Muted == c.muted &&
		c.saved.Device == p.deck.Device() {
		return nil
	}
	c.saved, c.savedJumps = p.record(c), c.jumps
	return p.saver.submit(c.saved, true)
}
