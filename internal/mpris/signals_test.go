package mpris_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/player"
	"waxwing/internal/testenv"
)

func instanceName() string { return fmt.Sprintf("%s.instance%d", busName, os.Getpid()) }

func TestChangesAreAnnouncedOnceAndTogether(t *testing.T) {
	d, p := desktop(t)
	d.call(playerIface, "Play")
	first := d.await("the first track", announces("Metadata"))
	got := changed(first[len(first)-1])
	for _, name := range []string{"PlaybackStatus", "Metadata", "CanGoNext", "CanPause", "CanSeek"} {
		if _, ok := got[name]; !ok {
			t.Errorf("%s was not announced together with the rest: %v", name, got)
		}
	}
	d.await("the queue", func(s *dbus.Signal) bool { return s.Name == tracksIface+".TrackListReplaced" })

	volume := 33
	if err := p.SetVolume(t.Context(), &volume, nil); err != nil {
		t.Fatal(err)
	}
	d.call(playerIface, "Pause")
	all := d.await("the pause", announces("PlaybackStatus"))
	seen := map[string]int{}
	for _, s := range all {
		for name := range changed(s) {
			seen[name]++
		}
	}
	if len(seen) != 2 || seen["Volume"] != 1 || seen["PlaybackStatus"] != 1 {
		t.Errorf("a change of volume and a pause were announced as %v", seen)
	}
	if slices.ContainsFunc(all, seeked) {
		t.Error("a pause was signalled as Seeked")
	}
}

func TestOnlyJumpsSignalSeeked(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, shelf{size: 3, length: 3 * time.Second})
	offer(t, p)
	d := connectDesk(t, bus, busName)

	d.call(playerIface, "Play")
	d.await("the second track", func(s *dbus.Signal) bool {
		about, ok := changed(s)["Metadata"]
		return ok && about.Value().(map[string]dbus.Variant)["xesam:url"].Value() == "waxwing:t1"
	})
	d.call(playerIface, "Pause")
	d.call(playerIface, "Play")
	d.call(playerIface, "Pause")
	d.call(playerIface, "Next")
	d.await("the next track", announces("Metadata"))
	if all := d.takeSignals(); slices.ContainsFunc(all, seeked) {
		t.Errorf("a join, a pause and a skip signalled Seeked: %v", all)
	}

	d.call(playerIface, "SetPosition", dbus.ObjectPath("/org/waxwing/track/t2"), int64(2_500_000))
	all := d.await("the jump", seeked)
	if at := all[len(all)-1].Body[0].(int64); at < 2_490_000 || at > 2_510_000 {
		t.Errorf("Seeked reports %d µs", at)
	}
	d.set("LoopStatus", "Track")
	d.call(playerIface, "Play")
	all = d.await("the track to start again", seeked)
	if at := all[len(all)-1].Body[0].(int64); at > 1_000_000 {
		t.Errorf("Seeked reports %d µs after a restart of the track", at)
	}
}

func TestTrackListMethodsEditTheQueue(t *testing.T) {
	d, p := desktop(t)
	tracks := func() []string {
		var names []string
		for _, path := range d.get(tracksIface, "Tracks").([]dbus.ObjectPath) {
			names = append(names, string(path)[len("/org/waxwing/track/"):])
		}
		return names
	}
	check := func(what string, want ...string) {
		t.Helper()
		if got := tracks(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	path := func(name string) dbus.ObjectPath { return dbus.ObjectPath("/org/waxwing/track/" + name) }
	check("empty")
	d.call(tracksIface, "AddTrack", "waxwing:t1", noTrack, false)
	d.call(tracksIface, "AddTrack", "waxwing:t2", path("t1"), false)
	d.call(tracksIface, "AddTrack", "waxwing:t0", noTrack, false)
	d.call(tracksIface, "AddTrack", "waxwing:t3", path("gone"), false)
	check("added first, after, first and last", "t0", "t1", "t2", "t3")
	d.call(tracksIface, "AddTrack", "waxwing:t1", path("t2"), true)
	check("added twice", "t0", "t1", "t2", "t1/2", "t3")
	if d.track() != "t1/2" || !p.Status().Playing || p.Status().Index != 3 {
		t.Errorf("plays %s", d.track())
	}
	d.call(tracksIface, "GoTo", path("t1"))
	if d.track() != "t1" || p.Status().Index != 1 {
		t.Errorf("went to %s", d.track())
	}
	d.call(tracksIface, "GoTo", path("t9"))
	d.call(tracksIface, "RemoveTrack", path("t1/2"))
	d.call(tracksIface, "RemoveTrack", path("t1/2"))
	check("removed the second", "t0", "t1", "t2", "t3")
	d.refused("InvalidArgs", tracksIface, "AddTrack", "file:///x", noTrack, false)

	var about []map[string]dbus.Variant
	call := d.player.Call(tracksIface+".GetTracksMetadata", 0, []dbus.ObjectPath{path("t3"), path("gone"), path("t0")})
	if err := call.Store(&about); err != nil || len(about) != 2 || about[0]["mpris:trackid"].Value() != path("t3") ||
		about[1]["xesam:album"].Value() != "Tones" {
		t.Errorf("%v %v", about, err)
	}
}

func TestTrackListOfALongQueueSurroundsTheCurrentTrack(t *testing.T) {
	d, p := desktop(t)
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("t%d", i%5)
	}
	if err := p.Replace(t.Context(), player.Selection{TrackIDs: ids}, 555, false); err != nil {
		t.Fatal(err)
	}
	tracks := d.get(tracksIface, "Tracks").([]dbus.ObjectPath)
	if len(tracks) != 300 || tracks[0] != "/org/waxwing/track/t0/81" || d.track() != "t0/112" || !slices.Contains(tracks,
		"/org/waxwing/track/t0/112") {
		t.Errorf("%d tracks from %s, at %s", len(tracks), tracks[0], d.track())
	}
	d.takeSignals()
	d.call(playerIface, "Next")
	for _, s := range d.await("the next track", announces("Metadata")) {
		if s.Name == tracksIface+".TrackListReplaced" {
			t.Error("the list changed with the track")
		}
	}
}

func TestPlayerReconnectsToARestartedBus(t *testing.T) {
	bus := testenv.StartBus(t)
	bus.Kill()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, shelf{size: 5, length: time.Minute})
	if _, err := p.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	offer(t, p)
	for range 3 {
		bus.Restart()
		d := connectDesk(t, bus, busName)
		d.call(playerIface, "Next")
		d.await("the next track", announces("Metadata"))
		bus.Kill()
		if err := p.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// The socket of a bus that no longer reads is filled.
func TestFrozenBusDoesNotDelayThePlayer(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, shelf{size: 5, length: time.Minute})
	leave := offer(t, p)
	d := connectDesk(t, bus, busName)
	d.call(playerIface, "Play")
	bus.Freeze()
	defer bus.Thaw()
	slowest := time.Duration(0)
	for i := range 2000 {
		start := time.Now()
		volume := i % 100
		if err := p.SetVolume(t.Context(), &volume, nil); err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(start))
	}
	t.Logf("slowest of 2000 commands: %v", slowest)
	if slowest > time.Second {
		t.Errorf("a command took %v", slowest)
	}
	start := time.Now()
	leave()
	if d := time.Since(start); d > 7*time.Second {
		t.Errorf("disconnecting from a frozen bus took %v", d)
	}
}
