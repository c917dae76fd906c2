package player

import (
	"context"
	"slices"
	"strings"
	"sync"

	"waxwing/internal/fault"
	"waxwing/internal/stream"
)

// UsesWeb reports whether a selection names tracks of the web, by their ids or URLs. Callers check
// that the user may play from the web.
func (s Selection) UsesWeb() bool { return slices.ContainsFunc(s.TrackIDs, isWeb) }

func isWeb(id string) bool { return stream.IsID(id) || isURL(id) }

func isURL(id string) bool {
	return strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://")
}

// tracks resolves a selection. An id of a track of the web is that of one that is queued, or was
// before the queue was last replaced or cleared.
func (p *Player) tracks(ctx context.Context, sel Selection) ([]Track, error) {
	if !sel.UsesWeb() {
		return p.cfg.Library.Tracks(ctx, sel)
	}
	tracks := make([]Track, 0, len(sel.TrackIDs))
	for _, id := range sel.TrackIDs {
		t, err := p.track(ctx, id)
		if err != nil {
			return nil, err
		}
		tracks = append(tracks, t)
	}
	return tracks, nil
}

func (p *Player) track(ctx context.Context, id string) (Track, error) {
	switch {
	case isURL(id):
		return p.WebTrack(id, "")
	case !stream.IsID(id):
		return p.cfg.Library.Track(ctx, id)
	}
	queue := p.Status().Queue
	i := slices.IndexFunc(queue, func(t Track) bool { return t.ID == id })
	var t Track
	if i >= 0 {
		t = queue[i]
	} else if t = p.removed.find(id); t.ID == "" {
		return Track{}, fault.New(fault.NotFound, "there is no song %s", clip(id, maxID))
	}
	if _, err := p.WebTrack(t.URL, t.Title); err != nil { // the policy of addresses holds for it too
		return Track{}, err
	}
	return p.withCover(t), nil
}

// removedWeb has the tracks of the web of the last queue that was replaced or cleared, which no
// catalog can restore.
type removedWeb struct {
	mu     sync.Mutex
	tracks []Track
}

// keep replaces them by those of a queue, if it has any.
func (r *removedWeb) keep(queue []Track) {
	var web []Track
	for _, t := range queue {
		if t.URL != "" {
			web = append(web, t)
		}
	}
	if web == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tracks = web
}

// find returns a track by its id, or none.
func (r *removedWeb) find(id string) Track {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.tracks, func(t Track) bool { return t.ID == id }); i >= 0 {
		return r.tracks[i]
	}
	return Track{}
}
