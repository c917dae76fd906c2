package mpris

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/introspect"
	"github.com/godbus/dbus/v5/prop"

	"waxwing/internal/fault"
	"waxwing/internal/player"
)

// rootProperties never change. The player has no window to raise, and a desktop does not end a service.
func rootProperties() map[string]any {
	return map[string]any{
		"Identity": "Waxwing", "DesktopEntry": "waxwing",
		"CanQuit": false, "CanRaise": false, "HasTrackList": true,
		"SupportedUriSchemes": []string{scheme}, "SupportedMimeTypes": []string{},
	}
}

// playerProperties is all of the Player interface but Position, which is computed when it is read.
// Next and Previous wrap around, so they work whenever anything is queued; Play fills an empty queue.
func (s *session) playerProperties(st *player.Status) map[string]any {
	about := map[string]dbus.Variant{}
	cur, loaded := st.Current()
	if loaded {
		about = metadata(cur, currentPath(st))
	}
	volume := float64(st.Volume) / 100
	if st.Muted {
		volume = 0
	}
	return map[string]any{
		"PlaybackStatus": s.playbackStatus(st), "LoopStatus": loopStatus(st.Repeat), "Shuffle": st.Shuffle, "Metadata": about, "Volume": volume,
		"Rate": 1.0, "MinimumRate": 1.0, "MaximumRate": 1.0,
		"CanGoNext": loaded, "CanGoPrevious": loaded, "CanPlay": true, "CanPause": loaded, "CanSeek": loaded, "CanControl": true,
	}
}

// playbackStatus is Stopped while nothing is loaded, and from Stop on for as long as the player is silent at the start
// of a track: where Play begins, as MPRIS wants it. One that was moved on into the track is paused there.
func (s *session) playbackStatus(st *player.Status) string {
	_, loaded := st.Current()
	switch {
	case st.Playing:
		return "Playing"
	case loaded && (st.Position > 0 || s.halted.Load() == 0):
		return "Paused"
	}
	return "Stopped"
}

func loopStatus(r player.Repeat) string {
	switch r {
	case player.RepeatOne:
		return "Track"
	case player.RepeatAll, player.RepeatOn:
		return "Playlist"
	}
	return "None"
}

// properties implements org.freedesktop.DBus.Properties.
type properties struct{ *session }

func (p properties) all(face string) map[string]any {
	switch face {
	case rootInterface:
		return rootProperties()
	case playerInterface:
		values := p.playerProperties(p.player.Status())
		values["Position"] = micros(p.player.Position())
		return values
	case tracksInterface:
		return map[string]any{"Tracks": trackList(p.player.Status()), "CanEditTracks": true}
	}
	return nil
}

// Get answers with one property.
func (p properties) Get(face, name string) (dbus.Variant, *dbus.Error) {
	if face == playerInterface && name == "Position" { // the one that is polled
		return dbus.MakeVariant(micros(p.player.Position())), nil
	}
	values := p.all(face)
	if values == nil {
		return dbus.Variant{}, dbusError("UnknownInterface", "there is no interface "+face+" here")
	}
	value, ok := values[name]
	if !ok {
		return dbus.Variant{}, dbusError("UnknownProperty", face+" has no property "+name)
	}
	return dbus.MakeVariant(value), nil
}

// GetAll answers with all properties of an interface; of interfaces without any, with none.
func (p properties) GetAll(face string) (map[string]dbus.Variant, *dbus.Error) {
	values := map[string]dbus.Variant{}
	for name, value := range p.all(face) {
		values[name] = dbus.MakeVariant(value)
	}
	return values, nil
}

