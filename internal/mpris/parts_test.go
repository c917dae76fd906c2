package mpris

import (
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

func TestSessionBusesAreFoundWithoutStartingOne(t *testing.T) {
	for _, c := range []struct {
		address, runtime string
		want             []string
	}{
		{"unix:path=/run/user/1000/bus", "/x", []string{"/run/user/1000/bus"}},
		{"unix:abstract=/tmp/dbus-AbC,guid=12", "", []string{"@/tmp/dbus-AbC"}},
		{"tcp:host=localhost,port=1;unix:guid=1,path=/a%20b", "", []string{"/a b"}},
		{"unix:path=/a%zz;nonsense;", "/x", nil},
		{"autolaunch:", "/run/user/7", []string{"/run/user/7/bus"}},
		{"", "/run/user/7", []string{"/run/user/7/bus"}},
	} {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", c.address)
		t.Setenv("XDG_RUNTIME_DIR", c.runtime)
		if got := sessionBuses(); !slices.Equal(got, c.want) {
			t.Errorf("%q with %q gives %q, want %q", c.address, c.runtime, got, c.want)
		}
	}
}

func TestPlayheadDistinguishesJumpsFromPlayback(t *testing.T) {
	start := time.Now()
	head := func(track dbus.ObjectPath, at, after time.Duration, moving bool) playhead {
		return playhead{track, at, start.Add(after), moving}
	}
	for name, c := range map[string]struct {
		before, after playhead
		want          bool
	}{
		"time passes":            {head("/a", 0, 0, true), head("/a", 10*time.Second, 10*time.Second, true), false},
		"a pause":                {head("/a", 0, 0, true), head("/a", 10*time.Second, 10050*time.Millisecond, false), false},
		"a long pause":           {head("/a", 5*time.Second, 0, false), head("/a", 5*time.Second, time.Hour, true), false},
		"a seek":                 {head("/a", 0, 0, true), head("/a", 30*time.Second, time.Second, true), true},
		"a seek back":            {head("/a", 30*time.Second, 0, false), head("/a", 0, time.Second, false), true},
		"another track":          {head("/a", 30*time.Second, 0, true), head("/b", 0, time.Second, true), false},
		"another, in the middle": {head("/a", 30*time.Second, 0, true), head("/b", 31*time.Second, time.Second, true), true},
		"the same again":         {head("/a", 30*time.Second, 0, true), head("/a", 0, 10*time.Second, true), true},
		"a wait for the network": {head("/a", 0, 0, true), head("/a", 0, 4*time.Second, true), true},
		"an imperceptible delay": {head("/a", 0, 0, true), head("/a", 0, 100*time.Millisecond, true), false},
	} {
		if got := c.after.jumped(&c.before); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Five unannounced steps of 150 ms are a jump in the end.
func TestSmallPositionErrorsAddUpToAJump(t *testing.T) {
	h, leaps := playhead{track: "/a"}, 0
	for i := range 5 {
		next := playhead{track: "/a", at: time.Duration(i+1) * 150 * time.Millisecond}
		if next.jumped(&h) {
			leaps++
		}
		h = next
	}
	if leaps != 2 {
		t.Errorf("%d jumps were announced", leaps)
	}
}

func TestTrackPathsAreValid(t *testing.T) {
	for _, id := range []string{"so_4fzPAMv0vqkCwBZ1VHSnkr", "t1", "", "ä/b c", "x-y", "\x00"} {
		st := &player.Status{Queue: []player.Track{{ID: "other"}, {ID: id}, {ID: id}}, Index: 2}
		path := currentPath(st)
		if id != "" && !path.IsValid() {
			t.Errorf("the path of %q is %q", id, path)
		}
		if got := locate(st, path); got != 2 {
			t.Errorf("locate(%q) is %d", path, got)
		}
	}
	if locate(&player.Status{}, noTrack) != -1 {
		t.Error("locate found a track in an empty queue")
	}
}

// Each entry of the queue has a path of its own, also where a song is queued more than once, and
// moving one does not change the paths of other songs.
func TestTrackPathsAreUniqueAndStable(t *testing.T) {
	queue := func(ids ...string) *player.Status {
		st := &player.Status{}
		for _, id := range ids {
			st.Queue = append(st.Queue, player.Track{ID: id})
		}
		return st
	}
	before := queue("a", "b", "a", "c", "a", "b")
	names := trackList(before)
	for i, path := range names {
		if slices.Index(names, path) != i || locate(before, path) != i {
			t.Errorf("entry %d has the path %s, as has %d; locate returns %d", i, path, slices.Index(names, path),
				locate(before, path))
		}
	}
	after := queue("c", "a", "b", "a", "a", "b") // c was moved to the front
	for i, path := range trackList(after) {
		if was := locate(before, path); was < 0 || before.Queue[was].ID != after.Queue[i].ID {
			t.Errorf("%s was entry %d and is entry %d", path, was, i)
		}
	}
	if from, to := locate(before, names[3]), locate(after, names[3]); from != 3 || to != 0 {
		t.Errorf("the entry that was moved was %d and is %d", from, to)
	}
}
