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
	d, p := startDesktop(t)
	d.call(playerIface, "Play")
	first := d.await("the first track", announcesProperty("Metadata"))
	got := changed(first[len(first)-1])
	for _, name := range []string{"PlaybackStatus", "Metadata", "CanGoNext", "CanPause", "CanSeek"} {
		if _, ok := got[name]; !ok {
			t.Errorf("first signal: got %v, want it to contain %s", got, name)
		}
	}
	d.await("the queue", func(s *dbus.Signal) bool { return s.Name == tracksIface+".TrackListReplaced" })

	volume := 33
	if err := p.SetVolume(t.Context(), &volume, nil); err != nil {
		t.Fatal(err)
	}
	d.call(playerIface, "Pause")
	all := d.await("the pause", announcesProperty("PlaybackStatus"))
	count := map[string]int{}
	for _, s := range all {
		for name := range changed(s) {
			count[name]++
		}
	}
	if len(count) != 2 || count["Volume"] != 1 || count["PlaybackStatus"] != 1 {
		t.Errorf("properties announced for a volume change and a pause: got %v, want Volume and PlaybackStatus once",
			count)
	}
	if slices.ContainsFunc(all, seeked) {
		t.Errorf("signals of a pause: got %v, want no Seeked", all)
	}
}

func TestOnlyJumpsSignalSeeked(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, toneLibrary{size: 3, length: 3 * time.Second})
	serveMPRIS(t, p)
	d := connectDesktop(t, bus, busName)

	d.call(playerIface, "Play")
	d.await("the second track", func(s *dbus.Signal) bool {
		metadata, ok := changed(s)["Metadata"]
		return ok && metadata.Value().(map[string]dbus.Variant)["xesam:url"].Value() == "waxwing:t1"
	})
	d.call(playerIface, "Pause")
	d.call(playerIface, "Play")
	d.call(playerIface, "Pause")
	d.call(playerIface, "Next")
	d.await("the next track", announcesProperty("Metadata"))
	if all := d.takeSignals(); slices.ContainsFunc(all, seeked) {
		t.Errorf("signals of a gapless track change, a pause and a skip: got %v, want no Seeked", all)
	}

	d.call(playerIface, "SetPosition", dbus.ObjectPath("/org/waxwing/track/t2"), int64(2_500_000))
	all := d.await("the jump", seeked)
	if at := all[len(all)-1].Body[0].(int64); at < 2_490_000 || at > 2_510_000 {
		t.Errorf("position of Seeked: got %d µs, want 2500000 µs", at)
	}
	d.set("LoopStatus", "Track")
	d.call(playerIface, "Play")
	all = d.await("the restart of the track", seeked)
	if at := all[len(all)-1].Body[0].(int64); at > 1_000_000 {
		t.Errorf("position of Seeked after a restart of the track: got %d µs, want less than 1000000 µs", at)
	}
}

func TestTrackListMethodsEditTheQueue(t *testing.T) {
	d, p := startDesktop(t)
	tracks := func() []string {
		var names []string
		for _, path := range d.get(tracksIface, "Tracks").([]dbus.ObjectPath) {
			names = append(names, string(path)[len("/org/waxwing/track/"):])
		}
		return names
	}
	wantTracks := func(when string, want ...string) {
		t.Helper()
		if got := tracks(); !slices.Equal(got, want) {
			t.Errorf("track list %s: got %v, want %v", when, got, want)
		}
	}
	path := func(name string) dbus.ObjectPath { return dbus.ObjectPath("/org/waxwing/track/" + name) }
	wantTracks("of an empty queue")
	d.call(tracksIface, "AddTrack", "waxwing:t1", noTrack, false)
	d.call(tracksIface, "AddTrack", "waxwing:t2", path("t1"), false)
	d.call(tracksIface, "AddTrack", "waxwing:t0", noTrack, false)
	d.call(tracksIface, "AddTrack", "waxwing:t3", path("missing"), false)
	wantTracks("after adding first, after t1, first and last", "t0", "t1", "t2", "t3")
	d.call(tracksIface, "AddTrack", "waxwing:t1", path("t2"), true)
	wantTracks("after adding t1 again", "t0", "t1", "t2", "t1/2", "t3")
	if d.track() != "t1/2" || !p.Status().Playing || p.Status().Index != 3 {
		t.Errorf("after AddTrack as current: got track %s at %d, playing %v; want t1/2 at 3, true",
			d.track(), p.Status().Index, p.Status().Playing)
	}
	d.call(tracksIface, "GoTo", path("t1"))
	if d.track() != "t1" || p.Status().Index != 1 {
		t.Errorf("after GoTo: got track %s at %d, want t1 at 1", d.track(), p.Status().Index)
	}
	d.call(tracksIface, "GoTo", path("t9"))
	d.call(tracksIface, "RemoveTrack", path("t1/2"))
	d.call(tracksIface, "RemoveTrack", path("t1/2"))
	wantTracks("after removing the second t1", "t0", "t1", "t2", "t3")
	d.wantError("InvalidArgs", tracksIface, "AddTrack", "file:///x", noTrack, false)

	var metadata []map[string]dbus.Variant
	call := d.player.Call(tracksIface+".GetTracksMetadata", 0,
		[]dbus.ObjectPath{path("t3"), path("missing"), path("t0")})
	if err := call.Store(&metadata); err != nil || len(metadata) != 2 ||
		metadata[0]["mpris:trackid"].Value() != path("t3") || metadata[1]["xesam:album"].Value() != "Tones" {
		t.Errorf("GetTracksMetadata: got %v, error %v; want t3 and t0", metadata, err)
	}
}

func TestTrackListOfALongQueueSurroundsTheCurrentTrack(t *testing.T) {
	d, p := startDesktop(t)
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("t%d", i%5)
	}
	if err := p.Replace(t.Context(), player.Selection{TrackIDs: ids}, 555, false); err != nil {
		t.Fatal(err)
	}
	tracks := d.get(tracksIface, "Tracks").([]dbus.ObjectPath)
	if len(tracks) != 300 || tracks[0] != "/org/waxwing/track/t0/81" || d.track() != "t0/112" ||
		!slices.Contains(tracks, "/org/waxwing/track/t0/112") {
		t.Errorf("got %d tracks from %s, current %s; want 300 from t0/81 that contain the current t0/112",
			len(tracks), tracks[0], d.track())
	}
	d.takeSignals()
	d.call(playerIface, "Next")
	for _, s := range d.await("the next track", announcesProperty("Metadata")) {
		if s.Name == tracksIface+".TrackListReplaced" {
			t.Error("signals of the next track: got TrackListReplaced, want none")
		}
	}
}

func TestPlayerReconnectsToARestartedBus(t *testing.T) {
	bus := testenv.StartBus(t)
	bus.Kill()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, toneLibrary{size: 5, length: time.Minute})
	if _, err := p.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	serveMPRIS(t, p)
	for range 3 {
		bus.Restart()
		d := connectDesktop(t, bus, busName)
		d.call(playerIface, "Next")
		d.await("the next track", announcesProperty("Metadata"))
		bus.Kill()
		if err := p.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// The bus no longer reads, so its socket buffer fills.
func TestFrozenBusDoesNotDelayThePlayer(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, toneLibrary{size: 5, length: time.Minute})
	stop := serveMPRIS(t, p)
	d := connectDesktop(t, bus, busName)
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
		t.Errorf("slowest command: got %v, want at most 1s", slowest)
	}
	start := time.Now()
	stop()
	if d := time.Since(start); d > 7*time.Second {
		t.Errorf("disconnecting from a frozen bus: got %v, want at most 7s", d)
	}
}
