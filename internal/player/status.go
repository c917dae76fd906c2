package player

import "time"

// Status is an immutable snapshot of all that a client can see. Version grows with each change.
type Status struct {
	Version   uint64
	UpdatedAt time.Time

	Queue   []Track // in the order shown; never modified once published
	Index   int     // of the current track in Queue; -1 when nothing is loaded
	Playing bool    // what the listener asked for; true also while a track is still loading

	Shuffle bool
	Repeat  Repeat
	Volume  int // 0..100
	Muted   bool

	Position  time.Duration // the playhead when the snapshot was taken, at SampledAt
	SampledAt time.Time
	Running   bool // sound is coming out: Position advances. False while paused, loading or starved.

	Output string // the device that plays, as Outputs lists it
	Error  string // why nothing plays, or which track was skipped last; "" when all is well
}

// Current returns the loaded track, if there is one.
func (s *Status) Current() (Track, bool) {
	if s.Index < 0 || s.Index >= len(s.Queue) {
		return Track{}, false
	}
	return s.Queue[s.Index], true
}
