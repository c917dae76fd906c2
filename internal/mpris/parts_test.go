package mpris

import (
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
)

func TestSessionBusAddresses(t *testing.T) {
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
			t.Errorf("address %q with runtime directory %q: got %q, want %q", c.address, c.runtime, got, c.want)
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
			t.Errorf("%s: jumped: got %v, want %v", name, got, c.want)
		}
	}
}

// Steps of 150 ms are too small to be announced one by one, but their sum is a jump.
func TestSmallPositionErrorsAddUpToAJump(t *testing.T) {
	h, jumps := playhead{track: "/a"}, 0
	for i := range 5 {
		next := playhead{track: "/a", at: time.Duration(i+1) * 150 * time.Millisecond}
		if next.jumped(&h) {
			jumps++
		}
		h = next
	}
	if jumps != 2 {
		t.Errorf("announced jumps: got %d, want 2", jumps)
	}
}

func TestTrackPathsAreValid(t *testing.T) {
	for _, id := range []string{"so_4fzPAMv0vqkCwBZ1VHSnkr", "t1", "", "ä/b c", "x-y", "\x00"} {
		st := &player.Status{Queue: []player.Track{{ID: "other"}, {ID: id}, {ID: id}}, Index: 2}
		path := currentPath(st)
		if id != "" && !path.IsValid() {
			t.Errorf("path of %q: got %q, want a valid object path", id, path)
		}
		if got := locate(st, path); got != 2 {
			t.Errorf("locate(%q): got %d, want 2", path, got)
		}
	}
	if got := locate(&player.Status{}, noTrack); got != -1 {
		t.Errorf("locate in an empty queue: got %d, want -1", got)
	}
}

// Each entry of the queue has its own path, even if a song is queued more than once. Moving an
// entry does not change the paths of other songs.
func TestTrackPathsAreUniqueAndStable(t *testing.T) {
	queue := func(ids ...string) *player.Status {
		st := &player.Status{}
		for _, id := range ids {
			st.Queue = append(st.Queue, player.Track{ID: id})
		}
		return st
	}
	before := queue("a", "b", "a", "c", "a", "b")
	paths := trackList(before)
	for i, path := range paths {
		if slices.Index(paths, path) != i || locate(before, path) != i {
			t.Errorf("entry %d has the path %s: got first index %d, locate %d; want %d for both",
				i, path, slices.Index(paths, path), locate(before, path), i)
		}
	}
	after := queue("c", "a", "b", "a", "a", "b") // c was moved to the front
	for i, path := range trackList(after) {
		if old := locate(before, path); old < 0 || before.Queue[old].ID != after.Queue[i].ID {
			t.Errorf("path %s: entry %d after the move was entry %d before; want the same song", path, i, old)
		}
	}
	if from, to := locate(before, paths[3]), locate(after, paths[3]); from != 3 || to != 0 {
		t.Errorf("moved entry: got index %d before and %d after, want 3 and 0", from, to)
	}
}
