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

// rootProperties never change. The player has no window to raise, and the desktop cannot quit a
// service.
func rootProperties() map[string]any {
	return map[string]any{
		"Identity": "Waxwing", "DesktopEntry": "waxwing",
		"CanQuit": false, "CanRaise": false, "HasTrackList": true,
		"SupportedUriSchemes": []string{scheme}, "SupportedMimeTypes": []string{},
	}
}

// playerProperties returns the properties of the Player interface but Position, which is computed
// when it is read. Next and Previous wrap around, so they work whenever the queue is not empty;
// Play fills an empty queue.
func (s *session) playerProperties(st *player.Status) map[string]any {
	about := map[string]dbus.Variant{}
	cur, loaded := st.Current()
	if loaded {
		about = metadata(cur, currentPath(st))
		if l := s.lyrics.Load(); l != nil && l.track == cur.ID && l.text != "" {
			about["xesam:asText"] = dbus.MakeVariant(text(l.text))
		}
		if st.Personal != nil && st.Personal.Rating > 0 {
			about["xesam:userRating"] = dbus.MakeVariant(float64(st.Personal.Rating) / 5)
		}
	}
	volume := float64(st.Volume) / 100
	if st.Muted {
		volume = 0
	}
	return map[string]any{
		"PlaybackStatus": playbackStatus(st), "LoopStatus": loopStatus(st.Repeat), "Shuffle": st.Shuffle,
		"Metadata": about, "Volume": volume,
		"Rate": 1.0, "MinimumRate": 1.0, "MaximumRate": 1.0,
		"CanGoNext": loaded, "CanGoPrevious": loaded, "CanPlay": true, "CanPause": loaded,
		"CanSeek":    loaded && (st.Web == nil || !st.Web.Live),
		"CanControl": true,
	}
}

func playbackStatus(st *player.Status) string {
	switch {
	case st.Playing:
		return "Playing"
	case st.Stopped:
		return "Stopped"
	}
	return "Paused"
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

func (p properties) all(iface string) map[string]any {
	switch iface {
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

// Get returns one property.
func (p properties) Get(iface, name string) (dbus.Variant, *dbus.Error) {
	if iface == playerInterface && name == "Position" { // it is polled often
		return dbus.MakeVariant(micros(p.player.Position())), nil
	}
	values := p.all(iface)
	if values == nil {
		return dbus.Variant{}, dbusError("UnknownInterface", "there is no interface "+iface+" here")
	}
	value, ok := values[name]
	if !ok {
		return dbus.Variant{}, dbusError("UnknownProperty", iface+" has no property "+name)
	}
	return dbus.MakeVariant(value), nil
}

// GetAll returns all properties of an interface; none if it has none.
func (p properties) GetAll(iface string) (map[string]dbus.Variant, *dbus.Error) {
	values := map[string]dbus.Variant{}
	for name, value := range p.all(iface) {
		values[name] = dbus.MakeVariant(value)
	}
	return values, nil
}

// Set changes a property of the player.
func (p properties) Set(msg dbus.Message, iface, name string, value dbus.Variant) *dbus.Error {
	if iface != playerInterface || !writable(name) {
		if _, err := p.Get(iface, name); err != nil {
			return err
		}
		return dbusError("PropertyReadOnly", name+" is read-only")
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

// setLoop keeps the repeat mode “on”, which is the same as “all” for MPRIS.
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

// setVolume clamps to the valid range. A muted player has volume 0 for MPRIS: raising it unmutes,
// and setting it to 0 changes nothing.
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

// setRate pauses on 0, as MPRIS requires.
func (s *session) setRate(ctx context.Context, rate float64) error {
	switch rate {
	case 0:
		return s.player.Pause(ctx)
	case 1:
		return nil
	}
	return fault.New(fault.Invalid, "the only Rate is 1")
}

// objects returns the interfaces at objectPath by name.
func (s *session) objects() map[string]any {
	root, transport, tracks, props := root{}, transport{s}, trackLister{s}, properties{s}
	describe := func(iface string, methods any, signals ...introspect.Signal) introspect.Interface {
		return introspect.Interface{Name: iface, Methods: introspect.Methods(methods), Signals: signals,
			Properties: describeProperties(props.all(iface))}
	}
	node := introspect.Node{Name: string(objectPath), Interfaces: []introspect.Interface{
		introspect.IntrospectData, prop.IntrospectData,
		describe(rootInterface, root),
		describe(playerInterface, transport, introspect.Signal{Name: "Seeked",
			Args: []introspect.Arg{{Name: "Position", Type: "x"}}}),
		describe(tracksInterface, tracks, introspect.Signal{Name: "TrackListReplaced",
			Args: []introspect.Arg{{Name: "Tracks", Type: "ao"}, {Name: "CurrentTrack", Type: "o"}}}),
	}}
	return map[string]any{
		rootInterface: root, playerInterface: transport, tracksInterface: tracks,
		propertiesIface: props, introspectIface: introspect.NewIntrospectable(&node),
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
