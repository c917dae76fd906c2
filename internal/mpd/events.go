package mpd

import (
	"context"
	"sync"

	"waxwing/internal/player"
)

// events is a set of subsystems that changed.
type events uint32

const (
	eventDatabase events = 1 << iota
	eventUpdate
	eventStoredPlaylist
	eventPlaylist
	eventPlayer
	eventMixer
	eventOutput
	eventOptions
	eventPartition
	eventSticker
	eventSubscription
	eventMessage
	eventNeighbor
	eventMount

	allEvents = 1<<iota - 1
)

// eventNames are the names in the order of the bits.
var eventNames = [...]string{"database", "update", "stored_playlist", "playlist", "player", "mixer", "output",
	"options", "partition", "sticker", "subscription", "message", "neighbor", "mount"}

func eventNamed(name string) (events, bool) {
	for i, n := range eventNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// hub reports events to all sessions. No session can delay another: each has a set of pending
// events, and a goroutine of its own that writes those that the system does not take at once.
type hub struct {
	mu       sync.Mutex
	sessions map[*session]bool
	ended    []*session // for notify
}

func (h *hub) add(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[s] = true
}

func (h *hub) remove(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s)
}

func (h *hub) notify(e events) {
	if e == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	ended := h.ended[:0]
	for s := range h.sessions {
		if s.report(e) {
			ended = append(ended, s)
		}
	}
	for _, s := range ended { // when all have their events
		s.renew()
	}
	clear(ended)
	h.ended = ended[:0]
}

// followPlayer reports the changes of the player until ctx is done.
func (s *Server) followPlayer(ctx context.Context) {
	var last *player.Status
	for st := range s.cfg.Player.Updates(ctx) {
		if last != nil {
			s.hub.notify(difference(last, st))
			if last.Running {
				s.heard.Add(int64(st.SampledAt.Sub(last.SampledAt)))
			}
		}
		if last == nil || currentID(last) != currentID(st) {
			s.songs.prefetch(ctx, st)
		}
		last = st
	}
}

// difference returns what changed between two states. Where a state between them was skipped, it
// reports everything that may have changed and changed back, because a client may have read it.
func difference(old, st *player.Status) (e events) {
	skipped := st.Version > old.Version+1
	if st.QueueVersion != old.QueueVersion {
		e |= eventPlaylist
	}
	if skipped || st.Playing != old.Playing || st.Stopped != old.Stopped || st.Jumps != old.Jumps ||
		st.Error != old.Error || st.CurrentItem() != old.CurrentItem() || titleOf(st) != titleOf(old) {
		e |= eventPlayer
	}
	if skipped || st.Volume != old.Volume || st.Muted != old.Muted {
		e |= eventMixer
	}
	if skipped || st.Shuffle != old.Shuffle || st.Repeat != old.Repeat || st.StopAfter != old.StopAfter ||
		st.Consume != old.Consume {
		e |= eventOptions
	}
	if st.Output != old.Output {
		e |= eventOutput
	}
	if personalOf(st) != personalOf(old) && st.CurrentItem() == old.CurrentItem() {
		e |= eventSticker
	}
	return e
}

func currentID(st *player.Status) string {
	t, _ := st.Current()
	return t.ID
}

// titleOf is the title of the current track, which that of a radio changes.
func titleOf(st *player.Status) string {
	t, _ := st.Current()
	return t.Title
}

func personalOf(st *player.Status) player.Personal {
	if st.Personal == nil {
		return player.Personal{}
	}
	return *st.Personal
}