// Set changes a property of the player. The change is visible, and announced, as any other.
func (p properties) Set(msg dbus.Message, face, name string, value dbus.Variant) *dbus.Error {
	if face != playerInterface || !writable(name) {
		if _, err := p.Get(face, name); err != nil {
			return err
		}
		return dbusError("PropertyReadOnly", name+" cannot be set")
	}
	switch v := value.Value().(type) {
	case bool:
		if name == "Shuffle" {
			return p.set(&p.shuffle, msg, func(ctx context.Context) error { return p.player.SetShuffle(ctx, v) })
		}
	case string:
		if name == "LoopStatus" {
			return p.set(&p.loop, msg, func(ctx context.Context) error { return p.setLoop(ctx, v) })
		}
	case float64:
		if name == "Volume" {
			return p.set(&p.volume, msg, func(ctx context.Context) error { return p.setVolume(ctx, v) })
		}
		if name == "Rate" {
			return p.command(func(ctx context.Context) error { return p.setRate(ctx, v) })
		}
	}
	return dbusError("InvalidArgs", name+" is not of type "+value.Signature().String())
}

func writable(name string) bool {
	return slices.Contains([]string{"LoopStatus", "Shuffle", "Volume", "Rate"}, name)
}

// setLoop keeps the repeat “on” of a client that only knows a switch: to the desktop it is the same as “all”.
func (s *session) setLoop(ctx context.Context, status string) error {
	if status == loopStatus(s.player.Status().Repeat) {
		return nil
	}
	switch status {
	case "None":
		return s.player.SetRepeat(ctx, player.RepeatOff)
	case "Track":
		return s.player.SetRepeat(ctx, player.RepeatOne)
	case "Playlist":
		return s.player.SetRepeat(ctx, player.RepeatAll)
	}
	return fault.New(fault.Invalid, "LoopStatus must be None, Track or Playlist")
}

// setVolume takes what is out of range as the nearest end. The desktop sees a muted player as one at volume
// 0: raising it unmutes, and setting it to what it seems to be changes nothing.
func (s *session) setVolume(ctx context.Context, v float64) error {
	if math.IsNaN(v) {
		return fault.New(fault.Invalid, "Volume must be a number")
	}
	percent, muted := int(min(max(v, 0), 1)*100+0.5), false
	if percent == 0 && s.player.Status().Muted {
		return nil
	}
	return s.player.SetVolume(ctx, &percent, &muted)
}

// setRate pauses on 0, as MPRIS says.
func (s *session) setRate(ctx context.Context, rate float64) error {
	switch rate {
	case 0:
		return s.player.Pause(ctx)
	case 1:
		return nil
	}
	return fault.New(fault.Invalid, "the only Rate is 1")
}

// objects is everything there is at objectPath, by interface.
func (s *session) objects() map[string]any {
	root, transport, tracks, props := root{}, transport{s}, trackLister{s}, properties{s}
	describe := func(face string, methods any, signals ...introspect.Signal) introspect.Interface {
		return introspect.Interface{Name: face, Methods: introspect.Methods(methods), Signals: signals, Properties: describeProperties(props.all(face))}
	}
	node := introspect.Node{Name: string(objectPath), Interfaces: []introspect.Interface{
		introspect.IntrospectData, prop.IntrospectData,
		describe(rootInterface, root),
		describe(playerInterface, transport, introspect.Signal{Name: "Seeked", Args: []introspect.Arg{{Name: "Position", Type: "x"}}}),
		describe(tracksInterface, tracks, introspect.Signal{Name: "TrackListReplaced", Args: []introspect.Arg{{Name: "Tracks", Type: "ao"}, {Name: "CurrentTrack", Type: "o"}}}),
	}}
	return map[string]any{
		rootInterface: root, playerInterface: transport, tracksInterface: tracks,
		propertiesFace: props, introspectFace: introspect.NewIntrospectable(&node),
	}
}

func describeProperties(values map[string]any) []introspect.Property {
	var all []introspect.Property
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p := introspect.Property{Name: name, Type: dbus.SignatureOf(values[name]).String(), Access: "read"}
		if writable(name) {
			p.Access = "readwrite"
		}
		emits := map[string]string{"Position": "false", "Tracks": "invalidates"}[name]
		if emits == "" {
			emits = "true"
		}
		p.Annotations = []introspect.Annotation{{Name: "org.freedesktop.DBus.Property.EmitsChangedSignal", Value: emits}}
		all = append(all, p)
	}
	return all
}
