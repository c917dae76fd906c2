package player

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/fault"
)

// memory is a PersonalLibrary in memory.
type memory struct {
	mu      sync.Mutex
	values  map[string]Personal
	err     error
	changed chan struct{}
	reads   int
}

func newMemory() *memory {
	return &memory{values: map[string]Personal{}, changed: make(chan struct{}, 100)}
}

func (m *memory) Personal(_ context.Context, id string) (Personal, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	return m.values[id], m.err
}

func (m *memory) set(id string, f func(*Personal)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.values[id]
	f(&v)
	m.values[id] = v
	return m.err
}

func (m *memory) SetLiked(_ context.Context, id string, liked bool) error {
	return m.set(id, func(v *Personal) { v.Liked = liked })
}

func (m *memory) SetRating(_ context.Context, id string, rating int) error {
	return m.set(id, func(v *Personal) { v.Rating = rating })
}

func (m *memory) PersonalChanges(ctx context.Context) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-m.changed:
				if !yield(struct{}{}) {
					return
				}
			}
		}
	}
}

// withMemory runs f with a rig whose likes and ratings are in memory.
func withMemory(t *testing.T, f func(r *rig, m *memory)) {
	t.Helper()
	bubble(t, func(r *rig) {
		m := newMemory()
		r.stop()
		r.config.Personal = m
		r.start()
		f(r, m)
	})
}

func (r *rig) wantPersonal(want *Personal) {
	r.t.Helper()
	if got := r.Status().Personal; !samePersonal(got, want) {
		r.t.Fatalf("personal data of the current track: got %+v, want %+v", got, want)
	}
}

func TestLikeAndRatingFollowTheCurrentTrack(t *testing.T) {
	withMemory(t, func(r *rig, m *memory) {
		if _, err := r.Like(r.ctx, true); !isKind(err, fault.Conflict) {
			t.Fatalf("like with an empty queue: got %v, want a conflict", err)
		}
		m.values["t1"] = Personal{Liked: true, Rating: 4}
		_, err := r.Play(r.ctx)
		r.ok(err)
		r.advance(time.Second)
		r.wantPersonal(&Personal{})
		id, err := r.Rate(r.ctx, 3)
		r.ok(err)
		if id != "t0" {
			t.Errorf("rated track: got %q, want t0", id)
		}
		r.wantPersonal(&Personal{Rating: 3}) // at once, without another read
		_, err = r.Like(r.ctx, true)
		r.ok(err)
		r.wantPersonal(&Personal{Liked: true, Rating: 3})
		for _, rating := range []int{-1, 6} {
			if _, err := r.Rate(r.ctx, rating); !isKind(err, fault.Invalid) {
				t.Errorf("rating %d: got %v, want invalid", rating, err)
			}
		}
		synctest.Wait() // the player has read the data of t0 again, and pauses before the next read
		r.ok(r.Next(r.ctx))
		r.wantPersonal(nil) // that of another track is never shown
		r.advance(time.Second)
		r.wantPersonal(&Personal{Liked: true, Rating: 4})
		r.ok(m.SetRating(r.ctx, "t1", 5)) // by another program
		m.changed <- struct{}{}
		r.advance(time.Second)
		r.wantPersonal(&Personal{Liked: true, Rating: 5})
	})
}

// TestPlaybackIgnoresAFailingPersonalLibrary also floods the player with changes.
func TestPlaybackIgnoresAFailingPersonalLibrary(t *testing.T) {
	withMemory(t, func(r *rig, m *memory) {
		m.err = fault.New(fault.Unavailable, "the catalog is unreachable")
		_, err := r.Play(r.ctx)
		r.ok(err)
		for range 100 {
			m.changed <- struct{}{}
		}
		r.advance(2 * time.Second)
		r.wantState("t0", true, 2*time.Second)
		r.wantPersonal(nil)
		if _, err := r.Like(r.ctx, true); !errors.Is(err, m.err) {
			t.Errorf("like with an unreachable catalog: got %v, want %v", err, m.err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.reads > 12 {
			t.Errorf("reads after 100 changes in 2 s: got %d, want at most one in 250 ms", m.reads)
		}
	})
}

func isKind(err error, want fault.Kind) bool {
	kind, _ := fault.Of(err)
	return err != nil && kind == want
}
