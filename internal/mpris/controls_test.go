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

func TestAnEmptyPlayerSaysWhatItCanDo(t *testing.T) {
	d, _ := desktop(t)
	d.is("PlaybackStatus", "Stopped", "LoopStatus", "None", "Shuffle", false, "Volume", 0.8, "Rate", 1.0, "MinimumRate", 1.0, "MaximumRate", 1.0,
		"Position", int64(0), "CanGoNext", false, "CanGoPrevious", false, "CanPlay", true, "CanPause", false, "CanSeek", false, "CanControl", true)
	if about := d.get(playerFace, "Metadata").(map[string]dbus.Variant); len(about) != 0 {
		t.Errorf("metadata of nothing: %v", about)
	}
	if d.get(rootFace, "Identity") != "Waxwing" || d.get(rootFace, "HasTrackList") != true || d.get(rootFace, "CanQuit") != false {
		t.Error("the root interface")
	}
	d.call(rootFace, "Raise")
	d.call(rootFace, "Quit")
	d.refused("Failed", playerFace, "Next")
	d.refused("Failed", playerFace, "Previous")
	d.refused("Failed", playerFace, "Seek", int64(1))
	for _, method := range []string{"Pause", "Stop"} {
		d.call(playerFace, method)
	}
	d.call(playerFace, "SetPosition", noTrack, int64(5))
	d.is("PlaybackStatus", "Stopped")
}

func TestMetadataDescribesTheTrack(t *testing.T) {
	d, _ := desktop(t)
	d.call(playerFace, "Play")
	d.is("PlaybackStatus", "Playing", "CanGoNext", true, "CanGoPrevious", true, "CanPause", true, "CanSeek", true)
	about := d.get(playerFace, "Metadata").(map[string]dbus.Variant)
	want := map[string]any{
		"mpris:trackid": dbus.ObjectPath("/org/waxwing/track/t0"), "mpris:length": int64(60_000_000), "xesam:title": "Zwölf  \uFFFD 0",
		"xesam:album": "Tones", "xesam:url": "waxwing:t0", "mpris:artUrl": "http://127.0.0.1:7845/media/covers/8c1f?size=600",
	}
	for key, value := range want {
		if about[key].Value() != value {
			t.Errorf("%s is %v, want %v", key, about[key], value)
		}
	}
	if artists, ok := about["xesam:artist"].Value().([]string); !ok || !slices.Equal(artists, []string{"Ada", "Bo \uFFFD"}) || len(about) != len(want)+1 {
		t.Errorf("%v", about)
	}
}

func TestCommandsMoveThePlayer(t *testing.T) {
	d, p := desktop(t)
	d.call(playerFace, "PlayPause")
	d.is("PlaybackStatus", "Playing")
	d.call(playerFace, "Next")
	d.call(playerFace, "Next")
	d.call(playerFace, "Previous")
	if d.track() != "t1" {
		t.Errorf("at %s", d.track())
	}
	d.call(playerFace, "Pause")
	d.is("PlaybackStatus", "Paused")
	here := dbus.ObjectPath("/org/waxwing/track/t1")
	d.call(playerFace, "SetPosition", here, int64(30_000_000))
	d.near(30 * time.Second)
	d.call(playerFace, "Seek", int64(-10_000_000))
	d.near(20 * time.Second)
	d.call(playerFace, "SetPosition", dbus.ObjectPath("/org/waxwing/track/t4"), int64(1_000_000)) // stale: that track is not current
	d.call(playerFace, "SetPosition", here, int64(61_000_000))
	d.call(playerFace, "SetPosition", here, int64(-1))
	d.near(20 * time.Second)
	d.call(playerFace, "Seek", int64(math.MinInt64))
	d.near(0)
	d.call(playerFace, "Seek", int64(math.MaxInt64)) // past the end: next
	if d.track() != "t2" {
		t.Errorf("a seek past the end went to %s", d.track())
	}
	d.call(playerFace, "Play")
	d.call(playerFace, "Seek", int64(10_000_000))
	d.call(playerFace, "Stop")
	d.is("PlaybackStatus", "Stopped", "Position", int64(0))
	d.call(playerFace, "OpenUri", "waxwing:t4")
	if d.track() != "t4" || !p.Status().Playing {
		t.Errorf("opened %s", d.track())
	}
	d.refused("Failed", playerFace, "OpenUri", "waxwing:t99")
	for _, uri := range []string{"file:///etc/passwd", "waxwing:", "", "http://127.0.0.1/x.mp3"} {
		d.refused("InvalidArgs", playerFace, "OpenUri", uri)
	}
	d.refused("UnknownMethod", playerFace, "Explode")
	d.refused("InvalidArgs", playerFace, "Seek", "ten")
}

