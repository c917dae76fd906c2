package mpris_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

// ratings is a PersonalLibrary in memory.
type ratings struct {
	mu     sync.Mutex
	values map[string]player.Personal
}

func newRatings() *ratings { return &ratings{values: map[string]player.Personal{}} }

func (r *ratings) Personal(_ context.Context, id string) (player.Personal, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.values[id], nil
}

func (r *ratings) SetLiked(_ context.Context, id string, liked bool) error {
	return r.change(id, func(p *player.Personal) { p.Liked = liked })
}

func (r *ratings) SetRating(_ context.Context, id string, rating int) error {
	return r.change(id, func(p *player.Personal) { p.Rating = rating })
}

func (r *ratings) change(id string, f func(*player.Personal)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	value := r.values[id]
	f(&value)
	r.values[id] = value
	return nil
}

func (r *ratings) PersonalChanges(context.Context) iter.Seq[struct{}] {
	return func(func(struct{}) bool) {}
}

func TestMetadataHasTheRatingFromZeroToOne(t *testing.T) {
	d, p := startDesktop(t)
	if err := p.Replace(t.Context(), player.Selection{TrackIDs: []string{"t1", "t0"}}, 0, false); err != nil {
		t.Fatal(err)
	}
	await := func(want any) {
		t.Helper()
		d.await("the rating", func(s *dbus.Signal) bool {
			metadata, ok := changed(s)["Metadata"]
			return ok && metadata.Value().(map[string]dbus.Variant)["xesam:userRating"].Value() == want
		})
		got := d.get(playerIface, "Metadata").(map[string]dbus.Variant)["xesam:userRating"].Value()
		if got != want {
			t.Errorf("xesam:userRating: got %v, want %v", got, want)
		}
	}
	for _, c := range []struct {
		rating int
		want   any
	}{{4, 0.8}, {0, nil}, {5, 1.0}} { // a track without a rating has no such entry
		if _, err := p.Rate(t.Context(), c.rating); err != nil {
			t.Fatal(err)
		}
		await(c.want)
	}
	d.call(playerIface, "Next")
	await(nil)
	d.call(playerIface, "Previous")
	await(1.0)
}
