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

// heartbeat keeps proxies and clients sure that a quiet stream is alive.
const heartbeat = 15 * time.Second

// farewell is the last that a listener hears of a server that stops: how soon to look for it again.
const farewell = "retry: 1000\n: the server is stopping\n\n"

// states keeps the newest event as bytes, so that a hundred listeners cost one encoding.
type states struct {
	newest atomic.Pointer[encodedState]
}

type encodedState struct {
	of    *player.Status
	event []byte
}

// events streams the whole state: at once, and then the newest after each change. An event
// contains all that came before it, so Last-Event-ID needs no memory on our side.
func (s *server) events(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	out := &eventWriter{to: w, flush: http.NewResponseController(w).Flush}
	var beats sync.WaitGroup
	beats.Go(func() { defer cancel(); out.beat(ctx) })
	if httpkit.CallerOf(ctx).Permissions.Has(access.Keys) {
		beats.Go(func() { defer cancel(); s.announcePairing(ctx, out) })
	}
	beats.Go(func() {
		defer cancel()
		select {
		case <-ctx.Done():
		case <-httpkit.Stopping(ctx):
		}
	})
	defer beats.Wait()
	defer cancel()

	first := true
	for st := range s.player.Updates(ctx) {
		event, err := s.event(st, first)
		if err == nil {
			err = out.send(event)
		}
		if err != nil {
			return err
		}
		first = false
	}
	if r.Context().Err() == nil { // neither the client nor its credential is gone: it is the player that ends
		return out.send([]byte(farewell))
	}
	return nil
}

// eventWriter lets events and heartbeats take turns.
type eventWriter struct {
	mu    sync.Mutex
	to    http.ResponseWriter
	flush func() error
}

func (e *eventWriter) send(b []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, err := e.to.Write(b); err != nil {
		return err
	}
	return e.flush()
}

// beat sends heartbeats until ctx is done or the client is gone.
func (e *eventWriter) beat(ctx context.Context) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if e.send([]byte(": still here\n\n")) != nil {
				return
			}
		}
	}
}

// announcePairing sends who waits to be paired, to those who can approve it, until ctx is
// done or the client is gone. While nobody ever asked it sends nothing.
func (s *server) announcePairing(ctx context.Context, out *eventWriter) {
	for told := false; ; {
		requests, changed := s.pairing.watch(time.Now())
		if told || len(requests) > 0 {
			told = true
			data, err := encode(wirePairs(requests))
			if err != nil || out.send([]byte("event: pairing\ndata: "+string(data)+"\n\n")) != nil {
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

// event returns st as it goes over the wire. The first one of a stream tells the position of
// this moment; the others that of the change they announce.
func (s *server) event(st *player.Status, first bool) ([]byte, error) {
	if first {
		now := *st
		if newest, position := s.now(); newest == st {
			now.Position, now.SampledAt = position, time.Now()
		}
		return s.encodeState(&now, st)
	}
	if kept := s.states.newest.Load(); kept != nil && kept.of == st {
		return kept.event, nil
	}
	event, err := s.encodeState(st, st)
	if err == nil {
		s.states.newest.Store(&encodedState{st, event})
	}
	return event, err
}

// encodeState writes st as an event. original is the status as the player published it.
func (s *server) encodeState(st, original *player.Status) ([]byte, error) {
	_, queueVersion, err := s.queues.of(original)
	if err != nil {
		return nil, err
	}
	out := playerapi.State{
		Version: int(st.Version), Track: wireTrack(st, st.Position), IsPlaying: st.Playing, Shuffle: st.Shuffle,
		Repeat: playerapi.Repeat(st.Repeat), Volume: st.Volume, Muted: st.Muted,
		Position: wholeMillis(st.Position), Timestamp: timestamp.At(st.SampledAt),
		QueueVersion: int(queueVersion), QueueLength: len(st.Queue), CurrentIndex: st.Index,
	}
	if st.Running {
		out.Rate = 1
	}
	if st.Output != "" {
		out.Output = &st.Output
	}
	if st.Error != "" {
		out.Error = &st.Error
	}
	data, err := encode(out)
	if err != nil {
		return nil, err
	}
	event := append([]byte("event: state\nid: "), strconv.FormatUint(st.Version, 10)...)
	event = append(append(event, "\ndata: "...), data...)
	return append(event, "\n\n"...), nil
}