// TestStoppedIsNotPaused until the player plays again: then a pause is one.
func TestStoppedIsNotPaused(t *testing.T) {
	d, p := desktop(t)
	becomes := func(want string) {
		t.Helper()
		d.await(want, func(s *dbus.Signal) bool { return changed(s)["PlaybackStatus"].Value() == want })
		d.is("PlaybackStatus", want)
	}
	here := dbus.ObjectPath("/org/waxwing/track/t0")
	d.call(playerFace, "Play")
	becomes("Playing")
	d.call(playerFace, "SetPosition", here, int64(10_000_000))
	d.call(playerFace, "Stop")
	becomes("Stopped")
	d.is("Position", int64(0))
	if st := p.Status(); st.Playing || st.Index != 0 {
		t.Errorf("stopped at %d, playing %v", st.Index, st.Playing)
	}
	d.call(playerFace, "Stop")
	d.call(playerFace, "Pause")
	d.call(playerFace, "Next") // stays as it is, MPRIS says
	d.is("PlaybackStatus", "Stopped")
	d.call(playerFace, "Previous")
	d.call(playerFace, "SetPosition", here, int64(5_000_000))
	becomes("Paused")
	d.call(playerFace, "Stop")
	becomes("Stopped")
	d.call(playerFace, "PlayPause")
	becomes("Playing")
	d.near(0)
	d.call(playerFace, "Pause")
	becomes("Paused")
	if _, err := p.Seek(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	d.is("PlaybackStatus", "Paused", "Position", int64(0))
	d.call(playerFace, "Stop")
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
	repeat(player.RepeatOn) // the same to the desktop: left as it was
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
		t.Error("setting the volume of a muted player to what it seems to be changed it")
	}
	if d.set("Volume", 0.5); p.Status().Muted {
		t.Error("raising the volume does not unmute")
	}
	d.set("Rate", 1.0)
	d.call(playerFace, "Play")
	d.set("Rate", 0.0)
	d.is("PlaybackStatus", "Paused", "Rate", 1.0)

	const props = "org.freedesktop.DBus.Properties"
	bad := func(name, face, property string, value any) {
		t.Helper()
		d.refused(name, props, "Set", face, property, dbus.MakeVariant(value))
	}
	bad("InvalidArgs", playerFace, "Volume", math.NaN())
	bad("InvalidArgs", playerFace, "Volume", "loud")
	bad("InvalidArgs", playerFace, "Volume", int32(1))
	bad("InvalidArgs", playerFace, "LoopStatus", "Sometimes")
	bad("InvalidArgs", playerFace, "Rate", 2.0)
	bad("PropertyReadOnly", playerFace, "Position", int64(1))
	bad("PropertyReadOnly", rootFace, "Identity", "Other")
	bad("UnknownProperty", playerFace, "Colour", "red")
	bad("UnknownInterface", "org.example", "Volume", 1.0)
	d.refused("UnknownProperty", props, "Get", playerFace, "Colour")
	d.is("Volume", 0.5)
}

// TestIntrospectionIsTrue compares what is described with what is answered.
func TestIntrospectionIsTrue(t *testing.T) {
	d, _ := desktop(t)
	d.call(playerFace, "Play")
	var text string
	if err := d.player.Call("org.freedesktop.DBus.Introspectable.Introspect", 0).Store(&text); err != nil {
		t.Fatal(err)
	}
	var node introspect.Node
	if err := xml.Unmarshal([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for _, face := range node.Interfaces {
		var values map[string]dbus.Variant
		if err := d.player.Call("org.freedesktop.DBus.Properties.GetAll", 0, face.Name).Store(&values); err != nil {
			t.Fatal(err)
		}
		described[face.Name] = len(face.Methods)
		if len(values) != len(face.Properties) {
			t.Errorf("%s: %d properties described, %d answered", face.Name, len(face.Properties), len(values))
		}
		for _, p := range face.Properties {
			if got := values[p.Name].Signature().String(); got != p.Type {
				t.Errorf("%s.%s is described as %s and answered as %s", face.Name, p.Name, p.Type, got)
			}
		}
	}
	if described[rootFace] != 2 || described[playerFace] != 9 || described[tracksFace] != 4 {
		t.Errorf("methods: %v", described)
	}
}

// TestTheLastOfManyStepsWins sends a volume wheel's steps without waiting for any.
func TestTheLastOfManyStepsWins(t *testing.T) {
	d, p := desktop(t)
	for round := range 20 {
		for step := 0; step <= 50; step++ {
			d.player.Go("org.freedesktop.DBus.Properties.Set", dbus.FlagNoReplyExpected, nil, playerFace, "Volume", dbus.MakeVariant(float64(step+round)/100))
		}
		want := 50 + round
		d.eventually("the last step", func() bool { return p.Status().Volume == want })
		d.set("Shuffle", round%2 == 0) // answered after the steps were begun
		if got := p.Status().Volume; got != want {
			t.Fatalf("round %d ended at %d", round, got)
		}
	}
}

func TestASecondPlayerTakesAnotherName(t *testing.T) {
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere;"+bus.Address+",guid=00")
	first, second := startPlayer(t, shelf{size: 5, length: time.Minute}), startPlayer(t, shelf{size: 5, length: time.Minute})
	leave := offer(t, first)
	one := sit(t, bus, busName)
	offer(t, second)
	two := sit(t, bus, instanceName())
	two.call(playerFace, "Play")
	one.is("PlaybackStatus", "Stopped")
	two.is("PlaybackStatus", "Playing")
	leave()
	one.eventually("the first name to be free", func() bool {
		var owned bool
		return one.conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, busName).Store(&owned) == nil && !owned
	})
	two.is("PlaybackStatus", "Playing")
}
