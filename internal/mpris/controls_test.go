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
	d, _ := desktop(t)
	d.is("PlaybackStatus", "Stopped", "LoopStatus", "None", "Shuffle", false, "Volume", 0.8, "Rate", 1.0, "MinimumRate",
		1.0, "MaximumRate", 1.0,
		"Position", int64(0), "CanGoNext", false, "CanGoPrevious", false, "CanPlay", true, "CanPause", false, "CanSeek",
		false, "CanControl", true)
	if about := d.get(playerIface, "Metadata").(map[string]dbus.Variant); len(about) != 0 {
		t.Errorf("metadata of an empty player is %v, want none", about)
	}
	if d.get(rootIface, "Identity") != "Waxwing" || d.get(rootIface, "HasTrackList") != true || d.get(rootIface,
		"CanQuit") != false {
		t.Error("the properties of the root interface are wrong")
	}
	d.call(rootIface, "Raise")
	d.call(rootIface, "Quit")
	d.refused("Failed", playerIface, "Next")
	d.refused("Failed", playerIface, "Previous")
	d.refused("Failed", playerIface, "Seek", int64(1))
	for _, method := range []string{"Pause", "Stop"} {
		d.call(playerIface, method)
	}
	d.call(playerIface, "SetPosition", noTrack, int64(5))
	d.is("PlaybackStatus", "Stopped")
}

func TestMetadataDescribesTheTrack(t *testing.T) {
	d, _ := desktop(t)
	d.call(playerIface, "Play")
	d.is("PlaybackStatus", "Playing", "CanGoNext", true, "CanGoPrevious", true, "CanPause", true, "CanSeek", true)
	about := d.get(playerIface, "Metadata").(map[string]dbus.Variant)
	want := map[string]any{
		"mpris:trackid": dbus.ObjectPath("/org/waxwing/track/t0"), "mpris:length": int64(60_000_000),
		"xesam:title": "Zwölf  \uFFFD 0",
		"xesam:album": "Tones", "xesam:url": "waxwing:t0", "mpris:artUrl": "http://127.0.0.1:7845/media/covers/8c1f?size=600",
	}
	for key, value := range want {
		if about[key].Value() != value {
			t.Errorf("%s is %v, want %v", key, about[key], value)
		}
	}
	if artists, ok := about["xesam:artist"].Value().([]string); !ok || !slices.Equal(artists,
		[]string{"Ada", "Bo \uFFFD"}) || len(about) != len(want)+1 {
		t.Errorf("%v", about)
	}
}

func TestMethodsControlThePlayer(t *testing.T) {
	d, p := desktop(t)
	d.call(playerIface, "PlayPause")
	d.is("PlaybackStatus", "Playing")
	d.call(playerIface, "Next")
	d.call(playerIface, "Next")
	d.call(playerIface, "Previous")
	if d.track() != "t1" {
		t.Errorf("the current track is %s", d.track())
	}
	d.call(playerIface, "Pause")
	d.is("PlaybackStatus", "Paused")
	here := dbus.ObjectPath("/org/waxwing/track/t1")
	d.call(playerIface, "SetPosition", here, int64(30_000_000))
	d.near(30 * time.Second)
	d.call(playerIface, "Seek", int64(-10_000_000))
	d.near(20 * time.Second)
	// stale: that track is not current
	d.call(playerIface, "SetPosition", dbus.ObjectPath("/org/waxwing/track/t4"), int64(1_000_000))
	d.call(playerIface, "SetPosition", here, int64(61_000_000))
	d.call(playerIface, "SetPosition", here, int64(-1))
	d.near(20 * time.Second)
	d.call(playerIface, "Seek", int64(math.MinInt64))
	d.near(0)
	d.call(playerIface, "Seek", int64(math.MaxInt64)) // past the end: next
	if d.track() != "t2" {
		t.Errorf("a seek past the end went to %s", d.track())
	}
	d.call(playerIface, "Play")
	d.call(playerIface, "Seek", int64(10_000_000))
	d.call(playerIface, "Stop")
	d.is("PlaybackStatus", "Stopped", "Position", int64(0))
	d.call(playerIface, "OpenUri", "waxwing:t4")
	if d.track() != "t4" || !p.Status().Playing {
		t.Errorf("the opened track is %s", d.track())
	}
	d.refused("Failed", playerIface, "OpenUri", "waxwing:t99")
	for _, uri := range []string{"file:///etc/passwd", "waxwing:", "", "http://127.0.0.1/x.mp3"} {
		d.refused("InvalidArgs", playerIface, "OpenUri", uri)
	}
	d.refused("UnknownMethod", playerIface, "Explode")
	d.refused("InvalidArgs", playerIface, "Seek", "ten")
}

