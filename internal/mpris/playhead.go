package mpris

import (
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

// playhead is where a desktop that was told so much believes the player to be. Position
// is never signalled: from one announcement to the next the desktop's own clock carries it.
type playhead struct {
	track  dbus.ObjectPath
	at     time.Duration
	since  time.Time
	moving bool
}

func headOf(st *player.Status) playhead {
	return playhead{track: currentPath(st), at: st.Position, since: st.SampledAt, moving: st.Playing}
}

// noticeable is how far a desktop's clock may be off. The start of a track and of the sound
// lie a little apart; less than this is not worth a correction.
const noticeable = 200 * time.Millisecond

// leapt reports whether the playhead is not where one who was told before expects it: at the start if the track is
// another, else as far on as the time says. If it is, h goes on from that expectation, so that
// many small errors cannot add up unseen.
func (h *playhead) leapt(before *playhead) bool {
	expected := before.at
	switch {
	case h.track != before.track:
		expected = 0
	case before.moving:
		expected += h.since.Sub(before.since)
	}
	if (h.at - expected).Abs() > noticeable {
		return true
	}
	h.at = expected
	return false
}
