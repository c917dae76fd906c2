package mpris

import (
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

// playhead is the position that a desktop computes from the last announcement. Position is never
// signalled: between announcements the desktop advances it by its own clock.
type playhead struct {
	track  dbus.ObjectPath
	at     time.Duration
	since  time.Time
	moving bool
}

func headOf(st *player.Status) playhead {
	return playhead{track: currentPath(st), at: st.Position, since: st.SampledAt, moving: st.Playing}
}

// noticeable is the tolerated error of a desktop's position. The start of a track and of its
// playback are a little apart; less than this is not corrected.
const noticeable = 200 * time.Millisecond

// jumped reports whether the position differs from the one expected after the last announcement:
// the start of another track, or the elapsed time. If not, h continues from the expected position,
// so that small errors add up.
func (h *playhead) jumped(before *playhead) bool {
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
