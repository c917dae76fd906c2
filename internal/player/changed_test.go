package player

import (
	"os"
	"testing"
	"time"

	"waxwing/internal/fault"
)

// An item plays a part of its track, beside one that plays all of it, also after a crash.
func TestItemsPlayPartsOfTracks(t *testing.T) {
	bubble(t, func(r *rig) {
		_, err := r.insert(atEnd, "t1", "t1", "t2")
		r.ok(err)
		part := func(index int, from, to time.Duration) error {
			return r.Edit(r.ctx, func(q *Edit) error { return q.SetPart(index, from, to) })
		}
		r.ok(part(0, 8*time.Second, 0))
		r.ok(part(1, 2*time.Second, 5*time.Second))
		if kind, _ := fault.Of(part(2, 11*time.Second, 0)); kind != fault.Invalid {
			t.Errorf("a part behind the end: got kind %d, want invalid", kind)
		}
		journal, err := os.ReadFile(r.config.StateFile)
		r.ok(err)
		r.stop()
		r.ok(os.WriteFile(r.config.StateFile, journal, 0o600))
		r.start()
		for i, want := range []time.Duration{2 * time.Second, 3 * time.Second, 10 * time.Second} {
			if got := r.Status().Queue[i].Duration; got != want {
				t.Errorf("length of item %d: got %v, want %v", i, got, want)
			}
		}
		_, err = r.Play(r.ctx)
		r.ok(err)
		r.advance(time.Second)
		r.wantState("t1", true, time.Second)
		r.advance(2 * time.Second) // the second item, which is the same track
		if got := r.Status().Index; got != 1 {
			t.Errorf("current item after 3 s: got %d, want 1", got)
		}
		r.wantState("t1", true, time.Second)
		_, err = r.Seek(r.ctx, 2500*time.Millisecond)
		r.ok(err)
		r.advance(time.Second)
		r.wantState("t2", true, 500*time.Millisecond)
		r.ok(part(1, 0, 0))
		if from, to, part := r.Status().Queue[1].Part(); part || r.Status().Queue[1].Duration != 10*time.Second {
			t.Errorf("after the part was removed: got %v to %v, %v; want all 10 s", from, to, part)
		}
	})
}

func TestTagsAreForTracksOfTheWeb(t *testing.T) {
	bubble(t, func(r *rig) {
		_, err := r.insert(atEnd, "t1")
		r.ok(err)
		web := Track{ID: "st_1", Title: "live.mp3", URL: "https://radio.example/live.mp3"}
		r.ok(r.Edit(r.ctx, func(q *Edit) error { _, err := q.Insert(1, []Track{web}); return err }))
		set := func(index int, tags ...Tag) error {
			return r.Edit(r.ctx, func(q *Edit) error { return q.SetTags(index, tags) })
		}
		if kind, _ := fault.Of(set(0, Tag{"Title", "x"})); kind != fault.Conflict {
			t.Errorf("tags of a song: got kind %d, want conflict", kind)
		}
		before := r.Status().QueueVersion
		r.ok(set(1, Tag{"Title", "News\nat nine"}, Tag{"Artist", "Ada"}, Tag{"Genre", "Talk"}))
		st := r.Status()
		if got := st.Queue[1]; got.Title != "News at nine" || got.Artist != "Ada" || len(got.Tags()) != 3 ||
			st.Items[1].Version <= before {
			t.Errorf("after the tags were set: got %+v, version %d", got, st.Items[1].Version)
		}
		r.stop()
		r.start()
		if got := r.Status().Queue[1].Tags(); len(got) != 3 || got[2] != (Tag{"Genre", "Talk"}) {
			t.Errorf("tags after a restart: got %v, want three", got)
		}
		r.ok(set(1))
		if got := r.Status().Queue[1]; got.Title != "live.mp3" || got.Artist != "" || got.Changed != nil {
			t.Errorf("after the tags were removed: got %+v, want the name of the file", got)
		}
	})
}
