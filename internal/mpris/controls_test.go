package mpris_test

import (
	"encoding/xml"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"

	"waxwing/internal/player"
	"waxwing/internal/testenv"
)

func TestPropertiesOfAnEmptyPlayer(t *testing.T) {
	d, _ := startDesktop(t)
	d.wantProperties("PlaybackStatus", "Stopped", "LoopStatus", "None", "Shuffle", false, "Volume", 0.8,
		"Rate", 1.0, "MinimumRate", 1.0, "MaximumRate", 1.0, "Position", int64(0),
		"CanGoNext", false, "CanGoPrevious", false, "CanPlay", true, "CanPause", false, "CanSeek", false,
		"CanControl", true)
	if metadata := d.get(playerIface, "Metadata").(map[string]dbus.Variant); len(metadata) != 0 {
		t.Errorf("metadata of an empty player: got %v, want none", metadata)
	}
	for name, want := range map[string]any{"Identity": "Waxwing", "HasTrackList": true, "CanQuit": false} {
		if got := d.get(rootIface, name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	d.call(rootIface, "Raise")
	d.call(rootIface, "Quit")
	d.wantError("Failed", playerIface, "Next")
	d.wantError("Failed", playerIface, "Previous")
	d.wantError("Failed", playerIface, "Seek", int64(1))
	for _, method := range []string{"Pause", "Stop"} {
		d.call(playerIface, method)
	}
	d.call(playerIface, "SetPosition", noTrack, int64(5))
	d.wantProperties("PlaybackStatus", "Stopped")
}

func TestMetadataDescribesTheTrack(t *testing.T) {
	d, _ := startDesktop(t)
	d.call(playerIface, "Play")
	d.wantProperties("PlaybackStatus", "Playing", "CanGoNext", true, "CanGoPrevious", true,
		"CanPause", true, "CanSeek", true)
	metadata := d.get(playerIface, "Metadata").(map[string]dbus.Variant)
	want := map[string]any{
		"mpris:trackid": dbus.ObjectPath("/org/waxwing/track/t0"), "mpris:length": int64(60_000_000),
		"xesam:title": "Zwölf  \uFFFD 0", "xesam:album": "Tones", "xesam:url": "waxwing:t0",
		"mpris:artUrl": "http://127.0.0.1:7845/media/covers/8c1f?size=600",
	}
	for key, value := range want {
		if metadata[key].Value() != value {
			t.Errorf("%s: got %v, want %v", key, metadata[key], value)
		}
	}
	artists, ok := metadata["xesam:artist"].Value().([]string)
	if !ok || !slices.Equal(artists, []string{"Ada", "Bo \uFFFD"}) || len(metadata) != len(want)+1 {
		t.Errorf("metadata: got %v, want the artists Ada and Bo \uFFFD and %d entries", metadata, len(want)+1)
	}
}

func TestMethodsControlThePlayer(t *testing.T) {
	d, p := startDesktop(t)
	d.call(playerIface, "PlayPause")
	d.wantProperties("PlaybackStatus", "Playing")
	d.call(playerIface, "Next")
	d.call(playerIface, "Next")
	d.call(playerIface, "Previous")
	if d.track() != "t1" {
		t.Errorf("current track: got %s, want t1", d.track())
	}
	d.call(playerIface, "Pause")
	d.wantProperties("PlaybackStatus", "Paused")
	current := dbus.ObjectPath("/org/waxwing/track/t1")
	d.call(playerIface, "SetPosition", current, int64(30_000_000))
	d.wantPosition(30 * time.Second)
	d.call(playerIface, "Seek", int64(-10_000_000))
	d.wantPosition(20 * time.Second)
	// ignored: t4 is not the current track
	d.call(playerIface, "SetPosition", dbus.ObjectPath("/org/waxwing/track/t4"), int64(1_000_000))
	d.call(playerIface, "SetPosition", current, int64(61_000_000))
	d.call(playerIface, "SetPosition", current, int64(-1))
	d.wantPosition(20 * time.Second)
	d.call(playerIface, "Seek", int64(math.MinInt64))
	d.wantPosition(0)
	d.call(playerIface, "Seek", int64(math.MaxInt64)) // past the end: skips to the next track
	if d.track() != "t2" {
		t.Errorf("current track after a seek past the end: got %s, want t2", d.track())
	}
	d.call(playerIface, "Play")
	d.call(playerIface, "Seek", int64(10_000_000))
	d.call(playerIface, "Stop")
	d.wantProperties("PlaybackStatus", "Stopped", "Position", int64(0))
	d.call(playerIface, "OpenUri", "waxwing:t4")
	if d.track() != "t4" || !p.Status().Playing {
		t.Errorf("after OpenUri: got track %s, playing %v; want t4, true", d.track(), p.Status().Playing)
	}
	d.wantError("Failed", playerIface, "OpenUri", "waxwing:t99")
	for _, uri := range []string{"file:///etc/passwd", "waxwing:", "", "http://127.0.0.1/x.mp3"} {
		d.wantError("InvalidArgs", playerIface, "OpenUri", uri)
	}
	d.wantError("UnknownMethod", playerIface, "Explode")
	d.wantError("InvalidArgs", playerIface, "Seek", "ten")
}

// After Stop the status is Stopped until the player plays again; a later pause is Paused.
func TestStoppedIsNotPaused(t *testing.T) {
	d, p := startDesktop(t)
	wantStatus := func(want string) {
		t.Helper()
		d.await(want, func(s *dbus.Signal) bool { return changed(s)["PlaybackStatus"].Value() == want })
		d.wantProperties("PlaybackStatus", want)
	}
	current := dbus.ObjectPath("/org/waxwing/track/t0")
	d.call(playerIface, "Play")
	wantStatus("Playing")
	d.call(playerIface, "SetPosition", current, int64(10_000_000))
	d.call(playerIface, "Stop")
	wantStatus("Stopped")
	d.wantProperties("Position", int64(0))
	if st := p.Status(); st.Playing || st.Index != 0 {
		t.Errorf("after Stop: got index %d, playing %v; want 0, false", st.Index, st.Playing)
	}
	d.call(playerIface, "Stop")
	d.call(playerIface, "Pause")
	d.call(playerIface, "Next") // the status remains Stopped, as MPRIS requires
	d.wantProperties("PlaybackStatus", "Stopped")
	d.call(playerIface, "Previous")
	d.call(playerIface, "SetPosition", current, int64(5_000_000))
	wantStatus("Paused")
	d.call(playerIface, "Stop")
	wantStatus("Stopped")
	d.call(playerIface, "PlayPause")
	wantStatus("Playing")
	d.wantPosition(0)
	d.call(playerIface, "Pause")
	wantStatus("Paused")
	if _, err := p.Seek(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	d.wantProperties("PlaybackStatus", "Paused", "Position", int64(0))
	d.call(playerIface, "Stop")
	wantStatus("Stopped")
}

func TestWritableProperties(t *testing.T) {
	d, p := startDesktop(t)
	wantRepeat := func(want player.Repeat) {
		t.Helper()
		if got := p.Status().Repeat; got != want {
			t.Errorf("repeat: got %s, want %s", got, want)
		}
	}
	d.set("LoopStatus", "Track")
	wantRepeat(player.RepeatOne)
	d.set("LoopStatus", "Playlist")
	wantRepeat(player.RepeatAll)
	if err := p.SetRepeat(t.Context(), player.RepeatOn); err != nil {
		t.Fatal(err)
	}
	d.wantProperties("LoopStatus", "Playlist")
	d.set("LoopStatus", "Playlist")
	wantRepeat(player.RepeatOn) // MPRIS cannot tell it from RepeatAll: unchanged
	d.set("LoopStatus", "None")
	wantRepeat(player.RepeatOff)
	d.set("Shuffle", true)
	d.wantProperties("Shuffle", true, "LoopStatus", "None")

	for set, want := range map[float64]int{0.335: 34, 0: 0, -3: 0, 1: 100, 7: 100, math.Inf(1): 100, 0.29: 29} {
		if d.set("Volume", set); p.Status().Volume != want {
			t.Errorf("volume after setting %v: got %d, want %d", set, p.Status().Volume, want)
		}
	}
	d.set("Volume", 0.6)
	muted := true
	if err := p.SetVolume(t.Context(), nil, &muted); err != nil {
		t.Fatal(err)
	}
	d.wantProperties("Volume", 0.0)
	if d.set("Volume", 0.0); p.Status().Volume != 60 || !p.Status().Muted {
		t.Errorf("setting the volume of a muted player to 0: got volume %d, muted %v; want 60, true",
			p.Status().Volume, p.Status().Muted)
	}
	if d.set("Volume", 0.5); p.Status().Muted {
		t.Error("muted after raising the volume: got true, want false")
	}
	d.set("Rate", 1.0)
	d.call(playerIface, "Play")
	d.set("Rate", 0.0)
	d.wantProperties("PlaybackStatus", "Paused", "Rate", 1.0)

	const props = "org.freedesktop.DBus.Properties"
	setFails := func(name, iface, property string, value any) {
		t.Helper()
		d.wantError(name, props, "Set", iface, property, dbus.MakeVariant(value))
	}
	setFails("InvalidArgs", playerIface, "Volume", math.NaN())
	setFails("InvalidArgs", playerIface, "Volume", "loud")
	setFails("InvalidArgs", playerIface, "Volume", int32(1))
	setFails("InvalidArgs", playerIface, "LoopStatus", "Sometimes")
	setFails("InvalidArgs", playerIface, "Rate", 2.0)
	setFails("PropertyReadOnly", playerIface, "Position", int64(1))
	setFails("PropertyReadOnly", rootIface, "Identity", "Other")
	setFails("UnknownProperty", playerIface, "Colour", "red")
	setFails("UnknownInterface", "org.example", "Volume", 1.0)
	d.wantError("UnknownProperty", props, "Get", playerIface, "Colour")
	d.wantProperties("Volume", 0.5)
}

func TestIntrospectionMatchesTheInterfaces(t *testing.T) {
	d, _ := startDesktop(t)
	d.call(playerIface, "Play")
	var text string
	if err := d.player.Call("org.freedesktop.DBus.Introspectable.Introspect", 0).Store(&text); err != nil {
		t.Fatal(err)
	}
	var node introspect.Node
	if err := xml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	described := map[string]int{} // number of methods by interface
	for _, iface := range node.Interfaces {
		var values map[string]dbus.Variant
		if err := d.player.Call("org.freedesktop.DBus.Properties.GetAll", 0, iface.Name).Store(&values); err != nil {
			t.Fatal(err)
		}
		described[iface.Name] = len(iface.Methods)
		if len(values) != len(iface.Properties) {
			t.Errorf("%s: got %d properties, want %d as described", iface.Name, len(values), len(iface.Properties))
		}
		for _, p := range iface.Properties {
			if got := values[p.Name].Signature().String(); got != p.Type {
				t.Errorf("type of %s.%s: got %s, want %s as described", iface.Name, p.Name, got, p.Type)
			}
		}
	}
	if described[rootIface] != 2 || described[playerIface] != 9 || described[tracksIface] != 4 {
		t.Errorf("described methods: got %v, want 2 of the root, 9 of the player, 4 of the track list", described)
	}
}

// The steps of a volume wheel are sent without waiting for replies.
func TestLastOfManyVolumeStepsIsApplied(t *testing.T) {
	d, p := startDesktop(t)
	for round := range 20 {
		for step := 0; step <= 50; step++ {
			d.player.Go("org.freedesktop.DBus.Properties.Set", dbus.FlagNoReplyExpected, nil, playerIface, "Volume",
				dbus.MakeVariant(float64(step+round)/100))
		}
		want := 50 + round
		d.eventually("the last step", func() bool { return p.Status().Volume == want })
		d.set("Shuffle", round%2 == 0) // its reply arrives after the steps were received
		if got := p.Status().Volume; got != want {
			t.Fatalf("volume after round %d: got %d, want %d", round, got, want)
		}
	}
}

func TestSecondPlayerUsesAnotherBusName(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere;"+bus.Address+",guid=00")
	first := startPlayer(t, toneLibrary{size: 5, length: time.Minute})
	second := startPlayer(t, toneLibrary{size: 5, length: time.Minute})
	stop := serveMPRIS(t, first)
	one := connectDesktop(t, bus, busName)
	serveMPRIS(t, second)
	two := connectDesktop(t, bus, instanceName())
	two.call(playerIface, "Play")
	one.wantProperties("PlaybackStatus", "Stopped")
	two.wantProperties("PlaybackStatus", "Playing")
	stop()
	one.eventually("the first name to be free", func() bool {
		var owned bool
		return one.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, busName).Store(&owned) == nil && !owned
	})
	two.wantProperties("PlaybackStatus", "Playing")
}
