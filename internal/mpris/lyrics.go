package mpris

import (
	"context"
	"sync"

	"waxwing/internal/player"
)

// trackLyrics is the best text of a track, as LRC if it is synced. Without text, the track has
// none or it is still being read.
type trackLyrics struct{ track, text string }

// readLyrics starts to read the lyrics of a new current track, and announces them as soon as they
// are known. Neither the player nor the bus waits for the catalog.
func (s *session) readLyrics(ctx context.Context, st *player.Status, reading *sync.WaitGroup) {
	cur, ok := st.Current()
	if known := s.lyrics.Load(); s.read == nil || !ok || known != nil && known.track == cur.ID {
		return
	}
	pending := &trackLyrics{track: cur.ID}
	s.lyrics.Store(pending)
	reading.Go(func() {
		found, err := s.read(ctx, cur.ID)
		if err != nil {
			s.log.Debug("cannot read the lyrics of a track for the desktop", "track", cur.ID, "err", err)
			s.lyrics.CompareAndSwap(pending, nil) // the next change of the player tries again
			return
		}
		if len(found) == 0 || !s.lyrics.CompareAndSwap(pending, &trackLyrics{cur.ID, found[0].Format()}) {
			return
		}
		if err := s.announce(s.player.Status()); err != nil {
			s.log.Debug("cannot announce lyrics", "err", err)
		}
	})
}