// After Stop the status is Stopped until the player plays again; a later pause is Paused.
func TestStoppedIsNotPaused(t *testing.T) {
	d, p := desktop(t)
	becomes := func(want string) {
		t.Helper()
		d.await(want, func(s *dbus.Signal) bool { return changed(s)["PlaybackStatus"].Value() == want })
		d.is("PlaybackStatus", want)
	}
	here := dbus.ObjectPath("/org/waxwing/track/t0")
	d.call(playerIface, "Play")
	becomes("Playing")
	d.call(playerIface, "SetPosition", here, int64(10_000_000))
	d.call(playerIface, "Stop")
	becomes("Stopped")
	d.is("Position", int64(0))
	if st := p.Status(); st.Playing || st.Index != 0 {
		t.Errorf("stopped at %d, playing %v", st.Index, st.Playing)
	}
	d.call(playerIface, "Stop")
	d.call(playerIface, "Pause")
	d.call(playerIface, "Next") // stays stopped, as MPRIS requires
	d.is("PlaybackStatus", "Stopped")
	d.call(playerIface, "Previous")
	d.call(playerIface, "SetPosition", here, int64(5_000_000))
	becomes("Paused")
	d.call(playerIface, "Stop")
	becomes("Stopped")
	d.call(playerIface, "PlayPause")
	becomes("Playing")
	d.near(0)
	d.call(playerIface, "Pause")
	becomes("Paused")
	if _, err := p.Seek(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	d.is("PlaybackStatus", "Paused", "Position", int64(0))
	d.call(playerIface, "Stop")
	becomes("Stopped")
}

func TestPropertiesThatCanBeSet(t *testing.T) {
	d, p := desktop(t)
	repeat := func(want player.Repeat) {
		t.Helper()
		if got := p.Status().Repeat; got != want {
			t.Errorf("repeat is %s, want %s", got, want)
		}
	}
	d.set("LoopStatus", "Track")
	repeat(player.RepeatOne)
	d.set("LoopStatus", "Playlist")
	repeat(player.RepeatAll)
	if err := p.SetRepeat(t.Context(), player.RepeatOn); err != nil {
		t.Fatal(err)
	}
	d.is("LoopStatus", "Playlist")
	d.set("LoopStatus", "Playlist")
	repeat(player.RepeatOn) // the same as all for MPRIS: unchanged
	d.set("LoopStatus", "None")
	repeat(player.RepeatOff)
	d.set("Shuffle", true)
	d.is("Shuffle", true, "LoopStatus", "None")

	for set, want := range map[float64]int{0.335: 34, 0: 0, -3: 0, 1: 100, 7: 100, math.Inf(1): 100, 0.29: 29} {
		if d.set("Volume", set); p.Status().Volume != want {
			t.Errorf("volume %v became %d", set, p.Status().Volume)
		}
	}
	d.set("Volume", 0.6)
	yes := true
	if err := p.SetVolume(t.Context(), nil, &yes); err != nil {
		t.Fatal(err)
	}
	d.is("Volume", 0.0)
	if d.set("Volume", 0.0); p.Status().Volume != 60 || !p.Status().Muted {
		t.Error("setting the volume of a muted player to 0 changed it")
	}
	if d.set("Volume", 0.5); p.Status().Muted {
		t.Error("raising the volume did not unmute")
	}
	d.set("Rate", 1.0)
	d.call(playerIface, "Play")
	d.set("Rate", 0.0)
	d.is("PlaybackStatus", "Paused", "Rate", 1.0)

	const props = "org.freedesktop.DBus.Properties"
	bad := func(name, iface, property string, value any) {
		t.Helper()
		d.refused(name, props, "Set", iface, property, dbus.MakeVariant(value))
	}
	bad("InvalidArgs", playerIface, "Volume", math.NaN())
	bad("InvalidArgs", playerIface, "Volume", "loud")
	bad("InvalidArgs", playerIface, "Volume", int32(1))
	bad("InvalidArgs", playerIface, "LoopStatus", "Sometimes")
	bad("InvalidArgs", playerIface, "Rate", 2.0)
	bad("PropertyReadOnly", playerIface, "Position", int64(1))
	bad("PropertyReadOnly", rootIface, "Identity", "Other")
	bad("UnknownProperty", playerIface, "Colour", "red")
	bad("UnknownInterface", "org.example", "Volume", 1.0)
	d.refused("UnknownProperty", props, "Get", playerIface, "Colour")
	d.is("Volume", 0.5)
}

func TestIntrospectionMatchesTheInterfaces(t *testing.T) {
	d, _ := desktop(t)
	d.call(playerIface, "Play")
	var text string
	if err := d.player.Call("org.freedesktop.DBus.Introspectable.Introspect", 0).Store(&text); err != nil {
		t.Fatal(err)
	}
	var node introspect.Node
	if err := xml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for _, iface := range node.Interfaces {
		var values map[string]dbus.Variant
		if err := d.player.Call("org.freedesktop.DBus.Properties.GetAll", 0, iface.Name).Store(&values); err != nil {
			t.Fatal(err)
		}
		described[iface.Name] = len(iface.Methods)
		if len(values) != len(iface.Properties) {
			t.Errorf("%s: %d properties described, %d returned", iface.Name, len(iface.Properties), len(values))
		}
		for _, p := range iface.Properties {
			if got := values[p.Name].Signature().String(); got != p.Type {
				t.Errorf("%s.%s is described as %s and returned as %s", iface.Name, p.Name, p.Type, got)
			}
		}
	}
	if described[rootIface] != 2 || described[playerIface] != 9 || described[tracksIface] != 4 {
		t.Errorf("methods: %v", described)
	}
}

// The steps of a volume wheel are sent without waiting for replies.
func TestTheLastOfManyVolumeStepsIsApplied(t *testing.T) {
	d, p := desktop(t)
	for round := range 20 {
		for step := 0; step <= 50; step++ {
			d.player.Go("org.freedesktop.DBus.Properties.Set", dbus.FlagNoReplyExpected, nil, playerIface, "Volume",
				dbus.MakeVariant(float64(step+round)/100))
		}
		want := 50 + round
		d.eventually("the last step", func() bool { return p.Status().Volume == want })
		d.set("Shuffle", round%2 == 0) // its reply comes after the steps were begun
		if got := p.Status().Volume; got != want {
			t.Fatalf("round %d ended at volume %d", round, got)
		}
	}
}

func TestSecondPlayerUsesAnotherBusName(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere;"+bus.Address+",guid=00")
	first, second := startPlayer(t, shelf{size: 5, length: time.Minute}), startPlayer(t,
		shelf{size: 5, length: time.Minute})
	leave := offer(t, first)
	one := connectDesk(t, bus, busName)
	offer(t, second)
	two := connectDesk(t, bus, instanceName())
	two.call(playerIface, "Play")
	one.is("PlaybackStatus", "Stopped")
	two.is("PlaybackStatus", "Playing")
	leave()
	one.eventually("the first name to be free", func() bool {
		var owned bool
		return one.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, busName).Store(&owned) == nil && !owned
	})
	two.is("PlaybackStatus", "Playing")
}
