package playerhttp

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/httpkit"
	"waxwing/internal/player"
)

// states caches the newest event as bytes, so that all listeners share one encoding.
type states struct {
	newest atomic.Pointer[encodedState]
}

type encodedState struct {
	of    *player.Status
	event []byte
}

// events streams the whole state: at once, and then the newest after each change. Each event
// contains the complete state, so Last-Event-ID is ignored.
func (s *server) events(w http.ResponseWriter, r *http.Request) error {
	return httpkit.ServeEvents(w, r, func(ctx context.Context, out *httpkit.EventWriter) error {
		defer s.cfg.Tokens.InUse(httpkit.CallerOf(ctx).ID)()
		ctx, cancel := context.WithCancel(ctx)
		var others sync.WaitGroup
		defer others.Wait()
		defer cancel()
		startOthers := func() {
			others.Go(func() {
				defer cancel()
				s.catalogWatch.report(ctx, out)
			})
			others.Go(func() {
				defer cancel()
				s.lyricWatch.report(ctx, out)
			})
			if httpkit.CallerOf(ctx).Permissions.Has(access.Keys) {
				others.Go(func() {
					defer cancel()
					s.reportPairing(ctx, out)
				})
				others.Go(func() {
					defer cancel()
					s.reportOverlay(ctx, out)
				})
			}
		}
		first := true
		for st := range s.player.Updates(ctx) {
			event, err := s.event(st, first)
			if err == nil {
				err = out.SendRaw(event)
			}
			if err != nil {
				return err
			}
			if first {
				startOthers() // the state is always the first event
			}
			first = false
		}
		return nil
	})
}

// reportPairing sends the pairing requests to those who can approve them, until ctx is done or
// the client has disconnected. It sends nothing before the first request.
func (s *server) reportPairing(ctx context.Context, out *httpkit.EventWriter) {
	for sent := false; ; {
		requests, changed := s.pairing.watch(time.Now())
		if sent || len(requests) > 0 {
			sent = true
			data, err := encode(wirePairs(requests))
			if err != nil || out.Send("pairing", data) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// event returns st as an encoded event. The first event of a stream has the current position, the
// others have the position at the time of their change.
func (s *server) event(st *player.Status, first bool) ([]byte, error) {
	if first {
		now := *st
		if newest, position := s.now(); newest == st {
			now.Position, now.SampledAt = position, time.Now()
		}
		return encodeState(&now)
	}
	if cached := s.states.newest.Load(); cached != nil && cached.of == st {
		return cached.event, nil
	}
	event, err := encodeState(st)
	if err == nil {
		s.states.newest.Store(&encodedState{st, event})
	}
	return event, err
}

// encodeState writes st as an event.
func encodeState(st *player.Status) ([]byte, error) {
	modes := modesOf(st)
	out := playerapi.State{
		Version: int(st.Version), Track: wireTrack(st, st.Position), IsPlaying: st.Playing, Shuffle: st.Shuffle,
		Repeat: playerapi.Repeat(st.Repeat), Volume: st.Volume, Muted: st.Muted,
		Position: wholeMillis(st.Position), Timestamp: timestamp.At(st.SampledAt),
		QueueVersion: int(st.QueueVersion), QueueLength: len(st.Queue), CurrentIndex: st.Index,
		CurrentItemID: currentItem(st), State: modes.State, StopAfter: modes.StopAfter, Consume: modes.Consume,
	}
	if out.Track != nil {
		out.Position = out.Track.Position // never past the duration
	}
	if st.Running {
		out.Rate = 1
	}
	out.Output, out.Error = nilIfEmpty(st.Output), nilIfEmpty(st.Error)
	if st.Web != nil {
		out.Stream = &playerapi.StreamState{
			Live: st.Web.Live, Station: nilIfEmpty(st.Web.Station), Title: nilIfEmpty(st.Web.Title),
		}
	}
	if st.Personal != nil {
		out.Liked, out.Rating = &st.Personal.Liked, &st.Personal.Rating
	}
	data, err := encode(out)
	if err != nil {
		return nil, err
	}
	event := append([]byte("event: state\nid: "), strconv.FormatUint(st.Version, 10)...)
	event = append(append(event, "\ndata: "...), data...)
	return append(event, "\n\n"...), nil
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
